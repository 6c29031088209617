#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "os/temporary_folder_test.h"
#include "training/engine/engine.h"
#include "training/engine/inbox.h"

namespace evener::engine {
namespace {

using namespace std::chrono_literals;
using jobs::JobEvent;

class IdleBackend final : public backends::Backend {
 public:
  Status start(const jobs::TrainingJob&) override { return ok(); }
  Status adopt(const jobs::TrainingJob&) override { return ok(); }
  void stop(const std::string&, backends::StopMode) override {}
  Status release(const jobs::TrainingJob&) override { return ok(); }
};

class CommitTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = store::open_store({.home = home_.path(), .synchronous = store::Synchronous::kOff});
    ASSERT_TRUE(store);
    store_ = std::move(*store);
    auto engine = make_engine(
        {.cluster = {.cpus = 1, .memory_gib = 1, .max_running_jobs = 1}, .observer = {}}, *store_,
        clock_, [](backends::EventSink) {
          return Result<std::unique_ptr<backends::Backend>>(std::make_unique<IdleBackend>());
        });
    ASSERT_TRUE(engine);
    engine_ = std::move(*engine);
  }
  JobEvent submission(const std::string& name) {
    jobs::JobSpec spec{.name = name};
    spec.groups.push_back({.name = "g", .instance_type = "t"});
    return {.job = name, .time = clock_.wall_now(), .change = jobs::Submitted{std::move(spec), ""}};
  }
  JobEvent stop(const std::string& name) {
    return {.job = name, .time = clock_.wall_now(), .change = jobs::StopRequested{}};
  }
  // Which of the events of one request were taken, once it is answered.
  CommitAnswer note() {
    return [this](Result<std::vector<Status>> answers) {
      std::string text = answers ? "" : "error";
      if (answers)
        for (const Status& status : *answers) text += status ? '+' : '-';
      answered_.push_back(text);
    };
  }

  os::TemporaryFolder home_{os::memory_or_temporary()};
  FakeClock clock_{from_millis(1'000'000)};
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::string> answered_;
};

TEST_F(CommitTest, RequestsOfOneTurnAreAnsweredInOrderEachWithItsOwn) {
  engine_->commit({submission("a")}, note());
  engine_->commit({submission("A"), submission("b")}, note());
  engine_->commit({stop("nobody")}, note());
  engine_->commit({}, note());
  EXPECT_TRUE(answered_.empty()) << "nothing is durable yet";
  ASSERT_TRUE(engine_->step(0ms));
  EXPECT_EQ(answered_, (std::vector<std::string>{"+", "-+", "-", ""}));
  EXPECT_TRUE(store_->find("a"));
  EXPECT_TRUE(store_->find("b"));
}

TEST_F(CommitTest, ARequestIsDurableWhenItIsAnswered) {
  bool found = false;
  engine_->commit({submission("a")}, [&](const Result<std::vector<Status>>& answers) {
    found = answers && store_->find("a").has_value();
  });
  ASSERT_TRUE(engine_->step(0ms));
  EXPECT_TRUE(found);
}

TEST_F(CommitTest, WhatWaitsWhenTheEngineEndsIsAnsweredWithAnError) {
  engine_->commit({submission("a")}, note());
  engine_.reset();
  EXPECT_EQ(answered_, std::vector<std::string>{"error"});
}

TEST_F(CommitTest, ARequestWakesAWaitingEngineAndIsAnsweredWhoeverAsks) {
  std::jthread running([this](std::stop_token stop) { engine_->run(std::move(stop)); });
  std::latch all(40);
  std::atomic<int> taken{0};
  {
    std::vector<std::jthread> clients;
    for (int client = 0; client < 4; ++client)
      clients.emplace_back([&, client] {
        for (int i = 0; i < 10; ++i)
          engine_->commit({submission("j" + std::to_string(client) + "-" + std::to_string(i))},
                          [&](const Result<std::vector<Status>>& answers) {
                            taken += answers && answers->at(0) ? 1 : 0;
                            all.count_down();
                          });
      });
  }
  all.wait();
  EXPECT_EQ(taken, 40);
}

TEST(Requests, OverTheLimitAreHandedBack) {
  Inbox inbox(1);
  for (std::size_t i = 0; i < kMostRequests; ++i) {
    CommitRequest request;
    ASSERT_FALSE(inbox.ask(request));
  }
  CommitRequest request;
  const auto refused = inbox.ask(request);
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->message.starts_with("ThrottlingException: "));
  EXPECT_EQ(inbox.take_requests().size(), kMostRequests);
  inbox.close();
  EXPECT_EQ(inbox.ask(request)->code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace evener::engine
