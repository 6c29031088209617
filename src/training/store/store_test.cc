#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "training/store/test_home_test.h"

namespace evener::store {
namespace {

using jobs::JobEvent;
using jobs::JobStatus;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const Result<std::vector<jobs::TrainingJob>>& jobs) {
  std::vector<std::string> all;
  for (const auto& job : jobs.value()) all.push_back(job.spec.name);
  return all;
}

TEST(Store, KeepsAJobThroughItsLifeAndOverARestart) {
  const TestHome home;
  {
    auto store = home.open();
    ASSERT_TRUE(commit_each(*store, life_of("a")));
    EXPECT_EQ(store->find("a")->status, JobStatus::kCompleted);
  }
  auto store = home.open();
  EXPECT_EQ(store->find("a")->status, JobStatus::kCompleted);
  EXPECT_EQ(store->events_of("a", 0, kAllEvents)->size(), 6u);
  EXPECT_EQ(*store->last_row(), 6);
  EXPECT_EQ(differences_of(*store), "");
}

TEST(Store, ARefusedEventIsNamedAndTheOthersAreCommitted) {
  const TestHome home;
  auto store = home.open();
  const std::vector<JobEvent> events{
      submission("a"), event_of("a", jobs::Ended{}), event_of("none", jobs::StopRequested{}),
      submission("A"), submission("b"), event_of("a", jobs::Noticed{"n"})};
  const auto answers = store->commit(events);
  ASSERT_TRUE(answers.has_value());
  EXPECT_TRUE((*answers)[0]);
  EXPECT_EQ((*answers)[1].error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ((*answers)[2].error().code, ErrorCode::kNotFound);
  EXPECT_EQ((*answers)[3].error().code, ErrorCode::kAlreadyExists);
  EXPECT_TRUE((*answers)[4]);
  EXPECT_TRUE((*answers)[5]);
  EXPECT_EQ(*store->last_row(), 3);
  EXPECT_EQ(store->find("a")->notices, std::vector<std::string>{"n"});
  EXPECT_EQ(differences_of(*store), "");
}

TEST(Store, ANoticeThatFollowsARefusedSubmissionGoesWithIt) {
  const TestHome home;
  auto store = home.open();
  ASSERT_TRUE(commit_each(*store, {submission("a")}));
  const std::vector<JobEvent> events{submission("A"), event_of("A", jobs::Noticed{"of the other"})};
  const auto answers = store->commit(events).value();
  EXPECT_EQ(answers[0].error().code, ErrorCode::kAlreadyExists);
  EXPECT_FALSE(answers[1]);
  EXPECT_TRUE(store->find("a")->notices.empty());
}

TEST(Store, NamesAreOneWithoutRegardToCase) {
  const TestHome home;
  auto store = home.open();
  ASSERT_TRUE(commit_each(*store, {submission("Job"), event_of("jOB", jobs::StopRequested{})}));
  EXPECT_EQ(store->find("JOB")->spec.name, "Job");
  EXPECT_EQ(store->events_of("job", 0, kAllEvents)->back().event.job, "Job");
  EXPECT_EQ(differences_of(*store), "");
}

TEST(Store, AJournalRecordIsStoredOnce) {
  const TestHome home;
  auto store = home.open();
  const auto life = life_of("a");
  ASSERT_TRUE(commit_each(*store, {life[0], life[1], life[2], life[3]}));
  ASSERT_TRUE(commit_each(*store, {life[2], life[3], life[4], life[3]}));
  EXPECT_EQ(store->events_of("a", 0, kAllEvents)->size(), 5u);
  EXPECT_EQ(differences_of(*store), "");
}

TEST(Store, TheNameOfADeletedJobCanBeUsedAgainEvenInOneBatch) {
  const TestHome home;
  auto store = home.open();
  ASSERT_TRUE(commit_each(*store, life_of("a")));
  const std::vector<JobEvent> events{event_of("a", jobs::Deleted{}), submission("a", 9000)};
  const auto answers = store->commit(events);
  ASSERT_TRUE(answers && (*answers)[0] && (*answers)[1]);
  EXPECT_EQ(store->find("a")->status, JobStatus::kInProgress);
  EXPECT_EQ(store->events_of("a", 0, kAllEvents)->size(), 1u);
  EXPECT_EQ(store->events_after(0, 100)->size(), 8u);
  EXPECT_EQ(differences_of(*store), "");
}

TEST(Store, ADeletedJobIsNotFoundButItsEventsAreKept) {
  const TestHome home;
  auto store = home.open();
  ASSERT_TRUE(commit_each(*store, life_of("a")));
  ASSERT_TRUE(commit_each(*store, {event_of("a", jobs::Deleted{})}));
  EXPECT_EQ(store->find("a").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(store->list({.status = std::nullopt, .name_contains = ""})->empty());
  EXPECT_EQ(store->events_of("a", 0, kAllEvents)->size(), 7u);
  EXPECT_EQ(differences_of(*store), "");
}

TEST(Store, SeesWhatOtherProcessesCommit) {
  const TestHome home;
  auto ours = home.open();
  auto theirs = home.open();
  ASSERT_TRUE(commit_each(*ours, {submission("a")}));
  ASSERT_TRUE(commit_each(*theirs, {event_of("a", jobs::StopRequested{})}));
  EXPECT_EQ(ours->find("a")->status, JobStatus::kStopping);
  const auto seen = ours->events_after(1, 10);
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_EQ((*seen)[0].row, 2);
  ASSERT_TRUE(commit_each(*ours, {event_of("a", jobs::Noticed{"x"})}));
  EXPECT_EQ(differences_of(*theirs), "");
}

TEST(Store, ListsByStatusNameOrderAndLimit) {
  const TestHome home;
  auto store = home.open();
  ASSERT_TRUE(commit_each(*store, life_of("alpha")));
  ASSERT_TRUE(commit_each(*store, {submission("beta", 2000), submission("Alphabet", 3000)}));
  const auto all = [&](ListFilter filter) { return names(store->list(filter)); };
  EXPECT_THAT(all({.status = {}, .name_contains = ""}), ElementsAre("Alphabet", "beta", "alpha"));
  EXPECT_THAT(all({.status = {}, .name_contains = "alpha", .newest_first = false}),
              ElementsAre("alpha", "Alphabet"));
  EXPECT_THAT(all({.status = JobStatus::kCompleted, .name_contains = ""}), ElementsAre("alpha"));
  EXPECT_THAT(all({.status = {}, .name_contains = "", .limit = 1}), ElementsAre("Alphabet"));
  EXPECT_TRUE(all({.status = {}, .name_contains = "%"}).empty());
  EXPECT_THAT(names(store->active()), ElementsAre("beta", "Alphabet"));
}

TEST(Store, TextThatIsNotUtf8DoesNotBreakIt) {
  const TestHome home;
  auto store = home.open();
  ASSERT_TRUE(commit_each(*store, {submission("a"), event_of("a", jobs::Noticed{"x\xff\0y"})}));
  EXPECT_TRUE(store->find("a").has_value());
  EXPECT_EQ(differences_of(*store), "");
}

TEST(Store, ANewerSchemaIsUnsupportedAndUntouched) {
  const TestHome home;
  { auto store = home.open(); }
  run_sql(home.database(), "UPDATE meta SET value = 99");
  const auto store = open_store(home.path());
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(store.error().message, HasSubstr("schema 99"));
}

TEST(Store, AFileThatIsNoDatabaseIsCorruptAndNamed) {
  const TestHome home;
  std::filesystem::create_directories(home.path());
  std::ofstream(home.database()) << std::string(8192, 'x');
  const auto store = open_store(home.path());
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(store.error().message, HasSubstr("evener.db"));
}

TEST(Store, StoredTextThatIsNotOursIsCorrupt) {
  const TestHome home;
  auto store = home.open();
  ASSERT_TRUE(commit_each(*store, {submission("a")}));
  run_sql(home.database(), "UPDATE bodies SET body = '{}'; UPDATE events SET body = 'x'");
  auto again = home.open();
  EXPECT_EQ(again->find("a").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(again->list({.status = {}, .name_contains = ""}).error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(again->events_after(0, 10).error().message, HasSubstr("event 1"));
}

TEST(Store, VerifyNamesAProjectionThatItsEventsDoNotTell) {
  const TestHome home;
  auto store = home.open();
  ASSERT_TRUE(commit_each(*store, life_of("a")));
  ASSERT_TRUE(commit_each(*store, {submission("b")}));
  run_sql(home.database(), "DELETE FROM events WHERE kind = 'Ended' OR job = 'b'");
  const std::string differences = differences_of(*store);
  EXPECT_THAT(differences, HasSubstr("job a is stored as Completed"));
  EXPECT_THAT(differences, HasSubstr("job b is stored but no event tells of it"));
}

TEST(Store, AHomeThatCannotBeWrittenIsPermissionDenied) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write any folder";
  const TestHome home;
  std::filesystem::create_directories(home.path());
  std::filesystem::permissions(home.path(), std::filesystem::perms::owner_read |
                                                std::filesystem::perms::owner_exec);
  const auto store = open_store(home.path());
  std::filesystem::permissions(home.path(), std::filesystem::perms::owner_all);
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, ErrorCode::kPermissionDenied) << store.error().message;
}

}  // namespace
}  // namespace evener::store
