#include "base/utf8.h"

#include <gtest/gtest.h>

namespace evener {
namespace {

const std::string kBad = "\xEF\xBF\xBD";

TEST(ValidUtf8, LeavesValidTextAlone) {
  for (const std::string text : {"", "plain", "\x7f", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
                                 "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
                                 "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "gr\xC3\xBC\xC3\x9F"})
    EXPECT_EQ(valid_utf8(text), text);
  const std::string with_nul("a\0b", 3);
  EXPECT_EQ(valid_utf8(with_nul), with_nul);
}

TEST(ValidUtf8, ReplacesOverlongForms) {
  EXPECT_EQ(valid_utf8("\xC0\xAF"), kBad + kBad);
  EXPECT_EQ(valid_utf8("\xC1\xBF"), kBad + kBad);
  EXPECT_EQ(valid_utf8("\xE0\x9F\xBF"), kBad + kBad + kBad);
  EXPECT_EQ(valid_utf8("\xF0\x8F\xBF\xBF"), kBad + kBad + kBad + kBad);
}

TEST(ValidUtf8, ReplacesSurrogatesAndCodePointsBeyondTheLast) {
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), kBad + kBad + kBad);
  EXPECT_EQ(valid_utf8("\xED\xBF\xBF"), kBad + kBad + kBad);
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), kBad + kBad + kBad + kBad);
  EXPECT_EQ(valid_utf8("\xF5\x80"), kBad + kBad);
  EXPECT_EQ(valid_utf8("\xFF\xFE"), kBad + kBad);
}

TEST(ValidUtf8, ReplacesATruncatedSequenceOnceAndGoesOnAfterIt) {
  EXPECT_EQ(valid_utf8("a\xC3"), "a" + kBad);
  EXPECT_EQ(valid_utf8("\xE2\x82" "b"), kBad + "b");
  EXPECT_EQ(valid_utf8("\xF0\x9F\x98"), kBad);
  EXPECT_EQ(valid_utf8("\xF0\x9F\xC3\xBC"), kBad + "\xC3\xBC");
  EXPECT_EQ(valid_utf8("\x80" "x\xBF"), kBad + "x" + kBad);
}

TEST(CutUtf8, NeverSplitsACharacter) {
  EXPECT_EQ(cut_utf8("abc", 3), "abc");
  EXPECT_EQ(cut_utf8("abcd", 3), "abc");
  EXPECT_EQ(cut_utf8("aé", 2), "a");
  EXPECT_EQ(cut_utf8("a😀b", 4), "a");
  EXPECT_EQ(cut_utf8("a😀b", 5), "a😀");
  EXPECT_EQ(cut_utf8("é", 0), "");
}

TEST(CutUtf8, CutsAtTheLimitWhereNothingIsACharacter) {
  EXPECT_EQ(cut_utf8(std::string(9, '\x80'), 8), std::string(8, '\x80'));
}

TEST(CountCharacters, CountsCodePoints) {
  EXPECT_EQ(count_characters(""), 0u);
  EXPECT_EQ(count_characters("\xc3\xa9\xf0\x9f\x98\x80x"), 3u);
}

}  // namespace
}  // namespace evener
