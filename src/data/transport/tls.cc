#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <utility>

#include "data/transport/byte_stream.h"

namespace evener::data::transport {
namespace {

using Keys = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;

std::string last_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

// OpenSSL's own socket BIO raises SIGPIPE at a peer that is gone.
int bio_moved(BIO* bio, ssize_t moved) {
  BIO_clear_retry_flags(bio);
  return static_cast<int>(moved);
}

int bio_write(BIO* bio, const char* bytes, int count) {
  const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const ssize_t moved = ::send(fd, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
  if (bio_moved(bio, moved) < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(moved);
}

int bio_read(BIO* bio, char* bytes, int count) {
  const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const ssize_t moved = ::recv(fd, bytes, static_cast<std::size_t>(count), 0);
  if (bio_moved(bio, moved) < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(moved);
}

long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

int bio_create(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

using BioMethod = std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)>;
BioMethod quiet_socket() {
  BioMethod method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "quiet socket"),
                   &BIO_meth_free);
  if (method && BIO_meth_set_write(method.get(), bio_write) == 1 &&
      BIO_meth_set_read(method.get(), bio_read) == 1 &&
      BIO_meth_set_ctrl(method.get(), bio_control) == 1 &&
      BIO_meth_set_create(method.get(), bio_create) == 1)
    return method;
  return BioMethod(nullptr, &BIO_meth_free);
}

class TlsStream final : public ByteStream {
 public:
  TlsStream(os::UniqueFd socket, Session session)
      : socket_(std::move(socket)), session_(std::move(session)) {}
  int fd() const override { return socket_.get(); }
  bool wants_to_write() const override { return wants_to_write_; }
  bool write_waits_for_peer() const override { return write_waits_; }
  bool holds_bytes() const override { return true; }

  Result<Progress> read(std::span<const iovec> into) override {
    return each(into, [this](const iovec& part) {
      return SSL_read(session_.get(), part.iov_base, length_of(part));
    });
  }
  Result<Progress> write(std::span<const iovec> from) override {
    auto progress = each(from, [this](const iovec& part) {
      return SSL_write(session_.get(), part.iov_base, length_of(part));
    });
    write_waits_ = progress && progress->kind == Progress::Kind::kWouldBlock && !wants_to_write_ &&
                   SSL_want_read(session_.get());
    return progress;
  }

 private:
  static int length_of(const iovec& part) {
    return static_cast<int>(std::min<std::size_t>(part.iov_len, INT_MAX));
  }

  // One part after the other, until one is not done whole.
  template <class Call>
  Result<Progress> each(std::span<const iovec> parts, Call call) {
    std::size_t moved = 0;
    wants_to_write_ = false;
    for (const iovec& part : parts) {
      if (part.iov_len == 0) continue;
      ERR_clear_error();
      const int bytes = call(part);
      if (bytes <= 0 && moved == 0) return stopped(bytes);
      if (bytes <= 0) break;                             // its reason comes again next time
      moved += static_cast<std::size_t>(bytes);
      if (static_cast<std::size_t>(bytes) < part.iov_len) break;
    }
    return Progress{Progress::Kind::kMoved, moved};
  }

  Result<Progress> stopped(int result) {
    switch (SSL_get_error(session_.get(), result)) {
      case SSL_ERROR_WANT_WRITE: wants_to_write_ = true; [[fallthrough]];
      case SSL_ERROR_WANT_READ: return Progress{Progress::Kind::kWouldBlock, 0};
      case SSL_ERROR_ZERO_RETURN: return Progress{Progress::Kind::kEnd, 0};
      case SSL_ERROR_SYSCALL:
        return failure(ErrorCode::kUnavailable, errno_error(errno, "TLS with peer").message);
      default: return failure(ErrorCode::kUnavailable, "TLS with peer: " + last_reason());
    }
  }

  os::UniqueFd socket_;
  Session session_;
  bool wants_to_write_ = false;
  bool write_waits_ = false;
};

enum class Side { kServer, kClient };

class OpenSslSide final : public TlsSide {
 public:
  OpenSslSide(Keys keys, Side side)
      : keys_(std::move(keys)), socket_method_(quiet_socket()), side_(side) {}
  Result<std::unique_ptr<ByteStream>> wrap(os::UniqueFd socket, const std::string& name) override {
    Session session(SSL_new(keys_.get()), &SSL_free);
    BIO* bio = socket_method_ ? BIO_new(socket_method_.get()) : nullptr;
    if (!session || bio == nullptr)
      return failure(ErrorCode::kNoSpace, "TLS session: " + last_reason());
    BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket.get())));
    SSL_set_bio(session.get(), bio, bio);
    if (side_ == Side::kServer) {
      SSL_set_accept_state(session.get());
    } else {
      SSL_set_connect_state(session.get());
      if (!expect(session.get(), name))
        return failure(ErrorCode::kInvalidArgument, "TLS with " + name + ": " + last_reason());
    }
    return std::make_unique<TlsStream>(std::move(socket), std::move(session));
  }

 private:
  // The certificate must have this name or address.
  static bool expect(SSL* session, const std::string& name) {
    X509_VERIFY_PARAM* rules = SSL_get0_param(session);
    if (X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str()) == 1) return true;
    return SSL_set1_host(session, name.c_str()) == 1 &&
           SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    const_cast<char*>(name.c_str())) == 1;
  }

  Keys keys_;
  BioMethod socket_method_;
  Side side_;
};

Keys new_keys(const SSL_METHOD* method) {
  Keys keys(SSL_CTX_new(method), &SSL_CTX_free);
  if (!keys) return keys;
  SSL_CTX_set_min_proto_version(keys.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(keys.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(keys.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS |
                                   SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return keys;
}

}  // namespace

Result<std::unique_ptr<TlsSide>> make_tls_server(const TlsServerFiles& files) {
  Keys keys = new_keys(TLS_server_method());
  if (!keys) return failure(ErrorCode::kNoSpace, "TLS: " + last_reason());
  if (SSL_CTX_use_certificate_chain_file(keys.get(), files.certificate.c_str()) != 1)
    return failure(ErrorCode::kInvalidArgument,
                   "TLS certificate " + files.certificate + ": " + last_reason());
  if (SSL_CTX_use_PrivateKey_file(keys.get(), files.private_key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(keys.get()) != 1)
    return failure(ErrorCode::kInvalidArgument,
                   "TLS key " + files.private_key + ": " + last_reason());
  return std::make_unique<OpenSslSide>(std::move(keys), Side::kServer);
}

Result<std::unique_ptr<TlsSide>> make_tls_client(const std::string& authority_file) {
  Keys keys = new_keys(TLS_client_method());
  if (!keys) return failure(ErrorCode::kNoSpace, "TLS: " + last_reason());
  if (SSL_CTX_load_verify_locations(keys.get(), authority_file.c_str(), nullptr) != 1)
    return failure(ErrorCode::kInvalidArgument,
                   "TLS authority " + authority_file + ": " + last_reason());
  SSL_CTX_set_verify(keys.get(), SSL_VERIFY_PEER, nullptr);
  return std::make_unique<OpenSslSide>(std::move(keys), Side::kClient);
}

}  // namespace evener::data::transport
