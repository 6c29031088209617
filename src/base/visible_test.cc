#include "base/visible.h"

#include <gtest/gtest.h>

namespace evener {
namespace {

TEST(Visible, ControlCharactersAreWrittenAsInC) {
  std::string text;
  for (const char c : std::string_view("a\n\r\t\x1b[2J\x7f\0\xc3\xa4", 12)) append_visible(text, c);
  EXPECT_EQ(text, "a\\n\\r\\t\\x1b[2J\\x7f\\x00\xc3\xa4");
}

TEST(Visible, BytesThatAreNoAsciiAreToo) { EXPECT_EQ(visible_ascii("\xff" "b\n"), "\\xffb\\n"); }

}  // namespace
}  // namespace evener
