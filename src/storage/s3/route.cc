#include "storage/s3/route.h"

#include <algorithm>

#include "http/http.h"

namespace evener::storage {
namespace {

// "https://host:8080/x" -> "https", "host:8080".
struct Address {
  std::string scheme;
  std::string host;
};

std::optional<Address> parse_address(std::string_view text) {
  const auto colon = text.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  Address address{.scheme = std::string(text.substr(0, colon)), .host = {}};
  if (address.scheme != "http" && address.scheme != "https") return std::nullopt;
  const std::string_view rest = text.substr(colon + 3);
  address.host = rest.substr(0, rest.find_first_of("/?#"));
  const bool sound = std::ranges::all_of(address.host, [](char c) {
    return c > ' ' && c < '\x7f' && c != '@' && c != '\\';
  });
  if (!sound || address.host.empty()) return std::nullopt;
  return address;
}

// Clients leave the port out of Host where it is the scheme's own; a signature covers it.
std::string host_header(const Address& address) {
  const std::string_view usual = address.scheme == "https" ? ":443" : ":80";
  std::string host = address.host;
  if (host.ends_with(usual)) host.resize(host.size() - usual.size());
  return host;
}

Route make_route(const Address& address, const std::string& bucket, Addressing addressing,
                 std::string region) {
  Address target = address;
  std::string start = "/";
  if (addressing == Addressing::kVirtual) {
    target.host = bucket + "." + target.host;
  } else {
    start += http::percent_encode(bucket, http::Slash::kEncoded) + "/";
  }
  return {.origin = target.scheme + "://" + target.host,
          .host = host_header(target),
          .path_start = std::move(start),
          .region = std::move(region)};
}

bool fits_a_certificate(const std::string& bucket) {
  return bucket.find('.') == std::string::npos;
}

}  // namespace

Result<Route> route_to(const S3Access& access, const std::string& bucket,
                       const std::string& region) {
  if (access.endpoint.empty()) {
    const std::string domain = region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com";
    const Address aws{.scheme = "https", .host = "s3." + region + domain};
    return make_route(aws, bucket,
                      fits_a_certificate(bucket) ? Addressing::kVirtual : Addressing::kPath, region);
  }
  const auto address = parse_address(access.endpoint);
  if (!address) {
    return failure(ErrorCode::kInvalidArgument,
                   "the S3 endpoint '" + access.endpoint +
                       "' is not an address such as http://127.0.0.1:8333");
  }
  return make_route(*address, bucket, access.addressing, region);
}

std::optional<Route> redirected(const Route& from, const std::string& bucket,
                                std::string_view location, std::string_view endpoint) {
  const std::string scheme = from.origin.substr(0, from.origin.find(':'));
  auto address = parse_address(location);
  if (!address) address = parse_address(scheme + "://" + std::string(endpoint));
  if (!address || (scheme == "https" && address->scheme != "https")) return std::nullopt;
  if (address->host.starts_with(bucket + ".")) {
    address->host.erase(0, bucket.size() + 1);
    return make_route(*address, bucket, Addressing::kVirtual, from.region);
  }
  return make_route(*address, bucket, Addressing::kPath, from.region);
}

}  // namespace evener::storage
