#include "data/transport/endpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>

namespace evener::data::transport {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::size_t kMaxNameBytes = 100;               // sun_path has 108

tl::unexpected<Error> wrong(std::string_view text) {
  return failure(ErrorCode::kInvalidArgument, "address '" + std::string(text) +
                                                  "': the form is host:port, [::1]:port or unix:name");
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  Endpoint endpoint;
  if (text.starts_with(kUnixPrefix)) {
    endpoint.kind = Endpoint::Kind::kUnix;
    endpoint.host = text.substr(kUnixPrefix.size());
    if (endpoint.host.empty() || endpoint.host.size() > kMaxNameBytes) return wrong(text);
    return endpoint;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong(text);
  std::string_view host = text.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos) return wrong(text);
  const std::string_view port = text.substr(colon + 1);
  const auto read = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
  if (host.empty() || read.ec != std::errc() || read.ptr != port.data() + port.size() ||
      endpoint.port == 0)
    return wrong(text);
  endpoint.host = host;
  return endpoint;
}

std::string to_string(const Endpoint& endpoint) {
  if (endpoint.kind == Endpoint::Kind::kUnix) return std::string(kUnixPrefix) + endpoint.host;
  const bool brackets = endpoint.host.find(':') != std::string::npos;
  return (brackets ? "[" + endpoint.host + "]" : endpoint.host) + ":" +
         std::to_string(endpoint.port);
}

Result<std::string> host_identity() {
  constexpr const char* kBoot = "/proc/sys/kernel/random/boot_id";
  constexpr const char* kNetwork = "/proc/self/ns/net";
  std::string boot;
  std::ifstream file(kBoot);
  if (!std::getline(file, boot) || boot.empty())
    return failure(ErrorCode::kIo, "read " + std::string(kBoot));
  struct stat network {};
  if (::stat(kNetwork, &network) != 0) return errno_failure(errno, kNetwork);
  return boot + "-" + std::to_string(network.st_ino);
}

}  // namespace evener::data::transport
