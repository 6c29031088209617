// What a request says about its own signature, in the Authorization header or in the query.
//
// Used by:  sigv4, to verify.
// Threads:  values and pure functions.
// Fails:    with AWS's code on a signature that is incomplete or not of this form.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/http.h"
#include "http/sigv4/canonical.h"

namespace evener::http {

enum class Form { kHeader, kPresigned };

struct Authorization {
  Form form = Form::kHeader;
  std::string key_id;
  std::string day;                         // of the credential's scope
  SigningScope scope;
  std::string date;                        // X-Amz-Date as sent
  WallTime signed_at{};
  std::chrono::seconds valid{0};           // kPresigned
  std::string security_token;
  std::vector<std::string> signed_names;   // in lower case, in order
  std::string signature;
  QueryPairs query;                        // without X-Amz-Signature
};

// kPermissionDenied with the message beginning "MissingAuthenticationToken: " where there is no
// signature at all, else "IncompleteSignature: ".
Result<Authorization> read_authorization(const Request& request);

}  // namespace evener::http
