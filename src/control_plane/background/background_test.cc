#include "control_plane/background/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>

namespace evener::control_plane {
namespace {

Operation blocking(std::latch& entered, std::latch& leave) {
  return {wire::Service::kLogs, "Wait", Access::kRead,
          [&](const document::Value& input, const Caller&, const Answer& answer) {
            if (!entered.try_wait()) entered.count_down();
            leave.wait();
            answer(wire::Output{.value = input, .ready_json = {}});
          }};
}

TEST(Background, AnswersWithoutHoldingTheThreadThatAsks) {
  std::latch entered(1);
  std::latch leave(1);
  std::promise<std::string> answered;
  Background background(1);
  const auto operations = background.move({blocking(entered, leave)});
  EXPECT_EQ(operations.at(0).name, "Wait");
  operations.at(0).run(document::make_string("x"), {}, [&](const Result<wire::Output>& output) {
    answered.set_value(output ? output->value.text : output.error().message);
  });
  entered.wait();
  leave.count_down();
  EXPECT_EQ(answered.get_future().get(), "x");
}

TEST(Background, RefusesWhatIsTooMuchAndDropsAtItsEndWhatWaits) {
  std::latch entered(1);
  std::latch leave(1);
  std::atomic<int> answered{0};
  std::atomic<int> refused{0};
  {
    Background background(1);
    const auto operations = background.move({blocking(entered, leave)});
    const auto ask = [&] {
      operations.at(0).run({}, {}, [&](const Result<wire::Output>& output) {
        ++(output ? answered : refused);
      });
    };
    ask();
    entered.wait();
    for (std::size_t i = 0; i < kMostTasks + 2; ++i) ask();
    EXPECT_EQ(refused, 2);
    leave.count_down();
  }
  EXPECT_GE(answered, 1);
}

TEST(Background, InputsThatWaitHaveABudgetOfBytes) {
  std::latch entered(1);
  std::latch leave(1);
  std::atomic<int> answered{0};
  std::atomic<int> refused{0};
  const document::Value input = document::make_string(std::string(1u << 20, 'x'));
  constexpr int kFit = 63;   // besides the megabyte of text each has a value around it
  {
    Background background(1);
    const auto operations = background.move({blocking(entered, leave)});
    const auto ask = [&] {
      operations.at(0).run(input, {}, [&](const Result<wire::Output>& output) {
        ++(output ? answered : refused);
      });
    };
    ask();
    entered.wait();
    for (int i = 0; i < kFit + 3; ++i) ask();
    EXPECT_EQ(refused, 3);
    leave.count_down();
  }
  EXPECT_GE(answered, 1);
}

}  // namespace
}  // namespace evener::control_plane
