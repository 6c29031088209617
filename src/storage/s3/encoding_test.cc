#include "storage/s3/encoding.h"

#include <gtest/gtest.h>

#include "http/http.h"

namespace evener::storage {
namespace {

std::string base64_of(std::string_view text) {
  return base64(std::as_bytes(std::span(text.data(), text.size())));
}

TEST(Encoding, OnlyUnreservedCharactersStay) {
  EXPECT_EQ(http::percent_encode("aZ0-._~ /+\xff", http::Slash::kKept), "aZ0-._~%20/%2B%FF");
  EXPECT_EQ(http::percent_encode("a/b", http::Slash::kEncoded), "a%2Fb");
}

TEST(Encoding, DecodingUndoesItAndRefusesBadEscapes) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(uri_decode(http::percent_encode(all, http::Slash::kEncoded)), all);
  EXPECT_EQ(uri_decode("a+b"), "a b");
  for (const char* text : {"%", "%1", "%zz", "a%2"}) EXPECT_FALSE(uri_decode(text)) << text;
}

TEST(Encoding, Base64IsPadded) {
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_of("\xff\xfe\xfd"), "//79");
}

TEST(Encoding, HexAndBack) {
  EXPECT_EQ(from_hex("00ff10").value(), std::string("\x00\xff\x10", 3));
  EXPECT_FALSE(from_hex("0"));
  EXPECT_FALSE(from_hex("0g"));
}

}  // namespace
}  // namespace evener::storage
