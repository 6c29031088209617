#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/ids.h"
#include "training/store/test_home_test.h"

namespace evener::store {
namespace {

using jobs::JobQuery;
using jobs::SortBy;
using jobs::SortOrder;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names(Store& store, const JobQuery& query) {
  const auto page = store.page(query);
  EXPECT_TRUE(page.has_value()) << (page ? "" : page.error().message);
  std::vector<std::string> all;
  if (page)
    for (const jobs::JobSummary& job : page->jobs) all.push_back(job.name);
  return all;
}

// Every page of a query, joined.
std::vector<std::string> all_pages(Store& store, JobQuery query) {
  std::vector<std::string> all;
  while (true) {
    const auto page = store.page(query).value();
    for (const jobs::JobSummary& job : page.jobs) all.push_back(job.name);
    if (!page.next) return all;
    query.after = page.next;
  }
}

WallTime at(std::int64_t ms) { return from_millis(ms); }

class JobPages : public testing::Test {
 protected:
  void SetUp() override {
    store_ = home_.open();
    ASSERT_TRUE(commit_each(*store_, life_of("beta")));                        // created 1000
    ASSERT_TRUE(commit_each(*store_, {submission("alpha", 2000), submission("Gamma", 3000),
                                      event_of("Gamma", jobs::StopRequested{}, 4000)}));
  }
  const TestHome home_;
  std::unique_ptr<Store> store_;
};

TEST_F(JobPages, AreSortedByEveryValueInBothOrders) {
  const auto sorted = [&](SortBy by, SortOrder order) {
    return names(*store_, {.sort = by, .order = order});
  };
  const auto up = SortOrder::kAscending, down = SortOrder::kDescending;
  EXPECT_THAT(sorted(SortBy::kCreationTime, up), ElementsAre("beta", "alpha", "Gamma"));
  EXPECT_THAT(sorted(SortBy::kCreationTime, down), ElementsAre("Gamma", "alpha", "beta"));
  EXPECT_THAT(sorted(SortBy::kName, up), ElementsAre("alpha", "beta", "Gamma"));
  EXPECT_THAT(sorted(SortBy::kName, down), ElementsAre("Gamma", "beta", "alpha"));
  EXPECT_THAT(sorted(SortBy::kStatus, up), ElementsAre("beta", "alpha", "Gamma"));
  EXPECT_THAT(sorted(SortBy::kLastModifiedTime, down), ElementsAre("Gamma", "alpha", "beta"));
}

TEST_F(JobPages, ShowWhatTheJobsShow) {
  const auto page = store_->page({}).value();
  for (const jobs::JobSummary& row : page.jobs)
    EXPECT_EQ(row, jobs::summary_of(store_->find(row.name).value()));
  EXPECT_EQ(page.jobs[0].training_end, at(1005));
  EXPECT_EQ(page.jobs[1].training_end, std::nullopt);
  EXPECT_EQ(differences_of(*store_), "");
}

TEST_F(JobPages, HoldWhatEveryFilterLeaves) {
  EXPECT_THAT(names(*store_, {.status = jobs::JobStatus::kStopping}), ElementsAre("Gamma"));
  EXPECT_THAT(names(*store_, {.name_contains = "AM"}), ElementsAre("Gamma"));
  EXPECT_THAT(names(*store_, {.name_contains = "%"}), IsEmpty());
  EXPECT_THAT(names(*store_, {.created_after = at(1000)}), ElementsAre("alpha", "Gamma"));
  EXPECT_THAT(names(*store_, {.created_before = at(3000)}), ElementsAre("beta", "alpha"));
  EXPECT_THAT(names(*store_, {.modified_after = at(2000)}), ElementsAre("Gamma"));
  EXPECT_THAT(names(*store_, {.modified_before = at(2000)}), ElementsAre("beta"));
  EXPECT_THAT(names(*store_, {.created_after = at(999), .created_before = at(2001),
                              .modified_after = at(1999)}),
              ElementsAre("alpha"));
}

TEST_F(JobPages, FollowTheTagsAsTheyChange) {
  const jobs::TagsChanged tags{{{"team", "a"}, {"cost", ""}}, {}};
  ASSERT_TRUE(commit_each(*store_, {event_of("alpha", tags), event_of("beta", tags)}));
  EXPECT_THAT(names(*store_, {.tags = {{"team", "a"}}}), ElementsAre("beta", "alpha"));
  EXPECT_THAT(names(*store_, {.tags = {{"team", std::nullopt}, {"cost", ""}}}),
              ElementsAre("beta", "alpha"));
  ASSERT_TRUE(commit_each(*store_, {event_of("alpha", jobs::TagsChanged{{{"team", "b"}}, {"cost"}}),
                                    event_of("beta", jobs::Deleted{})}));
  EXPECT_THAT(names(*store_, {.tags = {{"team", "a"}}}), IsEmpty());
  EXPECT_THAT(names(*store_, {.tags = {{"team", "b"}}}), ElementsAre("alpha"));
  EXPECT_THAT(names(*store_, {.tags = {{"cost", std::nullopt}}}), IsEmpty());
}

TEST_F(JobPages, DoNotShowADeletedJobWhoseNameIsUsedAgain) {
  ASSERT_TRUE(commit_each(*store_, {event_of("beta", jobs::Deleted{}), submission("BETA", 9000)}));
  EXPECT_THAT(names(*store_, {}), ElementsAre("alpha", "Gamma", "BETA"));
  EXPECT_EQ(store_->find("beta")->spec.name, "BETA");
  EXPECT_EQ(differences_of(*store_), "");
}

TEST_F(JobPages, OfNoJobsAreEmpty) {
  EXPECT_THAT(names(*store_, {.limit = 0}), IsEmpty());
  EXPECT_FALSE(store_->page({.limit = 3})->next.has_value());
  EXPECT_TRUE(store_->page({.limit = 2})->next.has_value());
}

// Any query, read in pages of any size, is what a sort and a filter over all jobs give.
TEST(JobPagesProperty, PagesJoinToTheWholeAnswer) {
  const TestHome home;
  auto store = home.open();
  SeededRandom random(5);
  for (int i = 0; i < 120; ++i) {
    const std::string name = "job-" + std::to_string(random.below(1000)) + "-" + std::to_string(i);
    const auto time = static_cast<std::int64_t>(1000 + random.below(20));  // many are equal
    ASSERT_TRUE(commit_each(*store, {submission(name, time)}));
    if (random.below(3) == 0) {
      ASSERT_TRUE(commit_each(*store, {event_of(name, jobs::StopRequested{}, time + 5)}));
    }
  }
  for (int trial = 0; trial < 150; ++trial) {
    JobQuery query{.sort = static_cast<SortBy>(random.below(4)),
                   .order = static_cast<SortOrder>(random.below(2)),
                   .limit = 1000};
    if (random.below(2) == 0) query.created_after = at(static_cast<std::int64_t>(995 + random.below(25)));
    if (random.below(2) == 0) query.created_before = at(static_cast<std::int64_t>(1000 + random.below(25)));
    if (random.below(3) == 0) query.modified_after = at(static_cast<std::int64_t>(1000 + random.below(25)));
    if (random.below(3) == 0) query.status = jobs::JobStatus::kStopping;
    if (random.below(3) == 0) query.name_contains = std::to_string(random.below(10));
    const std::vector<std::string> whole = names(*store, query);
    query.limit = 1 + random.below(40);
    ASSERT_EQ(all_pages(*store, query), whole) << "trial " << trial;
  }
}

}  // namespace
}  // namespace evener::store
