// Certificates: whose word is taken, and that a refusal sends nothing.
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>

#include "http/client/client.h"
#include "http/client/raw_server_test.h"

namespace evener::http {
namespace {

template <class T, void (*kFree)(T*)>
struct Freed {
  void operator()(T* object) const { kFree(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Ssl = std::unique_ptr<SSL, Freed<SSL, SSL_free>>;
using SslSettings = std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>>;

// Signed by itself, for one address.
struct Pair {
  Key key{EVP_EC_gen("P-256")};
  Certificate certificate{X509_new()};

  Pair(const std::string& path, const std::string& name) {
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3'600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3'600);
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    X509_EXTENSION* names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, name.c_str());
    X509_add_ext(certificate.get(), names, -1);
    X509_EXTENSION_free(names);
    X509_set_pubkey(certificate.get(), key.get());
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    FILE* file = std::fopen(path.c_str(), "w");
    PEM_write_X509(file, certificate.get());
    std::fclose(file);
  }
};

// The server's side of a handshake, or nothing.
Ssl accept_tls(const Pair& pair, const RawPeer& peer) {
  const SslSettings settings(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_use_certificate(settings.get(), pair.certificate.get());
  SSL_CTX_use_PrivateKey(settings.get(), pair.key.get());
  Ssl ssl(SSL_new(settings.get()));
  SSL_set_fd(ssl.get(), peer.fd());
  return SSL_accept(ssl.get()) == 1 ? std::move(ssl) : nullptr;
}

// Answers one request over TLS; `heard` is what it could read.
Conversation answers(const Pair& pair, std::string& heard) {
  return [&](RawPeer& peer) {
    const Ssl ssl = accept_tls(pair, peer);
    if (!ssl) return;
    char bytes[4096];
    const int count = SSL_read(ssl.get(), bytes, sizeof bytes);
    if (count <= 0) return;
    heard.assign(bytes, static_cast<std::size_t>(count));
    constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    SSL_write(ssl.get(), kAnswer.data(), static_cast<int>(kAnswer.size()));
    SSL_shutdown(ssl.get());
  };
}

class ClientTls : public testing::Test {
 protected:
  ~ClientTls() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // `ca_file` of the client against `pair` at the server; the server says what it heard.
  Result<Response> ask(const std::string& ca_file, const Pair& pair) {
    RawServer server({answers(pair, heard_)});
    auto answer = make_client({.ca_file = ca_file})
                      ->send(get_from("https://127.0.0.1:" + std::to_string(server.port())));
    server.finish();
    return answer;
  }

  const std::filesystem::path folder_ =
      testing::TempDir() + "client_tls_test_" + std::to_string(::getpid());
  const Pair server_ = (std::filesystem::create_directories(folder_),
                        Pair(path("server.crt"), "IP:127.0.0.1"));
  const Pair other_{path("other.crt"), "IP:127.0.0.1"};
  const Pair elsewhere_{path("elsewhere.crt"), "DNS:elsewhere.example"};
  std::string heard_;
};

TEST_F(ClientTls, ACertificateOfTheCaFileIsTrusted) {
  const auto answer = ask(path("server.crt"), server_);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "hi");
  EXPECT_TRUE(heard_.starts_with("GET /x HTTP/1.1\r\n")) << heard_;
}

TEST_F(ClientTls, AnotherCertificateIsRefusedAndNothingIsSent) {
  for (const std::string& ca_file : {path("other.crt"), std::string()}) {
    const auto answer = ask(ca_file, server_);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kPermissionDenied) << answer.error().message;
    EXPECT_EQ(heard_, "");
  }
}

TEST_F(ClientTls, ACertificateForAnotherNameIsRefused) {
  const auto answer = ask(path("elsewhere.crt"), elsewhere_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kPermissionDenied) << answer.error().message;
  EXPECT_EQ(heard_, "");
}

TEST_F(ClientTls, ACaFileThatIsNotThereIsSaid) {
  const auto answer = ask(path("none.crt"), server_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kPermissionDenied) << answer.error().message;
}

TEST_F(ClientTls, AResetWhileABodyIsSentIsUnavailableAndNoSignal) {
  RawServer server({[&](RawPeer& peer) {
    const Ssl ssl = accept_tls(server_, peer);
    char byte = 0;
    if (ssl) SSL_read(ssl.get(), &byte, 1);
    peer.reset();
  }});
  const auto answer = make_client({.ca_file = path("server.crt")})
                          ->send(put_to("https://127.0.0.1:" + std::to_string(server.port()),
                                        std::string(32u << 20, 'x')));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable) << answer.error().message;
}

TEST_F(ClientTls, AServerWithoutTlsIsUnavailable) {
  RawServer plain({[](RawPeer& peer) {
    peer.body(1);
    peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  }});
  const auto answer =
      make_client({})->send(get_from("https://127.0.0.1:" + std::to_string(plain.port())));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable) << answer.error().message;
}

}  // namespace
}  // namespace evener::http
