#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"

namespace evener {
namespace {

class Log : public testing::Test {
 protected:
  ~Log() override { set_log_level(LogLevel::kWarning); }
  // What one call writes, without its time stamp.
  static std::string line_of(LogLevel level, std::string_view message,
                             std::initializer_list<LogField> fields) {
    testing::internal::CaptureStderr();
    log_line(level, "engine", message, fields);
    const std::string line = testing::internal::GetCapturedStderr();
    return line.substr(std::min(line.size(), std::size_t{25}));
  }
};

TEST_F(Log, FieldsFollowTheMessageAndOddValuesAreQuoted) {
  EXPECT_EQ(line_of(LogLevel::kWarning, "job ended",
                    {{"job", "a-1"}, {"why", "exit 1"}, {"none", ""}, {"eq", "a=b"}}),
            "W engine job ended job=a-1 why=\"exit 1\" none=\"\" eq=\"a=b\"\n");
}

TEST_F(Log, NothingInAFieldCanBreakTheLine) {
  EXPECT_EQ(line_of(LogLevel::kError, "x", {{"k", "a\n\"b\"\\\r\tc\x1b[2J"}}),
            "E engine x k=\"a\\n\\\"b\\\"\\\\\\r\\tc\\x1b[2J\"\n");
  EXPECT_EQ(line_of(LogLevel::kError, "x", {{"k", "a\\b"}}), "E engine x k=\"a\\\\b\"\n");
}

TEST_F(Log, NothingInAMessageCanBreakTheLine) {
  EXPECT_EQ(line_of(LogLevel::kError, "a\nb", {}), "E engine a\\nb\n");
}

TEST_F(Log, LinesBelowTheLevelAreDropped) {
  EXPECT_EQ(line_of(LogLevel::kInfo, "x", {}), "");
  set_log_level(LogLevel::kInfo);
  EXPECT_EQ(line_of(LogLevel::kInfo, "x", {}), "I engine x\n");
}

TEST_F(Log, TimeStampIsUtcWithMilliseconds) {
  testing::internal::CaptureStderr();
  log_line(LogLevel::kError, "engine", "x");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("20..-..-..T..:..:..\\....Z E engine x\n"));
}

TEST(CheckDeathTest, FailedCheckSaysWhereAndWhat) {
  EXPECT_DEATH(CHECK(1 + 1 == 3, "sums are right"), "log_test.cc.*CHECK failed.*sums are right");
}

}  // namespace
}  // namespace evener
