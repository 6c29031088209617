#include "evener/remote_jobs.h"

#include <gtest/gtest.h>

#include <utility>

namespace evener::app {
namespace {

using namespace std::chrono_literals;

// Gives the same answer to each request, at most `most` times.
class OneAnswer final : public http::Client {
 public:
  explicit OneAnswer(Result<http::Response> answer, int most)
      : answer_(std::move(answer)), left_(most) {}
  Result<http::Response> send(const http::Exchange&) override {
    if (left_-- > 0) return answer_;
    return failure(ErrorCode::kPermissionDenied, "asked too often");
  }

 private:
  const Result<http::Response> answer_;
  int left_;
};

std::unique_ptr<JobSource> jobs_behind(const std::string& body, const Clock& clock) {
  const http::Response answer{.status = 200, .headers = {}, .body = body};
  return make_remote_jobs({.url = "http://127.0.0.1:1",
                           .region = "us-east-1",
                           .key = {},
                           .http = std::make_shared<OneAnswer>(answer, 3),
                           .clock = &clock,
                           .facts = {}},
                          Patience::kSignal);
}

TEST(RemoteJobs, AJobIsGoneWhenItIsNotFoundNotWhenNobodyAnswers) {
  EXPECT_TRUE(is_gone(failure(ErrorCode::kNotFound, "no job a")));
  EXPECT_FALSE(is_gone(failure(ErrorCode::kUnavailable, "connection refused")));
  EXPECT_FALSE(is_gone(failure(ErrorCode::kTimedOut, "no answer")));
  EXPECT_FALSE(is_gone(jobs::TrainingJob{}));
}

TEST(RemoteJobs, AListThatSaysThereIsMoreAndGivesNothingEnds) {
  const SystemClock clock;
  const auto names =
      jobs_behind(R"({"TrainingJobSummaries":[],"NextToken":"again"})", clock)->names();
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_TRUE(names->empty());
}

}  // namespace
}  // namespace evener::app
