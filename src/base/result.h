// Errors as values: Result<T> holds a T or an Error.
//
// Used by:  everything.
// Threads:  values; no shared state.
// Fails:    nothing here fails. An Error says what failed, on what, and what to try.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace evener {

// What kind of failure; the message carries the rest. to_string() spells each.
enum class ErrorCode {
  kInvalidArgument,   // the request is wrong; trying again is of no use
  kNotFound,
  kAlreadyExists,
  kPermissionDenied,
  kLimitExceeded,     // a stated limit or quota of Evener
  kNoSpace,           // disk or memory is full
  kUnavailable,       // may work later (busy, refused, peer gone)
  kCorrupt,           // stored bytes are not what was written
  kCancelled,         // asked to stop
  kTimedOut,
  kUnsupported,       // this machine or this version cannot do it
  kIo,                // the system refused for another reason
  kInternal,          // a third-party library failed in a way that has no better name
};

std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  bool operator==(const Error&) const = default;
};

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;
  Result(Base base) : Base(std::move(base)) {}  // NOLINT(google-explicit-constructor)
};

using Status = Result<void>;

inline Status ok() { return Status(); }

// For `return failure(ErrorCode::kNotFound, "...")` from any function that returns a Result.
tl::unexpected<Error> failure(ErrorCode code, std::string message);

// The error of `errno_value` with what was attempted: "open /x: No space left on device".
// ENOSPC, ENOENT, EEXIST, EACCES, ... get their own codes; the rest is kIo.
Error errno_error(int errno_value, std::string_view attempted);
tl::unexpected<Error> errno_failure(int errno_value, std::string_view attempted);

// Passes an error on with a prefix: "attempted: message".
tl::unexpected<Error> failure_in(std::string_view attempted, Error error);

}  // namespace evener

// Returns the error of a Status or Result from the enclosing function.
#define RETURN_IF_ERROR(expression)                                     \
  do {                                                                  \
    if (auto status_ = (expression); !status_.has_value())              \
      return ::tl::unexpected<::evener::Error>(std::move(status_.error())); \
  } while (false)
