#include "http/http.h"

#include <gtest/gtest.h>

namespace evener::http {
namespace {

TEST(Headers, AreFoundWhateverTheCaseOfTheirName) {
  const Headers headers{{"Content-Type", "a"}, {"content-type", "b"}};
  EXPECT_EQ(headers.find("CONTENT-TYPE"), "a");
  EXPECT_EQ(headers.find("Content-Typ"), std::nullopt);
  EXPECT_EQ(headers.find(""), std::nullopt);
}

TEST(Headers, SetReplacesAllOfThatName) {
  Headers headers{{"A", "1"}, {"B", "2"}, {"a", "3"}};
  headers.set("a", "4");
  EXPECT_EQ(headers, (Headers{{"B", "2"}, {"a", "4"}}));
  headers.add("A", "5");
  headers.remove("A");
  EXPECT_EQ(headers, (Headers{{"B", "2"}}));
}

TEST(PercentEncoding, KeepsWhatIsUnreservedAndEncodesTheRest) {
  EXPECT_EQ(percent_encode("aZ09-._~", Slash::kEncoded), "aZ09-._~");
  EXPECT_EQ(percent_encode("a b/c+\xC3\xA9%", Slash::kEncoded), "a%20b%2Fc%2B%C3%A9%25");
  EXPECT_EQ(percent_encode("a b/c", Slash::kKept), "a%20b/c");
}

TEST(PercentEncoding, DecodingGivesEveryByteBack) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  EXPECT_EQ(percent_decode(percent_encode(bytes, Slash::kKept)), bytes);
  EXPECT_EQ(percent_decode(percent_encode(bytes, Slash::kEncoded)), bytes);
}

TEST(PercentEncoding, ABrokenEscapeStaysAsItIs) {
  EXPECT_EQ(percent_decode("%"), "%");
  EXPECT_EQ(percent_decode("%4"), "%4");
  EXPECT_EQ(percent_decode("%zz%41+%4"), "%zzA+%4");
}

}  // namespace
}  // namespace evener::http
