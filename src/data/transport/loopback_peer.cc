#include "data/transport/loopback_peer.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace evener::data::transport {
namespace {

// As /proc/net/tcp and tcp6 write an end: words of the address as they lie in memory, and the port.
std::string end_text(const sockaddr_storage& address) {
  std::array<std::uint32_t, 4> words{};
  std::size_t count = 1;
  std::uint16_t port = 0;
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    words[0] = v4.sin_addr.s_addr;
    port = ntohs(v4.sin_port);
  } else {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    count = words.size();
    std::memcpy(words.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    port = ntohs(v6.sin6_port);
  }
  std::string text;
  std::array<char, 16> part{};
  for (std::size_t i = 0; i < count; ++i) {
    std::snprintf(part.data(), part.size(), "%08X", words[i]);
    text += part.data();
  }
  std::snprintf(part.data(), part.size(), ":%04X", port);
  return text + part.data();
}

}  // namespace

bool loopback_peer_is_same_user(int socket) {
  sockaddr_storage ours{};
  sockaddr_storage theirs{};
  socklen_t size = sizeof ours;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &size) != 0) return false;
  size = sizeof theirs;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &size) != 0) return false;
  // Their line: local end, remote end, and in the fifth column behind those the user id.
  const std::string local = end_text(theirs);
  const std::string remote = end_text(ours);
  std::ifstream table(ours.ss_family == AF_INET ? "/proc/net/tcp" : "/proc/net/tcp6");
  std::string line;
  while (std::getline(table, line)) {
    if (line.find(local + " " + remote) == std::string::npos) continue;
    std::istringstream columns(line);
    std::string skipped;
    unsigned long user = 0;
    for (int i = 0; i < 7; ++i) columns >> skipped;      // sl, ends, st, queues, timer, retries
    return (columns >> user) && user == ::geteuid();
  }
  return false;
}

}  // namespace evener::data::transport
