#include "control_plane/evener/evener.h"

#include <gtest/gtest.h>

#include <future>

#include "training/store/test_home_test.h"

namespace evener::control_plane {
namespace {

using namespace std::chrono_literals;

class FollowersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = home_.open();
    ASSERT_TRUE(store_);
    ASSERT_TRUE(store::commit_each(*store_, {store::submission("a")}));
  }
  std::future<Result<wire::Output>> follow(const std::string& job, following::Position position,
                                           std::chrono::milliseconds wait) {
    auto promise = std::make_shared<std::promise<Result<wire::Output>>>();
    auto future = promise->get_future();
    followers_->follow({job, std::move(position), wait}, [promise](Result<wire::Output> output) {
      promise->set_value(std::move(output));
    });
    return future;
  }
  static std::size_t events_of(const Result<wire::Output>& output) {
    return output ? output->value.find("Update")->items_at("Events").size() : 999;
  }
  static following::Position place_of(const Result<wire::Output>& output) {
    return *following::position_from(*output->value.find("Position"));
  }

  store::TestHome home_;
  std::unique_ptr<store::Store> store_;
  const SystemClock clock_;
  Stores stores_{home_.path()};
  std::vector<std::string> asked_for_;   // by the thread of the followers
  std::unique_ptr<Followers> followers_ =
      std::make_unique<Followers>(stores_, clock_, [this](const std::string& job) {
        asked_for_.push_back(job);
        return following::JobFiles{"/none", "/none"};
      });
};

TEST_F(FollowersTest, WhatIsThereIsAnsweredAtOnce) {
  EXPECT_EQ(events_of(follow("a", {}, 20s).get()), 1u);
}

TEST_F(FollowersTest, WhoHasSeenAllWaitsForNews) {
  const auto first = follow("a", {}, 0ms).get();
  auto waiting = follow("a", place_of(first), 20s);
  ASSERT_TRUE(store::commit_each(*store_, {store::submission("b"),
                                           store::event_of("a", jobs::Noticed{"news"}, 1001)}));
  EXPECT_EQ(events_of(waiting.get()), 1u);
}

TEST_F(FollowersTest, AWaitEndsWithoutNews) {
  const auto first = follow("a", {}, 0ms).get();
  EXPECT_EQ(events_of(follow("a", place_of(first), 1ms).get()), 0u);
}

TEST_F(FollowersTest, NobodyWaitsForAServerThatEnds) {
  const auto first = follow("a", {}, 0ms).get();
  auto waiting = follow("a", place_of(first), 20s);
  followers_->release();
  EXPECT_EQ(events_of(waiting.get()), 0u);
  EXPECT_EQ(events_of(follow("a", place_of(first), 20s).get()), 0u);
  waiting = follow("a", place_of(first), 20s);
  followers_.reset();
  EXPECT_TRUE(waiting.get());
}

TEST_F(FollowersTest, AnUnknownJobIsNotFound) {
  const auto answer = follow("nobody", {}, 20s).get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
}

TEST_F(FollowersTest, AnUnknownJobIsNotFoundAtOnceFromAnyPlace) {
  for (const std::int64_t row : {1, 1'000}) {
    const auto answer = follow("nobody", {.row = row}, 20s);
    ASSERT_EQ(answer.wait_for(10s), std::future_status::ready);
  }
  const auto answer = follow("nobody", {.row = 1}, 20s).get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
}

TEST_F(FollowersTest, ANameThatLeadsElsewhereIsNoJobFromAnyPlace) {
  for (const char* name : {"../a", "..", "a/../b", "/a"}) {
    const auto answer = follow(name, {.row = 1}, 0ms).get();
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
  }
  EXPECT_EQ(asked_for_, std::vector<std::string>{});
}

TEST(Answers, FactsAndCostsComeBackAsTheyWere) {
  const ServerFacts facts{.version = "1", .output = "file:///o", .s3_endpoint = "http://s",
                          .bucket = "b", .cpus = 2.5, .folder = "/f", .device = ~0ull, .inode = 7, .boot = "x"};
  const auto back = facts_from(document_of(facts));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->device, facts.device);
  EXPECT_EQ(back->folder, facts.folder);
  EXPECT_EQ(back->bucket, facts.bucket);
  EXPECT_EQ(back->cpus, 2.5);
  EXPECT_FALSE(facts_from(document::make_object()));

  const cost::JobCost cost{.groups = {{.group = "g", .usd = 0.5, .usd_per_hour = 2.25,
                                       .price_note = "n", .price_source = "s"},
                                      {.group = "h", .usd = {}, .usd_per_hour = {},
                                       .price_note = "none", .price_source = ""}},
                           .usd = {}};
  const auto cost_back = cost_from(document_of(cost));
  ASSERT_EQ(cost_back.groups.size(), 2u);
  EXPECT_EQ(cost_back.groups[0].usd, 0.5);
  EXPECT_EQ(cost_back.groups[0].price_note, "n");
  EXPECT_FALSE(cost_back.groups[1].usd);
  EXPECT_FALSE(cost_back.usd);
}

}  // namespace
}  // namespace evener::control_plane
