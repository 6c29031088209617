#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/ids.h"
#include "training/store/job_pages.h"
#include "training/store/test_home_test.h"

namespace evener::store {
namespace {

using jobs::JobEvent;
using jobs::JobQuery;
using jobs::SortBy;
using jobs::SortOrder;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const jobs::JobPage& page) {
  std::vector<std::string> all;
  for (const jobs::JobSummary& job : page.jobs) all.push_back(job.name);
  return all;
}

std::vector<std::string> names(Store& store, const JobQuery& query) {
  const auto page = store.page(query);
  EXPECT_TRUE(page.has_value()) << (page ? "" : page.error().message);
  return page ? names_of(*page) : std::vector<std::string>();
}

WallTime at(std::int64_t ms) { return from_millis(ms); }

class JobLists : public testing::Test {
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

TEST_F(JobLists, AreSortedByEveryValueInBothOrders) {
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

TEST_F(JobLists, ShowWhatTheJobsShow) {
  const auto page = store_->page({}).value();
  for (const jobs::JobSummary& row : page.jobs)
    EXPECT_EQ(row, jobs::summary_of(store_->find(row.name).value()));
  EXPECT_EQ(page.jobs[0].training_end, at(1005));
  EXPECT_EQ(page.jobs[1].training_end, std::nullopt);
  EXPECT_EQ(differences_of(*store_), "");
}

TEST_F(JobLists, HoldWhatEveryFilterLeaves) {
  EXPECT_THAT(names(*store_, {.status = jobs::JobStatus::kStopping}), ElementsAre("Gamma"));
  EXPECT_THAT(names(*store_, {.name_contains = "AM"}), ElementsAre("Gamma"));
  for (const std::string& odd :
       std::vector<std::string>{"%", "_", "!", "a%", std::string(100'000, 'a')})
    EXPECT_THAT(names(*store_, {.name_contains = odd}), IsEmpty());
  EXPECT_THAT(names(*store_, {.created_after = at(1000)}), ElementsAre("alpha", "Gamma"));
  EXPECT_THAT(names(*store_, {.created_before = at(3000)}), ElementsAre("beta", "alpha"));
  EXPECT_THAT(names(*store_, {.modified_after = at(2000)}), ElementsAre("Gamma"));
  EXPECT_THAT(names(*store_, {.modified_before = at(2000)}), ElementsAre("beta"));
  EXPECT_THAT(names(*store_, {.created_after = at(999), .created_before = at(2001),
                              .modified_after = at(1999)}),
              ElementsAre("alpha"));
}

TEST_F(JobLists, FollowTheTagsAsTheyChange) {
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

TEST_F(JobLists, DoNotShowADeletedJobWhoseNameIsUsedAgain) {
  ASSERT_TRUE(commit_each(*store_, {event_of("beta", jobs::Deleted{}), submission("BETA", 9000)}));
  EXPECT_THAT(names(*store_, {}), ElementsAre("alpha", "Gamma", "BETA"));
  EXPECT_EQ(store_->find("beta")->spec.name, "BETA");
  EXPECT_EQ(differences_of(*store_), "");
}

TEST_F(JobLists, OfNoJobsAreEmpty) {
  EXPECT_THAT(names(*store_, {.limit = 0}), IsEmpty());
  EXPECT_FALSE(store_->page({.limit = 3})->next.has_value());
  EXPECT_TRUE(store_->page({.limit = 2})->next.has_value());
}

JobQuery some_query(SeededRandom& random) {
  const auto time = [&](std::int64_t from) {
    return at(from + static_cast<std::int64_t>(random.below(25)));
  };
  JobQuery query{.sort = static_cast<SortBy>(random.below(4)),
                 .order = static_cast<SortOrder>(random.below(2)), .limit = 1000};
  if (random.below(2) == 0) query.created_after = time(995);
  if (random.below(2) == 0) query.created_before = time(1000);
  if (random.below(3) == 0) query.modified_after = time(1000);
  if (random.below(3) == 0) query.modified_before = time(1005);
  if (random.below(3) == 0) query.status = jobs::JobStatus::kStopping;
  if (random.below(3) == 0) query.name_contains = std::to_string(random.below(10));
  if (random.below(4) == 0) query.tags = {{"team", std::to_string(random.below(3))}};
  if (random.below(4) == 0) query.tags.push_back({"team", std::nullopt});
  return query;
}

bool passes(const jobs::TrainingJob& job, const JobQuery& query) {
  const auto tagged = [&](const jobs::TagFilter& tag) {
    const auto found = job.spec.tags.find(tag.key);
    return found != job.spec.tags.end() && (!tag.value || *tag.value == found->second);
  };
  return (!query.status || job.status == *query.status) &&
         (!query.created_after || job.created > *query.created_after) &&
         (!query.created_before || job.created < *query.created_before) &&
         (!query.modified_after || job.last_modified > *query.modified_after) &&
         (!query.modified_before || job.last_modified < *query.modified_before) &&
         job.spec.name.find(query.name_contains) != std::string::npos &&
         std::ranges::all_of(query.tags, tagged);
}

TEST_F(JobLists, OfAFilterThatLeavesNoneLookAtSomeRowsAtATime) {
  const auto database = Database::open(home_.database(), std::chrono::seconds(1)).value();
  for (const JobQuery& filter :
       {JobQuery{.name_contains = "nowhere"}, JobQuery{.modified_after = at(1'000'000)}}) {
    store::JobPages pages(*database, -1, 2);   // no filter is said to leave few
    JobQuery query = filter;
    const auto first = pages.read(query).value();
    EXPECT_THAT(names_of(first), IsEmpty());
    ASSERT_TRUE(first.next);
    query.after = first.next;
    const auto second = pages.read(query).value();
    EXPECT_THAT(names_of(second), IsEmpty());
    EXPECT_FALSE(second.next) << "there are three jobs";
  }
}

// Whatever index leads, the pages of any query join to what a filter over all jobs leaves, in order.
TEST(JobPagesProperty, PagesJoinToTheWholeAnswer) {
  const TestHome home;
  auto store = home.open();
  SeededRandom random(5);
  for (int i = 0; i < 120; ++i) {
    const std::string name = "job-" + std::to_string(random.below(1000)) + "-" + std::to_string(i);
    const auto time = static_cast<std::int64_t>(1000 + random.below(20));  // many are equal
    JobEvent submitted = submission(name, time);
    if (random.below(2) == 0)
      std::get<jobs::Submitted>(submitted.change).spec.tags["team"] = std::to_string(random.below(3));
    ASSERT_TRUE(commit_each(*store, {submitted}));
    if (random.below(3) == 0) {
      ASSERT_TRUE(commit_each(*store, {event_of(name, jobs::StopRequested{}, time + 5)}));
    }
  }
  const auto jobs = store->list({.status = std::nullopt, .name_contains = ""}).value();
  const auto database = Database::open(home.database(), std::chrono::seconds(1)).value();
  for (int trial = 0; trial < 300; ++trial) {
    JobQuery query = some_query(random);
    const auto few = static_cast<std::int64_t>(random.below(3) * 20);
    const auto whole = store::JobPages(*database, few).read(query).value();
    store::JobPages pages(*database, few, static_cast<std::int64_t>(1 + random.below(60)));
    std::vector<std::string> expected;
    for (const auto& job : jobs)
      if (passes(job, query)) expected.push_back(job.spec.name);
    ASSERT_THAT(names_of(whole), testing::UnorderedElementsAreArray(expected)) << trial;
    query.limit = 1 + random.below(40);
    std::vector<std::string> joined;
    while (true) {
      const auto page = pages.read(query).value();
      for (const std::string& name : names_of(page)) joined.push_back(name);
      if (!page.next) break;
      query.after = page.next;
    }
    ASSERT_EQ(joined, names_of(whole)) << trial;
    ASSERT_EQ(joined, names(*store, [&] { query.after.reset(); query.limit = 1000; return query; }()));
  }
}

}  // namespace
}  // namespace evener::store
