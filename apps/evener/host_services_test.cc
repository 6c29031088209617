#include "evener/host_services.h"

#include <gtest/gtest.h>

namespace evener::app {
namespace {

std::string words(const std::vector<sandbox::HostService>& services) {
  std::string text;
  for (const auto& service : services)
    text += std::to_string(service.port) + ">" + service.target_host + ":" +
            std::to_string(service.target_port) + " ";
  return text;
}

TEST(HostServices, AreTheServerAndAnObjectStoreOfThisMachine) {
  const ListenAddress server{.address = "127.0.0.1", .port = 8900};
  EXPECT_EQ(words(host_services(server, "http://127.0.0.1:8333")),
            "8900>127.0.0.1:8900 8333>127.0.0.1:8333 ");
  EXPECT_EQ(words(host_services(server, "http://localhost:8333/x")),
            "8900>127.0.0.1:8900 8333>127.0.0.1:8333 ");
}

TEST(HostServices, LeaveOutWhatIsElsewhere) {
  const ListenAddress all{.address = "0.0.0.0", .port = 8900, .loopback = false};
  for (const char* url : {"", "https://s3.amazonaws.com", "http://10.1.2.3:80", "nonsense"})
    EXPECT_EQ(words(host_services(all, url)), "8900>127.0.0.1:8900 ") << url;
  const ListenAddress six{.address = "::", .port = 1, .loopback = false};
  EXPECT_EQ(words(host_services(six, "http://127.0.0.1:1")), "1>::1:1 ");
}

}  // namespace
}  // namespace evener::app
