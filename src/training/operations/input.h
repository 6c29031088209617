// What every operation does with its input, and the refusals that they share. Private to operations.
//
// Used by:  operations.
// Threads:  pure but for the Store that is passed in.
// Fails:    with AWS's text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/document.h"
#include "base/result.h"
#include "training/store/store.h"

namespace evener::operations {

// kInvalidArgument unless the input keeps the model's constraints on this operation.
Status check(std::string_view operation, const document::Value& input);

// "Requested resource not found.": clients know an unknown job by this text and its class.
tl::unexpected<Error> not_found();
tl::unexpected<Error> refused(std::string message);

// The job of that name, or not_found().
Result<jobs::TrainingJob> job_named(store::Store& store, std::string_view name);
// The job of an ARN of a training job, or not_found().
Result<jobs::TrainingJob> job_of_arn(store::Store& store, std::string_view arn);

std::int64_t integer_at(const document::Value& input, std::string_view name, std::int64_t otherwise);

// A number of seconds since 1970 in whole milliseconds, rounded down or up; far times are cut.
enum class Rounding { kDown, kUp };
std::optional<WallTime> time_at(const document::Value& input, std::string_view name, Rounding rounding);

// [{"Key":...,"Value":...}], in the order of keys.
document::Value tags_document(const std::map<std::string, std::string>& tags);

}  // namespace evener::operations
