#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <thread>

#include "http/server/test_server_test.h"

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

// A key and a certificate that it signed itself, in a folder of their own.
class Tls : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "tls_test_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
    write_pair("server");
    write_pair("other");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  TlsFiles files() const { return {path("server.crt"), path("server.key")}; }

  std::string folder_;

 private:
  void write_pair(const std::string& name) const {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate(X509_new());
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3'600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3'600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    FILE* file = std::fopen(path(name + ".crt").c_str(), "w");
    PEM_write_X509(file, certificate.get());
    std::fclose(file);
    file = std::fopen(path(name + ".key").c_str(), "w");
    PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
  }
};

class TlsClient {
 public:
  explicit TlsClient(int port)
      : raw_(port), settings_(SSL_CTX_new(TLS_client_method())), ssl_(SSL_new(settings_.get())) {
    SSL_set_fd(ssl_.get(), raw_.fd());
    connected_ = SSL_connect(ssl_.get()) == 1;
  }
  bool connected() const { return connected_; }
  void send(std::string_view bytes) {
    ASSERT_EQ(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())),
              static_cast<int>(bytes.size()));
  }
  // Until `size` bytes have come or the connection ends.
  std::string receive(std::size_t size) {
    std::string read;
    char bytes[16'384];
    while (read.size() < size) {
      const int count = SSL_read(ssl_.get(), bytes, sizeof bytes);
      if (count <= 0) break;
      read.append(bytes, static_cast<std::size_t>(count));
    }
    return read;
  }

 private:
  RawClient raw_;
  SslSettings settings_;
  Ssl ssl_;
  bool connected_ = false;
};

TEST_F(Tls, RequestsAreAnsweredOverIt) {
  const auto server = serve(echo, {.body_limit_bytes = 4u << 20, .tls = files()});
  TlsClient client(server->port());
  ASSERT_TRUE(client.connected());
  for (int round = 0; round < 3; ++round) {
    const std::string body(1u << 20, static_cast<char>('a' + round));
    client.send(post("/p", body));
    const std::string answer = client.receive(body.size() + 50);
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_EQ(body_of(answer + client.receive(body_of(answer).size() < body.size() + 9 ? 1 : 0)),
              "POST /p  " + body);
  }
}

TEST_F(Tls, PlainBytesAndSilenceEndTheConnectionOnly) {
  const auto server = serve(echo, {.header_timeout = std::chrono::milliseconds(60), .tls = files()});
  RawClient plain(server->port());
  plain.send(get("/"));
  EXPECT_EQ(status_of(plain.rest()), 0);
  RawClient silent(server->port());
  EXPECT_TRUE(silent.is_ended());
  TlsClient client(server->port());
  ASSERT_TRUE(client.connected());
  client.send(get("/"));
  EXPECT_EQ(status_of(client.receive(9)), 200);
}

TEST_F(Tls, DrainClosesIdleConnections) {
  const auto server = serve(echo, {.tls = files()});
  TlsClient client(server->port());
  client.send(get("/"));
  EXPECT_EQ(status_of(client.receive(9)), 200);
  server->drain(std::chrono::seconds(10));
}

TEST_F(Tls, FilesThatAreNoneOrDoNotMatchAreNamed) {
  const auto code_of = [](const TlsFiles& given) {
    const auto server = listen({.tls = given}, echo);
    return server ? ErrorCode::kInternal : server.error().code;
  };
  EXPECT_EQ(code_of({path("none.crt"), path("server.key")}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of({path("server.crt"), path("none.key")}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of({path("server.crt"), path("other.key")}), ErrorCode::kInvalidArgument);
  std::ofstream(path("bad.crt")) << "nothing";
  EXPECT_EQ(code_of({path("bad.crt"), path("server.key")}), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace evener::http
