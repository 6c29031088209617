// NextToken: where a page ended, as opaque text that is good for the same request alone. Private to
// operations.
//
// Used by:  operations.
// Threads:  pure functions.
// Fails:    kInvalidArgument for a token that was not given out for this request.
#pragma once

#include <string>

#include "base/document.h"
#include "base/result.h"
#include "training/jobs/jobs.h"

namespace evener::operations {

// `input` is the request; its NextToken and MaxResults do not count.
std::string token_of(const jobs::PageKey& key, const document::Value& input);
Result<jobs::PageKey> key_in(std::string_view token, const document::Value& input);

}  // namespace evener::operations
