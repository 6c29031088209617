#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace evener {
namespace {

constexpr ErrorCode kAllCodes[] = {
    ErrorCode::kInvalidArgument, ErrorCode::kNotFound, ErrorCode::kAlreadyExists,
    ErrorCode::kPermissionDenied, ErrorCode::kLimitExceeded, ErrorCode::kNoSpace,
    ErrorCode::kUnavailable, ErrorCode::kCorrupt, ErrorCode::kCancelled, ErrorCode::kTimedOut,
    ErrorCode::kUnsupported, ErrorCode::kIo, ErrorCode::kInternal};

Status fails() { return failure(ErrorCode::kCorrupt, "bad bytes"); }

Result<int> passes_on(bool fail) {
  if (fail) RETURN_IF_ERROR(fails());
  RETURN_IF_ERROR(ok());
  return 7;
}

TEST(Result, EachCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (ErrorCode code : kAllCodes) names.insert(to_string(code));
  EXPECT_EQ(names.size(), std::size(kAllCodes));
}

TEST(Result, ErrorsPassThroughFunctionsOfOtherTypes) {
  EXPECT_EQ(passes_on(false).value(), 7);
  EXPECT_EQ(passes_on(true).error(), (Error{ErrorCode::kCorrupt, "bad bytes"}));
}

TEST(Result, ErrnoKeepsItsMeaningAndSaysWhatWasTried) {
  EXPECT_EQ(errno_error(ENOSPC, "write /x").code, ErrorCode::kNoSpace);
  EXPECT_EQ(errno_error(ENOENT, "x").code, ErrorCode::kNotFound);
  EXPECT_EQ(errno_error(EACCES, "x").code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(errno_error(EEXIST, "x").code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(errno_error(EIO, "x").code, ErrorCode::kIo);
  EXPECT_EQ(errno_error(ENOSPC, "write /x").message, "write /x: No space left on device");
}

TEST(Result, PrefixKeepsTheCode) {
  const Status status = failure_in("read manifest", *std::make_unique<Error>(fails().error()));
  EXPECT_EQ(status.error(), (Error{ErrorCode::kCorrupt, "read manifest: bad bytes"}));
}

}  // namespace
}  // namespace evener
