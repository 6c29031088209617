#include "training/sandbox/network.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "os/namespace.h"
#include "training/sandbox/sandbox.h"

namespace evener::sandbox {
namespace {

constexpr std::uint32_t kNetwork = (10U << 24) | (91U << 16);
constexpr std::size_t kMostInSmallSubnet = 240;
constexpr std::uint32_t kFirstInstance = 11;
constexpr int kLoopback = 1;
constexpr const char* kBridgeName = "br0";

// In a child that shares our descriptors and has a new network namespace: opens what belongs to
// that namespace and writes the numbers. The last is the namespace itself.
[[noreturn]] void open_inside(int numbers, std::size_t service_sockets) {
  std::vector<int> opened;
  opened.push_back(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0));
  for (std::size_t i = 0; i < service_sockets; ++i) {
    opened.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  }
  opened.push_back(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
  const std::size_t size = opened.size() * sizeof(int);
  const bool written = ::write(numbers, opened.data(), size) == static_cast<ssize_t>(size);
  ::_exit(written ? 0 : 1);
}

}  // namespace

Subnet subnet_for(std::size_t instances) {
  return {os::Ipv4{kNetwork}, instances <= kMostInSmallSubnet ? 24 : 16};
}
os::Ipv4 bridge_address(const Subnet& subnet) { return {subnet.network.value + 1}; }
os::Ipv4 gateway_address(const Subnet& subnet) { return {subnet.network.value + 2}; }
os::Ipv4 name_server_address(const Subnet& subnet) { return {subnet.network.value + 3}; }
os::Ipv4 instance_address(const Subnet& subnet, std::size_t index) {
  return {subnet.network.value + kFirstInstance + static_cast<std::uint32_t>(index)};
}

Result<JobNetwork> JobNetwork::create(const Subnet& subnet, std::size_t service_sockets) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_failure(errno, "pipe");
  const os::UniqueFd numbers(ends[0]);
  const os::UniqueFd numbers_end(ends[1]);
  Result<os::ClonedProcess> child = os::clone_process(CLONE_NEWNET | CLONE_FILES);
  if (!child) return failure_in("make the job's network", child.error());
  if (child->pid == 0) open_inside(numbers_end.get(), service_sockets);
  Result<int> code = os::reap(child->pidfd.get());
  if (!code) return tl::unexpected<Error>(code.error());
  std::vector<int> opened(service_sockets + 2, -1);
  const std::size_t size = opened.size() * sizeof(int);
  if (*code != 0 || ::read(numbers.get(), opened.data(), size) != static_cast<ssize_t>(size)) {
    return failure(ErrorCode::kIo, "the job's network namespace was not made");
  }
  std::vector<os::UniqueFd> descriptors;
  for (const int fd : opened) descriptors.emplace_back(fd);
  for (const os::UniqueFd& fd : descriptors) {
    if (!fd) return failure(ErrorCode::kLimitExceeded, "too few descriptors for the job's network");
  }
  JobNetwork network(std::move(descriptors.back()), os::Netlink(std::move(descriptors.front())));
  for (std::size_t i = 1; i + 1 < descriptors.size(); ++i) {
    network.service_sockets_.push_back(std::move(descriptors[i]));
  }
  RETURN_IF_ERROR(network.make_bridge(subnet));
  return network;
}

Status JobNetwork::make_bridge(const Subnet& subnet) {
  RETURN_IF_ERROR(links_.set_up(kLoopback));
  RETURN_IF_ERROR(links_.add_bridge(kBridgeName));
  Result<int> index = links_.link_index(kBridgeName);
  if (!index) return tl::unexpected<Error>(index.error());
  bridge_index_ = *index;
  return links_.add_address(bridge_index_, bridge_address(subnet), subnet.prefix_bits);
}

Status JobNetwork::connect(std::size_t index, pid_t process) {
  return links_.add_veth({.name = "ve" + std::to_string(index + 1),
                          .peer_name = std::string(kInterfaceName),
                          .peer_pid = process,
                          .bridge_index = bridge_index_});
}

Status JobNetwork::adopt(const std::string& name) {
  Result<int> index = links_.link_index(name);
  if (!index) return tl::unexpected<Error>(index.error());
  return links_.add_to_bridge(*index, bridge_index_);
}

}  // namespace evener::sandbox
