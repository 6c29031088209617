// Whether a request can come from a web page. Private to front.
//
// Used by:  front.
// Threads:  pure functions.
// Fails:    check_origin() with kPermissionDenied, in words for whoever sees them in a browser.
// Source:   RFC 9110 (Host), the Fetch standard (Origin, Sec-Fetch-Site).
#pragma once

#include <string_view>

#include "base/result.h"
#include "control_plane/front/front.h"
#include "http/http.h"

namespace evener::control_plane {

// "[::1]:8080" and "localhost:80" without their port; "" where it is malformed.
std::string_view host_without_port(std::string_view host);
Status check_origin(const http::Request& request, const FrontOptions& options);

}  // namespace evener::control_plane
