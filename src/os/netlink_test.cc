#include "os/netlink.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "os/namespace.h"
#include "os/namespace_privileges.h"

namespace evener::os {
namespace {

TEST(Netlink, AnAddressIsTheSameAfterItsText) {
  const Result<Ipv4> address = parse_ipv4("10.91.0.12");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->value, 0x0a5b000cU);
  EXPECT_EQ(to_string(*address), "10.91.0.12");
  EXPECT_FALSE(parse_ipv4("10.91.0"));
  EXPECT_FALSE(parse_ipv4("algo-1"));
}

// Exit code of `body` in a network namespace of its own.
template <class Body>
int in_network_namespace(Body body) {
  Result<ClonedProcess> child = clone_process(CLONE_NEWNET);
  if (!child) return -1;
  if (child->pid == 0) ::_exit(body());
  return reap(child->pidfd.get()).value_or(-1);
}

TEST(Netlink, ABridgeGetsItsAddressAndANameIsTakenOnce) {
  if (!may_administer()) GTEST_SKIP() << "needs CAP_SYS_ADMIN for a network namespace";
  EXPECT_EQ(in_network_namespace([] {
              Result<Netlink> links = Netlink::open();
              if (!links || !links->add_bridge("br0")) return 1;
              const Result<int> index = links->link_index("br0");
              if (!index || !links->add_address(*index, {0x0a5b0001}, 24)) return 2;
              if (!links->set_up(*index)) return 3;
              const Status again = links->add_bridge("br0");
              if (again || again.error().code != ErrorCode::kAlreadyExists) return 4;
              return links->add_default_route({0x0a5b0002}) ? 0 : 5;
            }),
            0);
}

TEST(Netlink, ALinkThatIsNotThereIsNotFound) {
  Result<Netlink> links = Netlink::open();
  ASSERT_TRUE(links);
  const Result<int> index = links->link_index("nosuchlink0");
  ASSERT_FALSE(index);
  EXPECT_FALSE(links->link_index("a-name-longer-than-any-link"));
}

}  // namespace
}  // namespace evener::os
