#include "evener/client_config.h"

#include <gtest/gtest.h>

#include "evener/listen_address.h"

namespace evener::app {
namespace {

TEST(ClientConfig, AShellTakesQuotedTextAsItIs) {
  EXPECT_EQ(shell_quoted("http://127.0.0.1:80"), "http://127.0.0.1:80");
  EXPECT_EQ(shell_quoted("a b'$(c)"), "'a b'\\''$(c)'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(ClientConfig, NamesBucketAndRoleAndAsksNobody) {
  const std::string text = client_config_text({.folder = "", .bucket = "it's", .role = "arn:aws:iam::0:role/r"});
  EXPECT_NE(text.find("DefaultS3Bucket: 'it''s'"), std::string::npos);
  EXPECT_NE(text.find("TelemetryOptOut: true"), std::string::npos);
}

TEST(ListenAddress, IsAnAddressAndAPort) {
  EXPECT_EQ(to_string(*parse_listen_address("127.0.0.1:8900")), "127.0.0.1:8900");
  EXPECT_EQ(to_string(*parse_listen_address("localhost:0")), "127.0.0.1:0");
  EXPECT_EQ(to_string(*parse_listen_address("[::1]:80")), "[::1]:80");
  EXPECT_TRUE(parse_listen_address("127.0.0.2:1")->loopback);
  EXPECT_TRUE(parse_listen_address("[::1]:1")->loopback);
  EXPECT_FALSE(parse_listen_address("0.0.0.0:1")->loopback);
  EXPECT_FALSE(parse_listen_address("[::]:1")->loopback);
}

TEST(ListenAddress, AnythingElseIsRefused) {
  for (const std::string text : {"", "8900", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000",
                                 "::1:80", "[127.0.0.1]:80", "example.com:80", ":80"})
    EXPECT_FALSE(parse_listen_address(text)) << text;
}

}  // namespace
}  // namespace evener::app
