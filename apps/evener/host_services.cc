#include "evener/host_services.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace evener::app {
namespace {

// An address that stands for all of the machine's.
std::string connectable(const std::string& address) {
  if (address == "0.0.0.0") return "127.0.0.1";
  return address == "::" ? "::1" : address;
}

// Of "http://127.0.0.1:8333/"; none where other machines could be meant, or no port is named.
std::optional<ListenAddress> local_address(std::string url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return std::nullopt;
  url.erase(0, scheme + 3);
  url.erase(std::min(url.find('/'), url.size()));
  auto address = parse_listen_address(url);
  if (!address || !address->loopback || address->port == 0) return std::nullopt;
  return std::move(*address);
}

}  // namespace

std::vector<sandbox::HostService> host_services(const ListenAddress& listening,
                                                const std::string& s3_endpoint) {
  std::vector<sandbox::HostService> services{
      {listening.port, connectable(listening.address), listening.port}};
  const auto objects = local_address(s3_endpoint);
  if (objects && objects->port != listening.port)
    services.push_back({objects->port, objects->address, objects->port});
  return services;
}

}  // namespace evener::app
