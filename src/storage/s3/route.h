// Which host a bucket's requests go to.
//
// Used by:  requests.
// Threads:  pure functions.
// Fails:    kInvalidArgument on an endpoint that is no http:// or https:// address.
#pragma once

#include <string>
#include <string_view>

#include "storage/s3/s3.h"

namespace evener::storage {

struct Route {
  std::string origin;        // "https://bucket.s3.eu-central-1.amazonaws.com"
  std::string host;          // the Host header
  std::string path_start;    // "/" or "/bucket/"
  std::string region;
};
Result<Route> route_to(const S3Access& access, const std::string& bucket,
                       const std::string& region);

// The route that a redirect names: `location` is a URL, `endpoint` a host. Nothing when neither
// helps, or when it would leave TLS.
std::optional<Route> redirected(const Route& from, const std::string& bucket,
                                std::string_view location, std::string_view endpoint);

}  // namespace evener::storage
