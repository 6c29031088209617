#include "control_plane/front/origin.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

namespace evener::control_plane {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

enum class Address { kNone, kLoopback, kOther };

Address address_kind(std::string_view host) {
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string text(bracketed ? host.substr(1, host.size() - 2) : host);
  in6_addr six{};
  if (bracketed) {
    if (::inet_pton(AF_INET6, text.c_str(), &six) != 1) return Address::kNone;
    return IN6_IS_ADDR_LOOPBACK(&six) ? Address::kLoopback : Address::kOther;
  }
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) != 1) return Address::kNone;
  return ntohl(four.s_addr) >> 24 == 127 ? Address::kLoopback : Address::kOther;
}

bool allowed_host(std::string_view header, const FrontOptions& options) {
  const std::string_view host = host_without_port(header);
  if (host.empty()) return false;
  const Address address = address_kind(host);
  if (address == Address::kLoopback) return true;
  if (address == Address::kOther) return options.addresses == HostAddresses::kAny;
  return std::ranges::any_of(options.host_names,
                             [&](const std::string& name) { return http::same_name(name, host); });
}

}  // namespace

std::string_view host_without_port(std::string_view host) {
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  if (bracket == std::string_view::npos) return "";
  const std::size_t colon = host.find(':', bracket);
  if (colon == std::string_view::npos) return host;
  return all_digits(host.substr(colon + 1)) ? host.substr(0, colon) : std::string_view();
}

Status check_origin(const http::Request& request, const FrontOptions& options) {
  const auto host = request.headers.find("host");
  if (!host || !allowed_host(*host, options))
    return failure(ErrorCode::kPermissionDenied,
                   "AccessDeniedException: this server does not answer to the name in the Host "
                   "header; start it with --host-name NAME if the name is yours");
  if (request.headers.find("origin"))
    return failure(ErrorCode::kPermissionDenied,
                   "AccessDeniedException: requests of web pages are refused");
  const auto site = request.headers.find("sec-fetch-site");
  if (site && *site != "none" && *site != "same-origin")
    return failure(ErrorCode::kPermissionDenied,
                   "AccessDeniedException: requests of web pages are refused");
  return ok();
}

}  // namespace evener::control_plane
