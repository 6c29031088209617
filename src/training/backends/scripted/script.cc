#include "training/backends/scripted/script.h"

#include <charconv>

namespace evener::backends {
namespace {

Status read_number(const jobs::JobSpec& spec, const std::string& name, std::int64_t& value) {
  const auto found = spec.hyperparameters.find("script_" + name);
  if (found == spec.hyperparameters.end()) return ok();
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return failure(ErrorCode::kInvalidArgument, "script_" + name + " is not a number: " + text);
  return ok();
}

Status read_millis(const jobs::JobSpec& spec, const std::string& name,
                   std::chrono::milliseconds& value) {
  std::int64_t millis = value.count();
  RETURN_IF_ERROR(read_number(spec, name, millis));
  value = std::chrono::milliseconds(millis);
  return ok();
}

std::string text_or_empty(const jobs::JobSpec& spec, const std::string& name) {
  const auto found = spec.hyperparameters.find(name);
  return found == spec.hyperparameters.end() ? "" : found->second;
}

}  // namespace

Result<Script> script_of(const jobs::JobSpec& spec) {
  Script script;
  RETURN_IF_ERROR(read_millis(spec, "staging_ms", script.staging));
  RETURN_IF_ERROR(read_millis(spec, "run_for_ms", script.run_for));
  RETURN_IF_ERROR(read_millis(spec, "uploading_ms", script.uploading));
  RETURN_IF_ERROR(read_millis(spec, "crash_after_ms", script.crash_after));
  std::int64_t exit_code = 0;
  std::int64_t ignore_sigterm = 0;
  RETURN_IF_ERROR(read_number(spec, "exit_code", exit_code));
  RETURN_IF_ERROR(read_number(spec, "ignore_sigterm", ignore_sigterm));
  script.exit_code = static_cast<int>(exit_code & 0xff);
  script.ignore_sigterm = ignore_sigterm != 0;
  script.fail_host = text_or_empty(spec, "script_fail_host");
  script.start_error = text_or_empty(spec, "script_start_error");
  return script;
}

}  // namespace evener::backends
