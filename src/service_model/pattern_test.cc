#include "service_model/pattern.h"

#include <string>

namespace evener::service_model {
namespace {

constexpr std::string_view kName = "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}";

TEST(Pattern, MatchesTheWholeText) {
  struct Case {
    std::string_view pattern, text;
    bool expected;
  };
  const Case cases[] = {
      {kName, "a", true},
      {kName, "het-2026-11--30", true},
      {kName, "-a", false},
      {kName, "a-", false},
      {kName, "a_b", false},
      {kName, "", false},
      {"[A-Za-z0-9\\.\\-_]+", "a.b-c_d", true},
      {"[A-Za-z0-9\\.\\-_]+", "a/b", false},
      {"arn:aws[a-z\\-]*:iam::\\d{12}:role/?[a-zA-Z_0-9+=,.@\\-_/]+",
       "arn:aws:iam::000000000000:role/local", true},
      {"arn:aws[a-z\\-]*:iam::\\d{12}:role/?[a-zA-Z_0-9+=,.@\\-_/]+",
       "arn:aws:iam::00000000000:role/local", false},
      {"(https|s3)://([^/]+)/?(.*)", "s3://b/k", true},
      {"(https|s3)://([^/]+)/?(.*)", "s3:///k", false},
      {".*", "two\nlines", false},
      {"[\\S\\s]*", "two\nlines \xc3\xa9", true},
      {"([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)", "team = \xc3\xa9quipe", true},
      {"([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)", "a;b", false},
      {"([a-z]([a-z-]){0,5})(?<!-)", "ab-c", true},
      {"([a-z]([a-z-]){0,5})(?<!-)", "ab-", false},
      {"\\d+K", "128K", true},
      {"a{2}b{1,}", "aabbb", true},
      {"a{2}b{1,}", "aa", false},
      {"[-0-9a-zA-Z]+", "sg-0a", true},
      {".", "\xf0\x9f\x98\x80", true},
      {"[\\u0020-\\u00FF]+", "a \xc3\xa9", true},
      {"[\\u0020-\\u00FF]+", "a\n", false},
      {"[\\u0020-\\u00FF]+", "\xe2\x82\xac", false},
  };
  for (const Case& each : cases)
    EXPECT_EQ(matches(each.pattern, each.text), each.expected) << each.pattern << " " << each.text;
}

TEST(Pattern, TakesLinearTimeWhereBacktrackingWouldNotEnd) {
  EXPECT_FALSE(matches("(a*)*b", std::string(20'000, 'a')));
  EXPECT_FALSE(matches(kName, std::string(5'000, '-')));
}

TEST(Pattern, SaysWhatItDoesNotSupport) {
  for (const std::string_view pattern : {"(?=a)", "\\b", "[a", "(a", "a)", "a{2", "(?<!ab)x", "\\u12", "\\u00G0"})
    EXPECT_FALSE(is_supported_pattern(pattern)) << pattern;
}

}  // namespace
}  // namespace evener::service_model
