#include "http/server/tls.h"

#include <openssl/ssl.h>

#include <utility>

namespace evener::http {

Result<boost::asio::ssl::context> make_tls(const TlsFiles& files) {
  namespace ssl = boost::asio::ssl;
  boost::system::error_code error;
  ssl::context tls(ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_options(tls.native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // An idle connection gives its buffers back.
  SSL_CTX_set_mode(tls.native_handle(), SSL_MODE_RELEASE_BUFFERS);
  tls.use_certificate_chain_file(files.certificate, error);
  if (error) {
    return failure(ErrorCode::kInvalidArgument,
                   "TLS certificate " + files.certificate + ": " + error.message());
  }
  tls.use_private_key_file(files.private_key, ssl::context::pem, error);
  if (error || SSL_CTX_check_private_key(tls.native_handle()) != 1) {
    return failure(ErrorCode::kInvalidArgument,
                   "TLS key " + files.private_key + ": " +
                       (error ? error.message() : "it does not belong to the certificate"));
  }
  return tls;
}

}  // namespace evener::http
