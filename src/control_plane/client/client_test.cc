#include "control_plane/client/client.h"

#include <gtest/gtest.h>

#include <deque>

#include "base/clock.h"

namespace evener::control_plane {
namespace {

using document::make_object;

// Answers what it was given, one after the other, and keeps what it was asked.
class ScriptedHttp final : public http::Client {
 public:
  Result<http::Response> send(const http::Exchange& exchange) override {
    asked.push_back(exchange.request);
    if (answers.empty()) return failure(ErrorCode::kUnavailable, "connect: refused");
    auto answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  std::deque<Result<http::Response>> answers;
  std::vector<http::Request> asked;
};

http::Response refusal(const std::string& type, const std::string& message, int status = 400) {
  return {.status = status,
          .headers = {{"x-amzn-RequestId", "r"}},
          .body = R"({"__type":")" + type + R"(","message":")" + message + R"("})"};
}

class ServerClientTest : public ::testing::Test {
 protected:
  Answered ask(std::chrono::milliseconds patience = std::chrono::seconds(60)) {
    const ServerClient client(
        {.url = "http://127.0.0.1:1",
         .key = http::AccessKey{.id = "id", .secret = "secret"},
         .patience = patience,
         .trouble = [this](const std::string& why) { troubles_.push_back(why); },
         .pause = [this](std::chrono::milliseconds delay) {
           delays_.push_back(delay);
           clock_.advance(delay);
         }},
        http_, clock_);
    return client.ask(wire::Service::kEvener, "GetServer", make_object());
  }
  ErrorCode code_of(http::Response response) {
    http_.answers.emplace_back(std::move(response));
    const auto answered = ask();
    return answered.result ? ErrorCode::kInternal : answered.result.error().code;
  }

  ScriptedHttp http_;
  FakeClock clock_{from_millis(1'800'000'000'000)};
  std::vector<std::string> troubles_;
  std::vector<std::chrono::milliseconds> delays_;
};

TEST_F(ServerClientTest, SignsForTheServiceAndNamesTheOperation) {
  http_.answers.emplace_back(http::Response{.body = R"({"Product":"Evener"})"});
  const auto answered = ask();
  ASSERT_TRUE(answered.result);
  EXPECT_EQ(answered.result->text_at("Product"), "Evener");
  EXPECT_EQ(http_.asked.at(0).headers.find("x-amz-target"), "Evener.GetServer");
  EXPECT_NE(http_.asked.at(0).headers.find("authorization")->find("/us-east-1/evener/aws4_request"),
            std::string_view::npos);
}

TEST_F(ServerClientTest, ALostConnectionIsTriedAgainAndSaidOnce) {
  http_.answers.emplace_back(failure(ErrorCode::kUnavailable, "reset"));
  http_.answers.emplace_back(failure(ErrorCode::kCorrupt, "short"));
  http_.answers.emplace_back(http::Response{.status = 503});
  http_.answers.emplace_back(http::Response{.body = "{}"});
  const auto answered = ask();
  EXPECT_TRUE(answered.result);
  EXPECT_TRUE(answered.repeated);
  EXPECT_EQ(troubles_, (std::vector<std::string>{"reset", ""}));
  using std::chrono::milliseconds;
  EXPECT_EQ(delays_, (std::vector{milliseconds(200), milliseconds(400), milliseconds(800)}));
}

TEST_F(ServerClientTest, PatienceHasAnEnd) {
  const auto answered = ask(std::chrono::seconds(20));
  ASSERT_FALSE(answered.result);
  EXPECT_EQ(answered.result.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(troubles_, std::vector<std::string>{"connect: refused"});
  EXPECT_EQ(delays_.back(), std::chrono::seconds(5));
}

TEST_F(ServerClientTest, WithoutPatienceIsAskedOnce) {
  EXPECT_FALSE(ask(std::chrono::milliseconds(0)).result);
  EXPECT_EQ(http_.asked.size(), 1u);
  EXPECT_TRUE(troubles_.empty());
}

TEST_F(ServerClientTest, ErrorsOfTheServiceBecomeOurs) {
  EXPECT_EQ(code_of(refusal("ResourceNotFound", "no")), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(refusal("com.amazonaws#ResourceInUse", "no")), ErrorCode::kAlreadyExists);
  EXPECT_EQ(code_of(refusal("UnrecognizedClientException", "no")), ErrorCode::kPermissionDenied);
  EXPECT_EQ(code_of(refusal("ValidationException", "no")), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(refusal("UnknownOperationException", "no", 404)), ErrorCode::kUnsupported);
}

TEST_F(ServerClientTest, WhatIsNoControlPlaneIsToldFromOneThatRefuses) {
  EXPECT_EQ(code_of({.status = 404, .body = "<html>"}), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of({.status = 200, .body = "<html>"}), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of({.status = 301}), ErrorCode::kCorrupt);
}

TEST(ServerUrl, TakesAnOriginAndNothingElse) {
  EXPECT_EQ(*server_url("http://h:1"), "http://h:1");
  EXPECT_EQ(*server_url("https://h/"), "https://h");
  for (const char* wrong : {"", "h:1", "ftp://h", "http://", "http://h/path", "http://u@h", "http://h?q"})
    EXPECT_FALSE(server_url(wrong)) << wrong;
}

}  // namespace
}  // namespace evener::control_plane
