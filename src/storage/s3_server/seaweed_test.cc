#include "storage/s3_server/seaweed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace evener::storage {
namespace {

using testing::Contains;

TEST(SeaweedCommand, TheEndpointIsTheOneItSays) {
  EXPECT_FALSE(announced_endpoint(""));
  EXPECT_FALSE(announced_endpoint("  S3           ready     0.2s\n"));
  EXPECT_FALSE(announced_endpoint("    S3 Endpoint:     http://127.0.0.1:83")) << "half a line";
  EXPECT_FALSE(announced_endpoint("    S3 Endpoint:     soon\n"));
  EXPECT_EQ(announced_endpoint("x\n    S3 Endpoint:     http://127.0.0.1:8334 \n  more\n"),
            "http://127.0.0.1:8334");
}

TEST(SeaweedCommand, PortsAreOfEndpoints) {
  EXPECT_EQ(port_of("http://127.0.0.1:8333"), 8333);
  for (const char* text : {"", "http://127.0.0.1", "http://h:0", "http://h:65536", "http://h:1x"})
    EXPECT_FALSE(port_of(text)) << text;
}

TEST(SeaweedCommand, PortsAreFreeAndDifferent) {
  const auto ports = find_ports(std::nullopt);
  ASSERT_TRUE(ports);
  const std::set<int> all{ports->s3, ports->filer, ports->master, ports->volume, ports->admin};
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(find_ports(ports->s3)->s3, ports->s3);
}

TEST(SeaweedCommand, ServesOnLoopbackOnlyAndReportsToNobody) {
  const auto command = seaweed_command({.program = "/bin/weed", .folder = "/h/s3", .bucket = "b", .access_file = {}, .key = {}},
                                       {.s3 = 20'001, .filer = 2, .master = 3, .volume = 4, .admin = 5});
  for (const char* flag : {"-ip.bind=127.0.0.1", "-s3.port=20001", "-s3.port.grpc=30001",
                           "-dir=/h/s3/data", "-master.telemetry=false"})
    EXPECT_THAT(command, Contains(flag));
}

}  // namespace
}  // namespace evener::storage
