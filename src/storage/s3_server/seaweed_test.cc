#include "storage/s3_server/seaweed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/document.h"
#include "os/temporary_folder_test.h"
#include "storage/s3_server/seaweed_lock.h"

namespace evener::storage {
namespace {

using testing::Contains;
using testing::StartsWith;

TEST(SeaweedCommand, TheEndpointIsTheOneItSays) {
  EXPECT_FALSE(announced_endpoint(""));
  EXPECT_FALSE(announced_endpoint("  S3           ready     0.2s\n"));
  EXPECT_FALSE(announced_endpoint("    S3 Endpoint:     http://127.0.0.1:83")) << "half a line";
  EXPECT_FALSE(announced_endpoint("    S3 Endpoint:     soon\n"));
  EXPECT_EQ(announced_endpoint("x\n    S3 Endpoint:     http://127.0.0.1:8334 \n  more\n"),
            "http://127.0.0.1:8334");
}

TEST(SeaweedCommand, IdentitiesAreJsonWhateverAKeyIs) {
  const std::string text =
      seaweed_identities({.id = "a\"b", .secret = "c\\d\n"}, {.id = "reader", .secret = "s"});
  const auto read = document::read(text);
  ASSERT_TRUE(read) << text;
  const auto& all = read->items_at("identities");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].items_at("credentials").at(0).text_at("accessKey"), "a\"b");
  EXPECT_EQ(all[0].items_at("credentials").at(0).text_at("secretKey"), "c\\d\n");
  EXPECT_EQ(document::write(*all[1].find("actions")), R"(["Read","List"])");
  EXPECT_EQ(document::read(seaweed_identities({.id = "a", .secret = "b"}, {}))
                ->items_at("identities").size(), 1u);
}

TEST(SeaweedCommand, PortsAreFreeAndDifferent) {
  const auto ports = find_ports(std::nullopt);
  ASSERT_TRUE(ports);
  const std::set<int> all{ports->s3, ports->filer, ports->master, ports->volume, ports->admin};
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(find_ports(ports->s3)->s3, ports->s3);
}

TEST(SeaweedCommand, PortsAreWrittenAndReadAgain) {
  const SeaweedPorts ports{.s3 = 1, .filer = 22, .master = 333, .volume = 4444, .admin = 65535};
  const auto again = read_ports(ports_text(ports));
  ASSERT_TRUE(again);
  EXPECT_EQ(ports_text(*again), "1 22 333 4444 65535\n");
  for (const char* text : {"", "1 2 3 4\n", "1 2 3 4 5", "1 2 3 4 0\n", "1 2 3 4 65536\n",
                           "1,2,3,4,5\n", "a b c d e\n"})
    EXPECT_FALSE(read_ports(text)) << text;
}

TEST(SeaweedLock, EachIsItsOwnAndForItsOwnerOnly) {
  os::TemporaryFolder folder;
  auto files = os::make_real_file_system();
  SystemRandom random;
  const auto one = make_seaweed_lock(*files, random, folder.path());
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_THAT(*one, Contains("WEED_GRPC_FILER_KEY=" + (folder.path() / "parts.key").string()));
  EXPECT_THAT(*one, Contains(StartsWith("WEED_JWT_FILER_SIGNING_READ_KEY=")));
  EXPECT_EQ(files->stat(folder.path() / "parts.key").value().mode & 0777, 0600u);
  EXPECT_NE(make_seaweed_lock(*files, random, folder.path()).value(), *one);
  const auto certificate = make_own_certificate();
  ASSERT_TRUE(certificate);
  EXPECT_THAT(certificate->certificate, StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_THAT(certificate->private_key, StartsWith("-----BEGIN PRIVATE KEY-----\n"));
}

TEST(SeaweedCommand, ServesOnLoopbackOnlyAndReportsToNobody) {
  const auto command = seaweed_command({.program = "/bin/weed", .folder = "/h/s3", .bucket = "b", .access_file = {}, .key = {}},
                                       {.s3 = 20'001, .filer = 2, .master = 3, .volume = 4, .admin = 5});
  for (const char* flag : {"-ip.bind=127.0.0.1", "-s3.port=20001", "-s3.port.grpc=30001",
                           "-dir=/h/s3/data", "-master.telemetry=false", "-disableHttp"})
    EXPECT_THAT(command, Contains(flag));
}

}  // namespace
}  // namespace evener::storage
