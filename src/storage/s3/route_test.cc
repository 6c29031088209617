#include "storage/s3/route.h"

#include <gtest/gtest.h>

#include "os/temporary_folder_test.h"

namespace evener::storage {
namespace {

Route of(S3Access access, const std::string& bucket) {
  return route_to(access, bucket, access.region).value();
}

TEST(Routes, PathAndVirtualStyle) {
  const Route path = of({.endpoint = "http://127.0.0.1:8333"}, "b");
  EXPECT_EQ(path.origin, "http://127.0.0.1:8333");
  EXPECT_EQ(path.host, "127.0.0.1:8333");
  EXPECT_EQ(path.path_start, "/b/");
  const Route named = of({.endpoint = "https://s3.example:443/", .addressing = Addressing::kVirtual}, "b");
  EXPECT_EQ(named.origin, "https://b.s3.example:443");
  EXPECT_EQ(named.host, "b.s3.example") << "a port that is the scheme's own is not said";
  EXPECT_EQ(named.path_start, "/");
}

TEST(Routes, WithoutEndpointTheRegionOfAwsIsMeant) {
  EXPECT_EQ(of({.region = "eu-west-1"}, "b").origin, "https://b.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(of({.region = "cn-north-1"}, "b").host, "b.s3.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(of({.region = "eu-west-1"}, "b.c").path_start, "/b.c/") << "no certificate has two levels";
}

TEST(Routes, EndpointsThatAreNoneAreRefused) {
  for (const char* endpoint : {"127.0.0.1:8333", "ftp://h", "http://", "http://u@h", "http://h h"})
    EXPECT_FALSE(route_to({.endpoint = endpoint}, "b", "r")) << endpoint;
}

TEST(Routes, RedirectsNeverLeaveTls) {
  const Route plain = of({.endpoint = "http://h:1"}, "b");
  EXPECT_EQ(redirected(plain, "b", "http://other:2/b/k", "")->origin, "http://other:2");
  EXPECT_EQ(redirected(plain, "b", "http://b.other:2/k", "")->path_start, "/");
  EXPECT_EQ(redirected(plain, "b", "", "b.s3.example")->origin, "http://b.s3.example");
  EXPECT_FALSE(redirected(plain, "b", "", ""));
  const Route safe = of({.endpoint = "https://h"}, "b");
  EXPECT_FALSE(redirected(safe, "b", "http://other/b/k", ""));
}

TEST(Access, ComesFromTheVariablesOfOtherClients) {
  EXPECT_FALSE(access_from({}).value());
  const auto access = access_from({{"AWS_ENDPOINT_URL", "http://general"},
                                   {"AWS_ENDPOINT_URL_S3", "http://s3"},
                                   {"AWS_ACCESS_KEY_ID", "id"},
                                   {"AWS_SECRET_ACCESS_KEY", "secret"},
                                   {"AWS_SESSION_TOKEN", "token"},
                                   {"AWS_DEFAULT_REGION", "eu-west-1"},
                                   {"EVENER_S3_ADDRESSING", "virtual"},
                                   {"EVENER_S3_PATIENCE_SECONDS", "7"}})
                          .value();
  ASSERT_TRUE(access);
  EXPECT_EQ(access->endpoint, "http://s3");
  EXPECT_EQ(access->key.session_token, "token");
  EXPECT_EQ(access->region, "eu-west-1");
  EXPECT_EQ(access->addressing, Addressing::kVirtual);
  EXPECT_EQ(access->patience, std::chrono::seconds(7));
  EXPECT_FALSE(access_from({{"AWS_ACCESS_KEY_ID", "id"}})) << "half a key";
}

TEST(Access, FilesAreReadBackUnlessOthersMayReadThem) {
  os::TemporaryFolder folder;
  auto files = os::make_real_file_system();
  const auto path = folder.path() / "access.json";
  ASSERT_TRUE(write_access(*files, path,
                           {.endpoint = "http://h", .key = {"id", "se\"cret", "t"}, .ca_file = "/ca"}));
  EXPECT_EQ(files->stat(path)->mode, 0600u);
  const auto back = read_access(*files, path).value();
  EXPECT_EQ(back.endpoint, "http://h");
  EXPECT_EQ(back.key.secret, "se\"cret");
  EXPECT_EQ(back.ca_file, "/ca");
  ASSERT_TRUE(files->set_mode(path, 0640));
  EXPECT_EQ(read_access(*files, path).error().code, ErrorCode::kPermissionDenied);
  ASSERT_TRUE(os::write_text(*files, path, "secret stuff"));
  ASSERT_TRUE(files->set_mode(path, 0600));
  EXPECT_EQ(read_access(*files, path).error().message.find("stuff"), std::string::npos);
}

TEST(Access, AddressingIsReadBack) {
  for (const Addressing addressing : {Addressing::kPath, Addressing::kVirtual})
    EXPECT_EQ(addressing_from(to_string(addressing)).value(), addressing);
}

}  // namespace
}  // namespace evener::storage
