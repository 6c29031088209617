#include "training/metrics/scanner/scanner.h"

#include <gtest/gtest.h>

namespace evener::metrics {
namespace {

using Definitions = std::vector<jobs::MetricDefinition>;

std::vector<Found> scanned(const Definitions& definitions, std::string_view line) {
  auto scanner = MetricScanner::make(definitions);
  EXPECT_TRUE(scanner.has_value()) << (scanner ? "" : scanner.error().message);
  std::vector<Found> found;
  if (scanner) scanner->scan(line, found);
  return found;
}

std::string refusal_of(const std::string& regex) {
  const auto scanner = MetricScanner::make({{"m", regex}});
  return scanner ? "" : scanner.error().message;
}

TEST(MetricScanner, TakesTheFirstGroupOfEachDefinition) {
  const Definitions definitions = {{"train:error", "Train_error=(.*?);"},
                                   {"validation:error", "Valid_error=(.*?);"}};
  EXPECT_EQ(scanned(definitions, "Train_error=0.138318;  Valid_error=0.324557;"),
            (std::vector<Found>{{0, 0.138318}, {1, 0.324557}}));
  EXPECT_EQ(scanned(definitions, "Valid_error=-2e-3;"), (std::vector<Found>{{1, -2e-3}}));
  EXPECT_TRUE(scanned(definitions, "").empty());
}

TEST(MetricScanner, CountsEveryMatchOfALineUpToALimit) {
  const Definitions definitions = {{"loss", "loss=([0-9.]+)"}};
  EXPECT_EQ(scanned(definitions, "loss=1 loss=2 loss=3"),
            (std::vector<Found>{{0, 1}, {0, 2}, {0, 3}}));
  std::string many;
  for (int i = 0; i < 100; ++i) many += "loss=7 ";
  EXPECT_EQ(scanned(definitions, many).size(), kMatchesPerLine);
  EXPECT_TRUE(scanned(definitions, std::string(kScannedLineBytes, 'x') + "loss=1").empty());
}

TEST(MetricScanner, PassesOverWhatIsNoNumber) {
  const Definitions definitions = {{"loss", "loss=(\\S*)"}};
  for (const char* text : {"loss=nan", "loss=inf", "loss=", "loss=1,5", "loss=95%", "loss=1e999"})
    EXPECT_TRUE(scanned(definitions, text).empty()) << text;
  for (const char* text : {"loss=+1.5", "loss=1.5", "loss=15e-1", "loss=1.50"})
    EXPECT_EQ(scanned(definitions, text), (std::vector<Found>{{0, 1.5}})) << text;
}

TEST(MetricScanner, TakesTheWholeMatchOfAPatternWithoutAGroup) {
  EXPECT_EQ(scanned({{"n", "[0-9]+"}}, "a 12 b 3"), (std::vector<Found>{{0, 12}, {0, 3}}));
  EXPECT_TRUE(scanned({{"n", "x*"}}, "abc").empty());
}

TEST(MetricScanner, TakesNoNumberFromAGroupThatHasNoPartInTheMatch) {
  EXPECT_EQ(scanned({{"n", "a(?:b([0-9])|c)"}}, "ac ab5"), (std::vector<Found>{{0, 5}}));
}

TEST(MetricScanner, KnowsNamedGroupsInBothSpellings) {
  EXPECT_EQ(scanned({{"n", "(?<v>[0-9]+) ms"}}, "12 ms"), (std::vector<Found>{{0, 12}}));
  EXPECT_EQ(scanned({{"n", "(?P<v>[0-9]+) ms"}}, "12 ms"), (std::vector<Found>{{0, 12}}));
  EXPECT_EQ(scanned({{"n", "\\(?<([0-9]+)"}}, "(<12"), (std::vector<Found>{{0, 12}}));
}

TEST(MetricScanner, FindsNumbersInLinesThatAreNoUtf8) {
  EXPECT_EQ(scanned({{"n", "loss=(.*?);"}, {"é", "é=(.*?);"}}, "\xff\xfe loss=1; \xc3\xa9=2;"),
            (std::vector<Found>{{0, 1}, {1, 2}}));
}

TEST(MetricScanner, RefusesPatternsThatItCannotTakeAndSaysWhich) {
  for (const char* regex : {"(", "a(?=b)", "(a)\\1", "(?<=x)(1)", "a++b*+", "(a{1000}){1000}"}) {
    const std::string text = refusal_of(regex);
    EXPECT_NE(text.find("'m'"), std::string::npos) << regex << ": " << text;
    EXPECT_NE(text.find(regex), std::string::npos) << text;
  }
}

TEST(MetricScanner, DoesNotBlowUp) {
  Definitions definitions;
  for (int i = 0; i < 40; ++i)
    definitions.push_back({"m" + std::to_string(i), "(a*)*(a|b)*([0-9])(?:.*z" + std::to_string(i) + ")?"});
  const auto found = scanned(definitions, std::string(kScannedLineBytes, '7'));
  EXPECT_LE(found.size(), 40 * kMatchesPerLine);
}

}  // namespace
}  // namespace evener::metrics
