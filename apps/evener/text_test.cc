#include <gtest/gtest.h>

#include "evener/flags.h"
#include "evener/submission.h"
#include "evener/text_table.h"
#include "evener/utc_time.h"

namespace evener::app {
namespace {

TEST(TextTable, PadsEveryColumnToItsWidestCellAndTrimsTheEnd) {
  TextTable table({"name", "n"});
  table.add({"a", "10"});
  table.add({"höher", ""});
  EXPECT_EQ(table.lines(), (std::vector<std::string>{"name   n", "a      10", "höher"}));
}

TEST(FitWidth, CutsOnCodePointsAndMarksTheCut) {
  EXPECT_EQ(fit_width("abc", 3), "abc");
  EXPECT_EQ(fit_width("abcd", 3), "ab…");
  EXPECT_EQ(fit_width("äöüß", 3), "äö…");
  EXPECT_EQ(fit_width("abc", 0), "");
}

TEST(Printable, LeavesNoControlCharacterOfForeignText) {
  EXPECT_EQ(printable("a\x1b[2Jb\tc\x7f"), "a\\x1b[2Jb    c\\x7f");
}

TEST(SetFit, ReadsTheThreeFormsAndNamesTheRest) {
  jobs::JobSpec spec;
  EXPECT_TRUE(set_fit("strict", spec));
  EXPECT_EQ(spec.fit, jobs::Fit::kStrict);
  EXPECT_TRUE(set_fit("scaled:0.25", spec));
  EXPECT_EQ(spec.fit, jobs::Fit::kScaled);
  EXPECT_DOUBLE_EQ(spec.fit_scale, 0.25);
  for (const char* bad : {"", "scaled", "scaled:", "scaled:0", "scaled:-1", "scaled:1x", "loose"}) {
    const auto status = set_fit(bad, spec);
    ASSERT_FALSE(status) << bad;
    EXPECT_NE(status.error().message.find("scaled:FACTOR"), std::string::npos);
  }
}

TEST(ParseSince, TakesDurationsTimesAndEpochSeconds) {
  const WallTime now = from_millis(1796033472345);
  EXPECT_EQ(*parse_since("10m", now), now - std::chrono::minutes(10));
  EXPECT_EQ(*parse_since("2026-11-30T10:11:12Z", now), from_millis(1796033472000));
  EXPECT_EQ(*parse_since("1796033400", now), from_millis(1796033400000));
  EXPECT_FALSE(parse_since("yesterday", now));
}

TEST(UtcTime, ShowsMilliseconds) {
  EXPECT_EQ(utc_time(from_millis(1796033472005)), "2026-11-30 10:11:12.005Z");
}

TEST(CompletionScript, KnowsThreeShellsAndOffersSubCommands) {
  const std::vector<CompletionEntry> entries = {{"evener jobs", {"list", "--help"}},
                                                {"evener", {"jobs", "--help"}}};
  EXPECT_NE(completion_script("bash", entries).find("'evener jobs') words='list --help'"),
            std::string::npos);
  EXPECT_NE(completion_script("zsh", entries).find("bashcompinit"), std::string::npos);
  EXPECT_NE(completion_script("fish", entries).find("-n '__fish_seen_subcommand_from jobs' -a list"),
            std::string::npos);
  EXPECT_EQ(completion_script("tcsh", entries), "");
}

}  // namespace
}  // namespace evener::app
