#include "training/operations/input.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/ids.h"
#include "service_model/service_model.h"

namespace evener::operations {
namespace {

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

Status check(std::string_view operation, const document::Value& input) {
  return service_model::check_input(service_model::Service::kSageMaker, operation, input);
}

tl::unexpected<Error> refused(std::string message) {
  return failure(ErrorCode::kInvalidArgument, std::move(message));
}

tl::unexpected<Error> not_found() { return refused("Requested resource not found."); }

Result<jobs::TrainingJob> job_named(store::Store& store, std::string_view name) {
  auto job = store.find(std::string(name));
  if (!job && job.error().code == ErrorCode::kNotFound) return not_found();
  return job;
}

Result<jobs::TrainingJob> job_of_arn(store::Store& store, std::string_view arn) {
  constexpr std::string_view kKind = ":training-job/";
  const std::size_t at = arn.find(kKind);
  if (at == std::string_view::npos) return not_found();
  auto job = job_named(store, arn.substr(at + kKind.size()));
  if (job && in_lower_case(job->arn) != in_lower_case(arn)) return not_found();
  return job;
}

std::int64_t integer_at(const document::Value& input, std::string_view name,
                        std::int64_t otherwise) {
  const document::Value* found = input.find(name);
  return found != nullptr ? found->integer : otherwise;
}

std::optional<WallTime> time_at(const document::Value& input, std::string_view name,
                                Rounding rounding) {
  const document::Value* found = input.find(name);
  if (found == nullptr) return std::nullopt;
  constexpr double kFarthest = 9e15;  // milliseconds: all whole numbers up to here are doubles
  double seconds = static_cast<double>(found->integer);
  if (found->kind == document::Kind::kNumber) {
    const std::string& text = found->text;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (read.ec == std::errc::result_out_of_range)  // 1e999 or 1e-999
      seconds = text.find("e-") != std::string::npos ? 0 : kFarthest;
    if (text.starts_with('-') && seconds > 0) seconds = -seconds;
  }
  const double millis = std::clamp(seconds * 1000, -kFarthest, kFarthest);
  // What a fraction of a millisecond is off by is the double's own.
  const double near = std::round(millis);
  constexpr double kSame = 1e-3;
  if (std::abs(millis - near) < kSame) return from_millis(static_cast<std::int64_t>(near));
  return from_millis(static_cast<std::int64_t>(rounding == Rounding::kDown ? std::floor(millis)
                                                                           : std::ceil(millis)));
}

document::Value tags_document(const std::map<std::string, std::string>& tags) {
  document::Value list = document::make_list({});
  for (const auto& [key, value] : tags) {
    document::Value tag = document::make_object();
    tag.set("Key", document::make_string(key));
    tag.set("Value", document::make_string(value));
    list.items.push_back(std::move(tag));
  }
  return list;
}

}  // namespace evener::operations
