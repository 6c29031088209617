// What a request says about its own signature, in the Authorization header or in the query.
//
// Used by:  sigv4, to verify.
// Threads:  values and pure functions.
// Fails:    with AWS's code on a signature that is incomplete or not of this form.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "http/http.h"
#include "http/sigv4/canonical.h"

namespace evener::http {

enum class Form { kHeader, kPresigned };

// Holds views into the request and into its own `query`: it is moved, not copied.
struct Authorization {
  Authorization() = default;
  Authorization(Authorization&&) = default;
  Authorization& operator=(Authorization&&) = default;

  Form form = Form::kHeader;
  std::string_view credential;             // the key's id, '/' and the scope
  std::string_view key_id;
  std::string_view scope;                  // as scope_text() makes it, of day, region, service
  std::string_view day;
  std::string_view region;
  std::string_view service;
  std::string_view date;                   // X-Amz-Date as sent
  WallTime signed_at{};
  std::chrono::seconds valid{0};           // kPresigned
  std::string_view security_token;
  std::string_view signed_names;           // "host;x-amz-date": in lower case, in order
  std::string signature;
  QueryPairs query;                        // without X-Amz-Signature
};

// The answer holds for as long as `request`. kPermissionDenied with the message beginning
// "MissingAuthenticationToken: " where there is no signature at all, else "IncompleteSignature: ".
Result<Authorization> read_authorization(const Request& request);

}  // namespace evener::http
