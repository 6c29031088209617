// AWS's error codes: their names and statuses in each protocol. Private to wire.
//
// Used by:  wire.
// Threads:  pure functions.
// Fails:    never.
// Source:   AWS's "Common errors" pages of the JSON and the query services.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace evener::wire {

struct AwsCode {
  std::string_view json;       // the name in JSON and CBOR
  int json_status = 400;
  std::string_view query;      // the name in the query form
  int query_status = 400;
};

struct AwsError {
  AwsCode code;
  std::string message;
};

// From the code that the message begins with, or from the error's class.
AwsError aws_error(const Error& error);

}  // namespace evener::wire
