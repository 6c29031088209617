#include "training/runner/json_text.h"

#include "training/runner/python_text.h"

namespace evener::runner {
namespace {

TEST(JsonText, GivesHyperparametersAsTheToolkitDoes) {
  struct Case {
    std::string_view hyperparameter, argument, variable, json;
  };
  const Case cases[] = {
      {"3", "3", "3", "3"},
      {"0.1", "0.1", "0.1", "0.1"},
      {"1e-5", "1e-05", "1e-05", "1e-05"},
      {"1e16", "1e+16", "1e+16", "1e+16"},
      {"1e15", "1000000000000000.0", "1000000000000000.0", "1000000000000000.0"},
      {"2.0", "2.0", "2.0", "2.0"},
      {"true", "True", "true", "true"},
      {"null", "", "", "null"},
      {"word", "word", "word", "\"word\""},
      {"", "", "", "\"\""},
      {"\"a b\"", "a b", "a b", "\"a b\""},
      {"[1, \"x\", null, true]", "[1, 'x', None, True]", "[1,\"x\",null,true]",
       "[1,\"x\",null,true]"},
      {R"({"b": 1, "a": [2]})", "a=[2],b=1", R"({"a":[2],"b":1})", R"({"a":[2],"b":1})"},
      {R"([{"b": "it's", "a": 1}])", R"([{'b': "it's", 'a': 1}])", R"([{"a":1,"b":"it's"}])",
       R"([{"a":1,"b":"it's"}])"},
      {"\"\xc3\xa9\"", "\xc3\xa9", "\xc3\xa9", "\"\\u00e9\""},
      {"NaN", "nan", "NaN", "NaN"},
      {"-Infinity", "-inf", "-Infinity", "-Infinity"},
      {"123456789012345678901234567890", "123456789012345678901234567890",
       "123456789012345678901234567890", "\"123456789012345678901234567890\""},
      {"007", "007", "007", "\"007\""},
      {"{broken", "{broken", "{broken", "\"{broken\""},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(argument_text(each.hyperparameter), each.argument);
    EXPECT_EQ(variable_text(each.hyperparameter), each.variable);
    EXPECT_EQ(value_json(each.hyperparameter), each.json);
  }
}

TEST(JsonText, ShowsFloatsAndStringsAsPython) {
  EXPECT_EQ(python_float(0.0001), "0.0001");
  EXPECT_EQ(python_float(0.00001), "1e-05");
  EXPECT_EQ(python_float(123456.789), "123456.789");
  EXPECT_EQ(python_float(-0.0), "-0.0");
  EXPECT_EQ(python_float(1e300), "1e+300");
  EXPECT_EQ(python_float(5e-324), "5e-324");
  EXPECT_EQ(python_quoted("a'b\"c\n\x01"), R"('a\'b"c\n\x01')");
}

TEST(JsonText, KnowsPythonsTruth) {
  for (const std::string_view text : {"true", "1", "\"x\"", "word", "[0]"})
    EXPECT_TRUE(is_truthy(text)) << text;
  for (const std::string_view text : {"false", "0", "\"\"", "", "[]", "{}", "null"})
    EXPECT_FALSE(is_truthy(text)) << text;
}

TEST(JsonText, BuildsSortedCompactText) {
  EXPECT_EQ(sorted_json(R"({"b": [1, 2], "a": "x"})"), R"({"a":"x","b":[1,2]})");
  EXPECT_EQ(json_object({{"k", "1"}, {"a", "[]"}}), R"({"a":[],"k":1})");
  EXPECT_EQ(json_strings({"a", "\xc3\xa9"}), R"(["a","\u00e9"])");
  EXPECT_EQ(string_items(R"(["a",1,"b"])"), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace evener::runner
