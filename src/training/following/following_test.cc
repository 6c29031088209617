#include "training/following/following.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

#include "training/store/test_home_test.h"

namespace evener::following {
namespace {

using store::event_of;

class JobReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = home_.open();
    ASSERT_TRUE(store_);
    std::filesystem::create_directories(files_.logs);
    commit(store::submission("a"));
  }
  void commit(const jobs::JobEvent& event) { ASSERT_TRUE(store::commit_each(*store_, {event})); }
  void launch() { commit(event_of("a", jobs::Launching{{{"algo-1", 0}}}, 1001)); }
  // As the host's program would.
  void print(const std::string& text) {
    const SystemClock clock;
    auto writer = logs::make_log_writer(files_.logs, clock);
    ASSERT_TRUE(writer);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    ASSERT_TRUE((*writer)->add_host("algo-1", os::UniqueFd(ends[0])));
    ASSERT_TRUE((*writer)->drain(std::chrono::seconds(10)));
  }
  static std::vector<std::string> kinds(const JobUpdate& update) {
    std::vector<std::string> all;
    for (const auto& event : update.events) all.emplace_back(jobs::kind_of(event.change));
    return all;
  }
  static std::vector<std::string> texts(const JobUpdate& update) {
    std::vector<std::string> all;
    for (const auto& line : update.lines) all.push_back(line.group + "/" + line.line.text);
    return all;
  }

  store::TestHome home_;
  std::unique_ptr<store::Store> store_;
  JobFiles files_{home_.path() / "logs", home_.path() / "samples"};
};

TEST_F(JobReaderTest, EveryReadGivesWhatIsNew) {
  JobReader reader(*store_, "a", files_, {});
  EXPECT_EQ(kinds(*reader.read()), std::vector<std::string>{"Submitted"});
  EXPECT_TRUE(reader.read()->empty());
  launch();
  commit(store::submission("b"));
  print("one\ntwo\n");
  const auto update = reader.read();
  EXPECT_EQ(kinds(*update), std::vector<std::string>{"Launching"});
  EXPECT_EQ(texts(*update), (std::vector<std::string>{"g/one", "g/two"}));
  EXPECT_TRUE(reader.read()->empty());
}

TEST_F(JobReaderTest, AnotherReaderGoesOnWhereOneWas) {
  launch();
  print("one\n");
  Position position;
  {
    JobReader reader(*store_, "a", files_, {});
    ASSERT_TRUE(reader.read());
    position = reader.position();
  }
  print("two\n");
  std::ofstream(files_.samples) << R"({"t":1,"host":"algo-1","cpu":50,"mem":7})" << "\n";
  JobReader reader(*store_, "a", files_, position);
  EXPECT_EQ(texts(*reader.read()), std::vector<std::string>{"g/two"});
}

TEST_F(JobReaderTest, ALimitHoldsBackLinesAndLosesNone) {
  launch();
  print("one\ntwo\nthree\n");
  JobReader reader(*store_, "a", files_, {});
  EXPECT_EQ(texts(*reader.read({.lines = 2})), (std::vector<std::string>{"g/one", "g/two"}));
  EXPECT_EQ(texts(*reader.read({.lines = 2})), std::vector<std::string>{"g/three"});
}

TEST_F(JobReaderTest, ALineThatWasUnfinishedForAWhileIsReadOnce) {
  launch();
  const auto log = files_.logs / "algo-1.log";
  std::ofstream(log) << "1700000000001~10%\n1700000000001~20%\n";
  JobReader early(*store_, "a", files_, {});
  EXPECT_EQ(texts(*early.read()), std::vector<std::string>{"g/20%"});
  std::ofstream(log, std::ios::app) << "1700000000001 100%\n1700000000002 one\n"
                                    << "1700000000003!a note\n";
  const std::vector<std::string> rest{"g/100%", "g/one", "g/a note"};
  EXPECT_EQ(texts(*early.read()), rest);
  JobReader late(*store_, "a", files_, {});
  EXPECT_EQ(texts(*late.read()), rest);
}

TEST_F(JobReaderTest, APlaceWithinALineIsRefused) {
  launch();
  print("one\n");
  JobReader reader(*store_, "a", files_, {.row = 1, .logs = {{"algo-1", 1}}});
  const auto update = reader.read();
  ASSERT_FALSE(update);
  EXPECT_EQ(update.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(JobReaderTest, EventsComeInPagesAndThoseOfOtherJobsAreNotAmongThem) {
  for (int i = 0; i < 5; ++i) {
    commit(event_of("a", jobs::Noticed{std::to_string(i)}, 1002 + i));
    commit(store::submission("b" + std::to_string(i)));
  }
  JobReader reader(*store_, "a", files_, {});
  std::vector<std::size_t> pages;
  for (int i = 0; i < 5; ++i) pages.push_back(reader.read({.events = 2})->events.size());
  EXPECT_EQ(pages, (std::vector<std::size_t>{2, 2, 2, 0, 0}));
}

TEST_F(JobReaderTest, ALogThatCannotBeReadIsTold) {
  launch();
  std::filesystem::create_directories(files_.logs / "algo-1.log");   // no file
  JobReader reader(*store_, "a", files_, {});
  EXPECT_FALSE(reader.read());
  std::filesystem::remove(files_.logs / "algo-1.log");
  std::filesystem::create_symlink("elsewhere", files_.logs / "algo-1.log");
  JobReader other(*store_, "a", files_, {});
  EXPECT_FALSE(other.read());
}

TEST(Documents, AnUpdateComesBackAsItWas) {
  JobUpdate update;
  update.events.push_back(event_of("a", jobs::Noticed{"n"}, 5, 3));
  update.lines.push_back({"algo-1", "g", {.time = from_millis(7), .text = std::string("x\0y", 3),
                                          .continued = true, .unterminated = true,
                                          .replaced = true, .note = true}});
  update.live.samples.push_back({from_millis(8), "algo-1", 12.5, 99});
  update.live.progress.push_back({from_millis(9), "staging", 1, 2});
  const auto read = document::read(document::write(document_of(update)),
                                   {.nul = document::Nul::kTaken});
  ASSERT_TRUE(read);
  const auto back = update_from(*read);
  ASSERT_TRUE(back);
  EXPECT_EQ(jobs::to_json(back->events.at(0)), jobs::to_json(update.events.at(0)));
  EXPECT_EQ(back->lines.at(0).line, update.lines.at(0).line);
  EXPECT_EQ(back->lines.at(0).host + back->lines.at(0).group, "algo-1g");
  EXPECT_EQ(back->live.samples.at(0).cpu_percent, 12.5);
  EXPECT_EQ(back->live.samples.at(0).memory_bytes, 99u);
  EXPECT_EQ(back->live.progress.at(0).phase, "staging");
  EXPECT_EQ(back->live.progress.at(0).total_bytes, 2u);
}

TEST(Documents, APositionComesBackAsItWasAndForeignOnesAreRefused) {
  const Position position{.row = 7, .logs = {{"algo-1", 5}, {"algo-2", 0}}, .samples = 3};
  EXPECT_EQ(position_from(document_of(position)).value(), position);
  EXPECT_EQ(position_from(document::make_object()).value(), Position{});
  for (const char* text : {R"({"Row":-1})", R"({"Logs":{"a":-1}})", R"({"Logs":{"a":"b"}})",
                           R"({"Row":"x"})", R"({"Row":1.5})", R"({"Samples":-1})", R"({"Logs":[]})"})
    EXPECT_FALSE(position_from(*document::read(text))) << text;
}

}  // namespace
}  // namespace evener::following
