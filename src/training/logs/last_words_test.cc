#include "training/logs/last_words.h"

#include <gtest/gtest.h>

#include "training/logs/logs.h"

namespace evener::logs {
namespace {

std::string last_words(std::string_view printed) {
  LastWords words;
  for (const char byte : printed) words.add({&byte, 1});
  LastWords at_once;
  at_once.add(printed);
  EXPECT_EQ(words.text(), at_once.text());
  return at_once.text();
}

TEST(LastWords, AreTheLastLinesWithoutBlankOnesAround) {
  EXPECT_EQ(last_words(""), "");
  EXPECT_EQ(last_words("\n \n\n"), "");
  EXPECT_EQ(last_words("one\n\n  two\n\n"), "one\n\n  two");
  EXPECT_EQ(last_words("no newline"), "no newline");
}

TEST(LastWords, AreWholeLinesWhereTheyFit) {
  const std::string line(400, 'x');
  EXPECT_EQ(last_words("first " + line + "\nsecond " + line + "\n"), "second " + line);
}

TEST(LastWords, OfALongLineAreItsEndCutBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 10'000; ++i) line += "\xe6\xbc\xa2";
  const std::string text = last_words(line + "!\n");
  EXPECT_LE(text.size(), kLastWordsBytes);
  EXPECT_GE(text.size(), kLastWordsBytes - 3);
  EXPECT_TRUE(text.starts_with("\xe6\xbc\xa2"));
  EXPECT_TRUE(text.ends_with('!'));
}

TEST(LastWords, OfARedrawnLineAreTheLastDrawing) {
  EXPECT_EQ(last_words("start\n10%\r20%\r30%\r\nend\r\n"), "start\n30%\nend");
}

TEST(LastWords, AreValidText) { EXPECT_EQ(last_words("a\xff\n"), "a\xef\xbf\xbd"); }

}  // namespace
}  // namespace evener::logs
