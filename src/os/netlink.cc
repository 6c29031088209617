#include "os/netlink.h"

#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace evener::os {
namespace {
constexpr std::size_t kMaxAnswerBytes = 32u << 10;
}

// One message: a header, a fixed part, and attributes that may nest.
class Netlink::Request {
 public:
  template <class Fixed>
  Request(std::uint16_t type, std::uint16_t flags, const Fixed& fixed) {
    nlmsghdr header{};
    header.nlmsg_type = type;
    header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
    append(&header, sizeof header);
    append(&fixed, sizeof fixed);
  }

  void attribute(std::uint16_t type, const void* data, std::size_t size) {
    rtattr head{};
    head.rta_type = type;
    head.rta_len = static_cast<std::uint16_t>(RTA_LENGTH(size));
    append(&head, sizeof head);
    append(data, size);
  }
  void attribute(std::uint16_t type, const std::string& text) {
    attribute(type, text.c_str(), text.size() + 1);
  }
  void attribute(std::uint16_t type, std::uint32_t value) {
    attribute(type, &value, sizeof value);
  }

  // What is added until end(begin(...)) lies inside the attribute.
  std::size_t begin(std::uint16_t type) {
    const std::size_t at = bytes_.size();
    attribute(type, nullptr, 0);
    return at;
  }
  void end(std::size_t at) {
    rtattr head{};
    std::memcpy(&head, &bytes_[at], sizeof head);
    head.rta_len = static_cast<std::uint16_t>(bytes_.size() - at);
    std::memcpy(&bytes_[at], &head, sizeof head);
  }

  // Padded to the alignment of netlink.
  void append(const void* data, std::size_t size) {
    const auto* from = static_cast<const char*>(data);
    if (size > 0) bytes_.insert(bytes_.end(), from, from + size);
    bytes_.resize(NLMSG_ALIGN(bytes_.size()));
  }

  const std::vector<char>& finish(std::uint32_t sequence) {
    nlmsghdr header{};
    std::memcpy(&header, bytes_.data(), sizeof header);
    header.nlmsg_len = static_cast<std::uint32_t>(bytes_.size());
    header.nlmsg_seq = sequence;
    std::memcpy(bytes_.data(), &header, sizeof header);
    return bytes_;
  }

 private:
  std::vector<char> bytes_;
};

std::string to_string(Ipv4 address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  const std::uint32_t network = htonl(address.value);
  inet_ntop(AF_INET, &network, text.data(), text.size());
  return text.data();
}

Result<Ipv4> parse_ipv4(const std::string& text) {
  std::uint32_t network = 0;
  if (inet_pton(AF_INET, text.c_str(), &network) != 1) {
    return failure(ErrorCode::kInvalidArgument, "not an IPv4 address: " + text);
  }
  return Ipv4{ntohl(network)};
}

Result<UniqueFd> Netlink::open_socket() {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!socket) return errno_failure(errno, "open a netlink socket");
  return socket;
}

Result<Netlink> Netlink::open() {
  Result<UniqueFd> socket = open_socket();
  if (!socket) return tl::unexpected<Error>(socket.error());
  return Netlink(std::move(*socket));
}

