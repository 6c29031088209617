#include <gtest/gtest.h>

#include <chrono>

#include "os/temporary_folder_test.h"
#include "training/store/sqlite.h"
#include "training/store/store.h"

namespace evener::store {
namespace {

class ChangeFeedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = open_store({.home = home_.path(), .synchronous = Synchronous::kOff});
    ASSERT_TRUE(store);
    store_ = std::move(*store);
    auto feed = open_change_feed(home_.path());
    ASSERT_TRUE(feed);
    feed_ = std::move(*feed);
  }
  std::vector<Status> commit(const std::vector<jobs::JobEvent>& events) {
    auto answers = store_->commit(events);
    EXPECT_TRUE(answers);
    return *answers;
  }
  static jobs::JobEvent submission(const std::string& name) {
    jobs::JobSpec spec{.name = name};
    spec.groups.push_back({.name = "g", .instance_type = "t"});
    return {.job = name, .time = from_millis(1), .change = jobs::Submitted{std::move(spec), ""}};
  }
  static jobs::JobEvent notice(const std::string& name, std::uint64_t position = 0) {
    return {.job = name, .time = from_millis(1), .journal_position = position,
            .change = jobs::Noticed{"text"}};
  }

  os::TemporaryFolder home_{os::memory_or_temporary()};
  std::unique_ptr<Store> store_;
  std::unique_ptr<ChangeFeed> feed_;
};

TEST_F(ChangeFeedTest, AVersionChangesWithACommitAndOnlyThen) {
  const auto first = feed_->version();
  EXPECT_EQ(*feed_->version(), *first);
  commit({submission("a")});
  const auto second = feed_->version();
  EXPECT_NE(*second, *first);
  EXPECT_EQ(*feed_->version(), *second);
}

TEST_F(ChangeFeedTest, EveryCommitIsSeenAlsoWhenTheLogBeginsAnew) {
  auto other = Database::open(home_.path() / "evener.db", std::chrono::milliseconds(1'000));
  ASSERT_TRUE(other);
  commit({submission("a")});
  auto before = feed_->version();
  ASSERT_TRUE(before);
  ASSERT_TRUE((*other)->run("SELECT row FROM events"));
  ASSERT_TRUE((*other)->commit_mark()) << "the quick look is in use";
  for (std::uint64_t i = 1; i <= 200; ++i) {
    commit({notice("a", i)});
    const auto after = feed_->version();
    ASSERT_NE(*after, *before) << i;
    ASSERT_EQ(*feed_->version(), *after) << i;
    before = after;
    if (i % 50 != 0) continue;
    ASSERT_TRUE((*other)->run("PRAGMA wal_checkpoint(TRUNCATE)"));
    before = feed_->version();
  }
}

TEST_F(ChangeFeedTest, TellsRowsAndJobsInOrder) {
  commit({submission("a"), submission("b"), notice("a")});
  EXPECT_EQ(*feed_->last_row(), 3);
  const auto changes = feed_->after(1, 10);
  ASSERT_EQ(changes->size(), 2u);
  EXPECT_EQ((*changes)[0].job, "b");
  EXPECT_EQ((*changes)[1].job, "a");
  EXPECT_EQ((*changes)[1].row, 3);
  EXPECT_EQ(feed_->after(0, 1)->size(), 1u);
}

TEST_F(ChangeFeedTest, NoticesOfARefusedSubmissionAreNotForTheJobOfThatName) {
  commit({submission("a"), notice("a")});
  const auto answers = commit({submission("A"), notice("A"), notice("A"), notice("a", 1), notice("a")});
  std::string taken;
  for (const Status& status : answers) taken += status ? '+' : '-';
  EXPECT_EQ(taken, "---++") << "what the job's own supervisor says is taken";
  EXPECT_EQ(store_->find("a")->notices.size(), 3u);
}

}  // namespace
}  // namespace evener::store
