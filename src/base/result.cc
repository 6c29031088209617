#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace evener {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "InvalidArgument";
    case ErrorCode::kNotFound: return "NotFound";
    case ErrorCode::kAlreadyExists: return "AlreadyExists";
    case ErrorCode::kPermissionDenied: return "PermissionDenied";
    case ErrorCode::kLimitExceeded: return "LimitExceeded";
    case ErrorCode::kNoSpace: return "NoSpace";
    case ErrorCode::kUnavailable: return "Unavailable";
    case ErrorCode::kCorrupt: return "Corrupt";
    case ErrorCode::kCancelled: return "Cancelled";
    case ErrorCode::kTimedOut: return "TimedOut";
    case ErrorCode::kUnsupported: return "Unsupported";
    case ErrorCode::kIo: return "Io";
    case ErrorCode::kInternal: return "Internal";
  }
  return "Internal";
}

tl::unexpected<Error> failure(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

namespace {
ErrorCode code_of_errno(int value) {
  switch (value) {
    case ENOENT: case ENOTDIR: case ESRCH: case ENXIO: return ErrorCode::kNotFound;
    case EEXIST: case ENOTEMPTY: return ErrorCode::kAlreadyExists;
    case EACCES: case EPERM: case EROFS: return ErrorCode::kPermissionDenied;
    case ENOSPC: case EDQUOT: case ENOMEM: case EFBIG: return ErrorCode::kNoSpace;
    case EMFILE: case ENFILE: return ErrorCode::kLimitExceeded;
    case EAGAIN: case EBUSY: case EINTR: case ECONNREFUSED: case ECONNRESET: case EPIPE:
      return ErrorCode::kUnavailable;
    case EINVAL: case ENAMETOOLONG: case EISDIR: case ELOOP: return ErrorCode::kInvalidArgument;
    case ETIMEDOUT: return ErrorCode::kTimedOut;
    case ENOSYS: case EOPNOTSUPP: return ErrorCode::kUnsupported;
    case ECANCELED: return ErrorCode::kCancelled;
    default: return ErrorCode::kIo;
  }
}
}  // namespace

Error errno_error(int errno_value, std::string_view attempted) {
  return Error{code_of_errno(errno_value),
               std::string(attempted) + ": " + std::generic_category().message(errno_value)};
}

tl::unexpected<Error> errno_failure(int errno_value, std::string_view attempted) {
  return tl::unexpected<Error>(errno_error(errno_value, attempted));
}

tl::unexpected<Error> failure_in(std::string_view attempted, Error error) {
  error.message = std::string(attempted) + ": " + error.message;
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace evener