Status Netlink::send(Request& request, std::string_view what) {
  const std::uint32_t sequence = ++sequence_;
  const std::vector<char>& bytes = request.finish(sequence);
  if (::send(socket_.get(), bytes.data(), bytes.size(), 0) < 0) return errno_failure(errno, what);
  std::vector<char> answer(kMaxAnswerBytes);
  while (true) {
    const ssize_t size = ::recv(socket_.get(), answer.data(), answer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno_failure(errno, what);
    nlmsghdr header{};
    if (static_cast<std::size_t>(size) < sizeof header + sizeof(nlmsgerr)) continue;
    std::memcpy(&header, answer.data(), sizeof header);
    if (header.nlmsg_seq != sequence || header.nlmsg_type != NLMSG_ERROR) continue;
    nlmsgerr error{};
    std::memcpy(&error, answer.data() + NLMSG_HDRLEN, sizeof error);
    if (error.error != 0) return errno_failure(-error.error, what);
    return ok();
  }
}

Result<int> Netlink::link_index(const std::string& name) {
  // SIOCGIFINDEX needs no parsing, and the socket's own namespace decides.
  ifreq request{};
  if (name.size() >= sizeof request.ifr_name) {
    return failure(ErrorCode::kInvalidArgument, "link name too long: " + name);
  }
  std::memcpy(request.ifr_name, name.c_str(), name.size() + 1);
  if (::ioctl(socket_.get(), SIOCGIFINDEX, &request) != 0) {
    return errno_failure(errno, "find link " + name);
  }
  return request.ifr_ifindex;
}

Status Netlink::add_bridge(const std::string& name) {
  ifinfomsg link{};
  link.ifi_flags = IFF_UP;
  link.ifi_change = IFF_UP;
  Request request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, link);
  request.attribute(IFLA_IFNAME, name);
  const std::size_t kind = request.begin(IFLA_LINKINFO);
  request.attribute(IFLA_INFO_KIND, std::string("bridge"));
  request.end(kind);
  return send(request, "add bridge " + name);
}

Status Netlink::add_veth(const Veth& veth) {
  ifinfomsg link{};
  link.ifi_flags = IFF_UP;
  link.ifi_change = IFF_UP;
  Request request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, link);
  request.attribute(IFLA_IFNAME, veth.name);
  request.attribute(IFLA_MASTER, static_cast<std::uint32_t>(veth.bridge_index));
  const std::size_t kind = request.begin(IFLA_LINKINFO);
  request.attribute(IFLA_INFO_KIND, std::string("veth"));
  const std::size_t data = request.begin(IFLA_INFO_DATA);
  const std::size_t peer = request.begin(VETH_INFO_PEER);
  const ifinfomsg peer_link{};
  request.append(&peer_link, sizeof peer_link);
  request.attribute(IFLA_IFNAME, veth.peer_name);
  request.attribute(IFLA_NET_NS_PID, static_cast<std::uint32_t>(veth.peer_pid));
  request.end(peer);
  request.end(data);
  request.end(kind);
  return send(request, "add veth " + veth.name);
}

Status Netlink::set_up(int index) {
  ifinfomsg link{};
  link.ifi_index = index;
  link.ifi_flags = IFF_UP;
  link.ifi_change = IFF_UP;
  Request request(RTM_NEWLINK, 0, link);
  return send(request, "set link " + std::to_string(index) + " up");
}

Status Netlink::add_to_bridge(int index, int bridge_index) {
  ifinfomsg link{};
  link.ifi_index = index;
  link.ifi_flags = IFF_UP;
  link.ifi_change = IFF_UP;
  Request request(RTM_NEWLINK, 0, link);
  request.attribute(IFLA_MASTER, static_cast<std::uint32_t>(bridge_index));
  return send(request, "add link " + std::to_string(index) + " to the bridge");
}

Status Netlink::add_address(int index, Ipv4 address, int prefix_bits) {
  ifaddrmsg message{};
  message.ifa_family = AF_INET;
  message.ifa_prefixlen = static_cast<std::uint8_t>(prefix_bits);
  message.ifa_index = static_cast<std::uint32_t>(index);
  Request request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, message);
  request.attribute(IFA_LOCAL, htonl(address.value));
  request.attribute(IFA_ADDRESS, htonl(address.value));
  return send(request, "add address " + to_string(address));
}

Status Netlink::add_default_route(Ipv4 gateway) {
  rtmsg route{};
  route.rtm_family = AF_INET;
  route.rtm_table = RT_TABLE_MAIN;
  route.rtm_protocol = RTPROT_BOOT;
  route.rtm_scope = RT_SCOPE_UNIVERSE;
  route.rtm_type = RTN_UNICAST;
  Request request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, route);
  request.attribute(RTA_GATEWAY, htonl(gateway.value));
  return send(request, "add default route through " + to_string(gateway));
}

}  // namespace evener::os
