// A request that asks for encryption by a key service, as one that does not.
//
// Used by:  relay.
// Threads:  pure functions.
// Fails:    head_without_key_service() when the request is not what it was signed to be: the server
//           behind shall say so.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/http.h"
#include "http/sigv4/sigv4.h"

namespace evener::storage {

bool asks_for_key_service(const http::Request& request);

// Whether it says so; head_without_key_service() finds out. A body of anybody else is not waited for.
bool says_it_is_of(const http::Request& request, const std::vector<http::AccessKey>& keys);

// The head for a whole request, signed with the key it came with, as bytes for the server; the body
// stays as it is.
Result<std::string> head_without_key_service(const http::Request& request,
                                             const std::vector<http::AccessKey>& keys,
                                             const http::Verifier& verifier, WallTime now);

}  // namespace evener::storage
