#include "base/byte_size.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/ids.h"

namespace evener {
namespace {

using std::chrono::milliseconds;

TEST(ByteSize, IsWrittenWithAtMostOneDecimal) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes((1ull << 20) - 1), "1.0 MiB") << "not 1024.0 KiB";
  EXPECT_EQ(format_bytes(3ull << 30), "3.0 GiB");
  EXPECT_EQ(format_bytes(~0ull), "16384.0 PiB");
}

TEST(ByteSize, IsReadInEveryCommonSpelling) {
  for (const char* text : {"1536", "1536B", "1536b", "1.5k", "1.5K", "1.5KB", "1.5KiB", "1.5kib",
                           "1.5 KiB"})
    EXPECT_EQ(parse_bytes(text).value_or(0), 1536u) << text;
  EXPECT_EQ(parse_bytes("2G").value(), 2ull << 30);
  EXPECT_EQ(parse_bytes("0").value(), 0u);
}

TEST(ByteSize, WholeByteCountsAreReadExactly) {
  for (const std::uint64_t bytes : {(1ull << 53) + 1, 9'000'000'000'000'000'001ull})
    EXPECT_EQ(parse_bytes(std::to_string(bytes)).value(), bytes);
}

TEST(ByteSize, WhatIsNoSizeIsRefusedAndQuoted) {
  for (const char* text : {"", "x", "-1", "1.5X", "1KiBs", "1K2", "nan", "inf", "9e99", " 5",
                           "99999999999999999999", "1 ", "1  K"}) {
    const auto parsed = parse_bytes(text);
    ASSERT_FALSE(parsed) << text << " gave " << *parsed;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(parsed.error().message.find("'" + std::string(text) + "'"), std::string::npos);
  }
}

TEST(ByteSize, WhatIsWrittenIsReadBackWithinItsDecimal) {
  SeededRandom random(20'240'601);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bytes = random.next() >> (random.below(50) + 11);
    const std::string text = format_bytes(bytes);
    const auto parsed = parse_bytes(text);
    ASSERT_TRUE(parsed) << text;
    const double wrong = std::abs(static_cast<double>(*parsed) - static_cast<double>(bytes));
    EXPECT_LE(wrong, 0.06 * static_cast<double>(bytes)) << text << " of " << bytes;
  }
}

TEST(Duration, IsWrittenInTheUnitThatFits) {
  EXPECT_EQ(format_duration(milliseconds(0)), "0 ms");
  EXPECT_EQ(format_duration(milliseconds(350)), "350 ms");
  EXPECT_EQ(format_duration(milliseconds(12'300)), "12.3 s");
  EXPECT_EQ(format_duration(milliseconds(59'999)), "1 min 00 s") << "not 60.0 s";
  EXPECT_EQ(format_duration(milliseconds(245'000)), "4 min 05 s");
  EXPECT_EQ(format_duration(milliseconds(7'380'000)), "2 h 03 min");
}

TEST(Duration, IsReadAloneAndInSums) {
  EXPECT_EQ(parse_duration("90").value().count(), 90);
  EXPECT_EQ(parse_duration("90s").value().count(), 90);
  EXPECT_EQ(parse_duration("15m").value().count(), 900);
  EXPECT_EQ(parse_duration("15min").value().count(), 900);
  EXPECT_EQ(parse_duration("1h30m").value().count(), 5400);
  EXPECT_EQ(parse_duration("1d").value().count(), 86'400);
  EXPECT_EQ(parse_duration("1.5h").value().count(), 5400);
}

TEST(Duration, WhatIsNoDurationIsRefused) {
  for (const char* text : {"", "h", "-1s", "1w", "1h 30m", "1h-30m", "1e3", "99999999999999d"})
    EXPECT_EQ(parse_duration(text).error().code, ErrorCode::kInvalidArgument) << text;
}

}  // namespace
}  // namespace evener
