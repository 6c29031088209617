// A connection under TLS, and certificates that are not taken.
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <condition_variable>
#include <memory>

#include "data/transport/byte_stream.h"
#include "data/transport/control_client.h"
#include "data/transport/control_server.h"
#include "data/transport/messages.h"
#include "os/temporary_folder_test.h"

namespace evener::data::transport {
namespace {

constexpr std::chrono::milliseconds kLimit{10'000};

template <class T, void (*kFree)(T*)>
struct Freed {
  void operator()(T* object) const { kFree(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;

// A key and a certificate that it signs itself, for one address.
TlsServerFiles make_files(const std::string& folder, const std::string& name) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3'600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3'600);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, name.c_str());
  X509_add_ext(certificate.get(), names, -1);
  X509_EXTENSION_free(names);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  TlsServerFiles files{folder + "/certificate.pem", folder + "/key.pem"};
  FILE* file = std::fopen(files.certificate.c_str(), "w");
  PEM_write_X509(file, certificate.get());
  std::fclose(file);
  file = std::fopen(files.private_key.c_str(), "w");
  PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
  return files;
}

std::unique_ptr<ControlServer> open_echo(const TlsServerFiles& files, const Clock& clock) {
  ControlServerOptions options;
  options.listen.tls = files;
  ControlEvents events;
  events.on_hello = [](const std::shared_ptr<Peer>& peer, const FrameView&) {
    peer->send(frame_of(WorkerWelcome{7}));
    return ok();
  };
  events.on_frame = [](const std::shared_ptr<Peer>& peer, const FrameView& frame) {
    const auto* text = reinterpret_cast<const char*>(frame.body.data());
    peer->send(frame_bytes(frame.header, std::string_view(text, frame.body.size())));
    return ok();
  };
  events.on_gone = [](const std::shared_ptr<Peer>&, const Error&) {};
  auto server = open_control_server(options, events, clock);
  EXPECT_TRUE(server.has_value()) << server.error().message;
  return server ? std::move(*server) : nullptr;
}

TEST(Tls, CarriesFramesBothWays) {
  const os::TemporaryFolder folder;
  const SystemClock clock;
  const TlsServerFiles files = make_files(folder.path().string(), "IP:127.0.0.1");
  auto server = open_echo(files, clock);
  auto client = connect_control({{"127.0.0.1", server->port()}, files.certificate},
                                frame_of(WorkerHello{"", "a:1", 1, "", ""}), kLimit);
  ASSERT_TRUE(client.has_value()) << client.error().message;
  ASSERT_TRUE((*client)->receive(kLimit).value());
  std::size_t received = 0;
  for (int round = 0; round < 20; ++round)
    ASSERT_TRUE((*client)->send(frame_bytes({.kind = FrameKind::kFeed}, std::string(100'000, 'x'))));
  while (received < 20) {
    auto frame = (*client)->receive(kLimit);
    ASSERT_TRUE(frame.has_value()) << frame.error().message;
    if (*frame) ++received;
  }
}

TEST(Tls, ACertificateOfAnotherNameOrAuthorityIsNotTaken) {
  const os::TemporaryFolder folder;
  const os::TemporaryFolder other_folder;
  const SystemClock clock;
  const TlsServerFiles files = make_files(folder.path().string(), "IP:127.0.0.2");
  const TlsServerFiles other = make_files(other_folder.path().string(), "IP:127.0.0.1");
  auto server = open_echo(files, clock);
  for (const std::string& authority : {files.certificate, other.certificate}) {
    auto client = connect_control({{"127.0.0.1", server->port()}, authority},
                                  frame_of(WorkerHello{"", "a:1", 1, "", ""}), kLimit);
    EXPECT_FALSE(client.has_value());
  }
}

TEST(Tls, APlainPeerIsNotServed) {
  const os::TemporaryFolder folder;
  const SystemClock clock;
  auto server = open_echo(make_files(folder.path().string(), "IP:127.0.0.1"), clock);
  auto client = connect_control({{"127.0.0.1", server->port()}},
                                frame_of(WorkerHello{"", "a:1", 1, "", ""}), kLimit);
  ASSERT_TRUE(client.has_value());
  EXPECT_FALSE((*client)->receive(kLimit).has_value());
}

TEST(Tls, FilesThatAreNoneAreNamed) {
  auto server = make_tls_server({"/nowhere/certificate.pem", "/nowhere/key.pem"});
  ASSERT_FALSE(server.has_value());
  EXPECT_NE(server.error().message.find("/nowhere/certificate.pem"), std::string::npos);
  EXPECT_FALSE(make_tls_client("/nowhere/ca.pem").has_value());
}

}  // namespace
}  // namespace evener::data::transport
