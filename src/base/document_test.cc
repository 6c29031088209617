#include "base/document.h"

namespace evener::document {
namespace {

std::string error_of(std::string_view json) {
  const Result<Value> value = read(json);
  return value ? "no error" : value.error().message;
}

TEST(Document, KeepsMembersInOrderAndNumbersAsWritten) {
  const std::string text = R"({"b":[1,2.50,-3],"a":{"x":true,"y":"\"q\" \u00e9"},"big":1e3})";
  const Result<Value> value = read(text);
  ASSERT_TRUE(value);
  EXPECT_EQ(write(*value),
            R"({"b":[1,2.50,-3],"a":{"x":true,"y":"\"q\" é"},"big":1e3})");
}

TEST(Document, LeavesMembersOutThatAreNull) {
  EXPECT_EQ(write(*read(R"({"a":null,"b":[null]})")), R"({"b":[null]})");
}

TEST(Document, NamesLineColumnAndWhatWasExpected) {
  EXPECT_EQ(error_of("{\n  \"a\": 1,\n  }"),
            "the body is not valid JSON: line 3, column 3: syntax error while parsing object key - "
            "unexpected '}'; expected string literal");
  EXPECT_NE(error_of("").find("line 1, column 1"), std::string::npos) << error_of("");
  EXPECT_NE(error_of("{\"a\": NaN}").find("line 1, column 7"), std::string::npos);
  EXPECT_NE(error_of("{\"a\": 1e999}").find("line 1, column 11"), std::string::npos)
      << error_of("{\"a\": 1e999}");
  EXPECT_NE(error_of("{} x").find("expected end of input"), std::string::npos);
}

TEST(Document, RefusesInvalidUtf8WithAPrintableMessage) {
  const std::string error = error_of("{\"a\": \"\xff\"}");
  EXPECT_NE(error.find("UTF-8"), std::string::npos) << error;
  for (const char c : error) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
}

TEST(Document, RefusesMembersGivenTwice) {
  EXPECT_EQ(error_of(R"({"a":{"b":1,"c":2,"b":3}})"), "the member \"b\" is given twice in a");
  EXPECT_EQ(error_of(R"({"a":1,"a":2})"), "the member \"a\" is given twice");
}

TEST(Document, RefusesDepthBombsLongBodiesAndNul) {
  EXPECT_NE(error_of(std::string(100'000, '[')).find("32 levels"), std::string::npos);
  EXPECT_NE(error_of(std::string(kLimitBytes + 1, ' ')).find("1 MiB"), std::string::npos);
  EXPECT_NE(error_of("[\"a\\u0000b\"]").find("NUL"), std::string::npos);
}

TEST(Document, AWideTextIsRefusedForItsValues) {
  const auto read_of = [](std::size_t values) {
    std::string text = "[1";
    for (std::size_t i = 2; i < values; ++i) text += ",1";   // the list is a value, too
    return read(text + "]");
  };
  EXPECT_TRUE(read_of(kValueLimit));
  const auto wide = read_of(kValueLimit + 1);
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().message, "the body holds more than 20000 values");
  EXPECT_TRUE(read("[1,2]", {.values = 3}));
  EXPECT_FALSE(read("[1,2]", {.values = 2}));
}

TEST(Document, WhatItHoldsInMemoryIsCounted) {
  EXPECT_GE(held_bytes(*read(R"({"a":["xx",1]})")), 4 * sizeof(Value) + 3);
  EXPECT_LT(held_bytes(Value{}), 200u);
}

TEST(Document, TakesManyMembersInReasonableTime) {
  std::string text = "{";
  for (int i = 0; i < 60'000; ++i) text += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":1";
  EXPECT_EQ(read(text + "}", {.values = 100'000})->members.size(), 60'000u);
}

TEST(Document, WritesNumbersSoThatTheyReadTheSame) {
  for (const double number : {0.25, 1e20, -2.2250738585072014e-308, 0.1, 3.0}) {
    const Value value = make_number(number);
    EXPECT_EQ(std::stod(value.text), number);
    EXPECT_TRUE(read(write(value)).has_value()) << value.text;
  }
}

TEST(Document, WritesTimesInSecondsWithMilliseconds) {
  EXPECT_EQ(make_seconds(1796033472345).text, "1796033472.345");
  EXPECT_EQ(make_seconds(5).text, "0.005");
}

}  // namespace
}  // namespace evener::document
