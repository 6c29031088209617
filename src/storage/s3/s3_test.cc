// What a hostile or busy server does, and what the store makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/s3/s3_lab_test.h"

namespace evener::storage {
namespace {

using testing::HasSubstr;

http::Response busy(int status, const std::string& code) {
  return {.status = status, .headers = {}, .body = "<Error><Code>" + code + "</Code></Error>"};
}

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
  return text;
}

// Faults of the first requests that match; then the server is well.
class Faults {
 public:
  Faults(S3Lab& lab, std::function<bool(const http::Exchange&)> matches, std::vector<Fault> faults)
      : matches_(std::move(matches)), faults_(std::move(faults)) {
    lab.server.fault = [this](const http::Exchange& exchange) -> std::optional<Fault> {
      MutexLock lock(mutex_);
      if (!matches_(exchange) || next_ == faults_.size()) return std::nullopt;
      return faults_[next_++];
    };
  }

 private:
  Mutex mutex_;
  std::function<bool(const http::Exchange&)> matches_;
  std::vector<Fault> faults_;
  std::size_t next_ = 0;
};

bool is_get(const http::Exchange& exchange) { return exchange.request.method == "GET"; }
bool is_put(const http::Exchange& exchange) { return exchange.request.method == "PUT"; }
bool is_post(const http::Exchange& exchange) { return exchange.request.method == "POST"; }

TEST(S3Reads, GoOnWhereTheyBrokeOff) {
  S3Lab lab;
  const std::string text = pattern(100'000);
  lab.server.put("bucket/k", text);
  Faults faults(lab, is_get, {{.cut_after = 30'000}, {.cut_after = 20'000}});
  EXPECT_EQ(lab.get("k", text.size()).value(), text);
  EXPECT_EQ(lab.server.log().size(), 3u);
}

TEST(S3Reads, DamagedBytesAreReadAnewAndAtLastRefused) {
  S3Lab lab;
  lab.server.put("bucket/k", pattern(1000));
  {
    Faults faults(lab, is_get, {{.damaged = 10}});
    EXPECT_EQ(lab.get("k", 1000).value(), pattern(1000));
  }
  Faults faults(lab, is_get, std::vector<Fault>(10, Fault{.damaged = 10}));
  EXPECT_EQ(lab.get("k", 1000).error().code, ErrorCode::kCorrupt);
}

TEST(S3Reads, DamagedBytesOfOneRangeOfManyAreSeen) {
  S3Lab lab;
  const std::string text = pattern(20u << 20);
  lab.server.put("bucket/k", text);
  Faults faults(lab, is_get, {{}, {.damaged = 10}});
  EXPECT_TRUE(lab.get("k", text.size()).value() == text);
  lab.server.says_checksums = false;      // then the ETag tells
  Faults again(lab, is_get, {{}, {.damaged = 10}});
  EXPECT_TRUE(lab.get("k", text.size()).value() == text);
}

TEST(S3Reads, ObjectThatChangesMeanwhileIsNeverMixed) {
  S3Lab lab;
  const std::string before = pattern(100'000);
  const std::string after(100'000, 'b');
  lab.server.put("bucket/k", before);
  int requests = 0;
  lab.server.fault = [&](const http::Exchange&) -> std::optional<Fault> {
    if (++requests == 1) return Fault{.cut_after = 50'000};
    if (requests == 2) lab.server.put("bucket/k", after);
    return std::nullopt;
  };
  EXPECT_EQ(lab.get("k", before.size()).value(), after);
}

TEST(S3Reads, ObjectThatVanishesIsNotFound) {
  S3Lab lab;
  EXPECT_EQ(lab.get("k", 100).error().code, ErrorCode::kNotFound);
  EXPECT_THAT(lab.get("k", 100).error().message, HasSubstr("s3://bucket/k: NoSuchKey"));
  EXPECT_EQ(lab.server.log().size(), 2u) << "a refusal is not tried again";
}

TEST(S3Retries, BusyServersAreAskedAgainWithPausesThatGrow) {
  S3Lab lab;
  lab.server.put("bucket/k", "text");
  Faults faults(lab, is_get,
                {{.answer = busy(503, "SlowDown")}, {.answer = busy(500, "InternalError")},
                 {.before = Error{ErrorCode::kUnavailable, "refused"}},
                 {.after = Error{ErrorCode::kTimedOut, "no answer"}}});
  const MonotonicTime begin = lab.clock.monotonic_now();
  EXPECT_EQ(lab.get("k", 4).value(), "text");
  EXPECT_GT(lab.clock.monotonic_now() - begin, std::chrono::milliseconds(500));
}

TEST(S3Retries, EndWithPatienceAndSayWhy) {
  S3Lab lab;
  lab.server.fault = [](const http::Exchange&) {
    return Fault{.before = Error{ErrorCode::kUnavailable, "connection refused"}};
  };
  const MonotonicTime begin = lab.clock.monotonic_now();
  const auto listed = lab.store->list(S3Lab::uri("k"));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(listed.error().message, HasSubstr("connection refused"));
  EXPECT_GE(lab.clock.monotonic_now() - begin, RetryLimits{}.patience);
  EXPECT_LT(lab.server.log().size(), 40u);
  EXPECT_EQ(lab.troubles, std::vector<std::string>{"connection refused"});
  lab.server.fault = nullptr;
  EXPECT_TRUE(lab.store->list(S3Lab::uri("k")));
  EXPECT_EQ(lab.troubles.back(), "") << "and that it is over";
}

TEST(S3Retries, AskForTheAccessAnewSinceAServerMayMove) {
  S3Lab lab;
  lab.server.put("bucket/k", "text");
  int asked = 0;
  lab.access = [&]() -> Result<S3Access> {
    S3Access access = lab_access();
    access.endpoint = ++asked == 1 ? "http://old:1" : "http://new:2";
    return access;
  };
  lab.server.fault = [](const http::Exchange& exchange) -> std::optional<Fault> {
    if (exchange.origin == "http://new:2") return std::nullopt;
    return Fault{.before = Error{ErrorCode::kUnavailable, "refused"}};
  };
  EXPECT_EQ(lab.get("k", 4).value(), "text");
}

TEST(S3Redirects, AnotherRegionIsSignedForAndRemembered) {
  S3Lab lab;
  lab.server.put("bucket/k", "text");
  lab.server.region = "eu-central-1";
  EXPECT_EQ(lab.get("k", 4).value(), "text");
  EXPECT_EQ(lab.server.log().size(), 2u);
  EXPECT_EQ(lab.get("k", 4).value(), "text");
  EXPECT_EQ(lab.server.log().size(), 3u);
}

TEST(S3Redirects, LeadToAnotherHostButNeverRoundInCircles) {
  S3Lab lab;
  lab.server.put("bucket/k", "text");
  const http::Response moved{.status = 307,
                             .headers = {{"Location", "http://elsewhere:9/bucket/k"}},
                             .body = ""};
  std::vector<std::string> origins;
  lab.server.fault = [&](const http::Exchange& exchange) -> std::optional<Fault> {
    origins.push_back(exchange.origin);
    if (exchange.origin == "http://elsewhere:9") return std::nullopt;
    return Fault{.answer = moved};
  };
  EXPECT_EQ(lab.get("k", 4).value(), "text");
  EXPECT_EQ(origins.back(), "http://elsewhere:9");
  lab.server.fault = [&](const http::Exchange&) { return Fault{.answer = moved}; };
  EXPECT_THAT(lab.get("k", 4).error().message, HasSubstr("redirected too often"));
}

TEST(S3Writes, LostAnswersDoNotMakeAClaimFail) {
  S3Lab lab;
  Faults faults(lab, is_put, {{.after = Error{ErrorCode::kUnavailable, "reset"}}});
  auto file = lab.store->create_new(S3Lab::uri("claim")).value();
  const std::string text = "mine";
  ASSERT_TRUE(file->append(std::as_bytes(std::span(text))));
  EXPECT_TRUE(file->close());
  EXPECT_EQ(lab.server.text("bucket/claim"), "mine");
}

TEST(S3Writes, LostAnswerToTheLastRequestOfAnUploadIsNoFailure) {
  S3Lab lab;
  const std::string text = pattern(20u << 20);
  Faults faults(lab, is_post, {{}, {.after = Error{ErrorCode::kUnavailable, "reset"}}});
  const Status stored = lab.put("large", text);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_TRUE(lab.server.text("bucket/large") == text);
  EXPECT_EQ(lab.server.open_uploads(), 0u);
}

TEST(S3Writes, FailedUploadsAreGivenUpAndLeaveNothing) {
  S3Lab lab;
  lab.server.fault = [](const http::Exchange& exchange) -> std::optional<Fault> {
    if (exchange.request.query.find("partNumber=2") == std::string::npos) return std::nullopt;
    return Fault{.answer = busy(403, "AccessDenied")};
  };
  const Status stored = lab.put("large", pattern(40u << 20));
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(lab.server.open_uploads(), 0u);
  EXPECT_FALSE(lab.server.text("bucket/large"));
}

TEST(S3Writes, OldUploadsOfTheSameObjectAreRemoved) {
  S3Lab lab;
  lab.server.begin_upload("bucket/large", "2026-01-01T00:00:00.000Z");
  lab.server.begin_upload("bucket/large", "2099-01-01T00:00:00.000Z");
  lab.server.begin_upload("bucket/larger", "2026-01-01T00:00:00.000Z");
  ASSERT_TRUE(lab.put("large", pattern(9u << 20)));
  EXPECT_EQ(lab.server.open_uploads(), 2u) << "one is young, one is another's";
}

TEST(S3Writes, BodiesThatArriveDamagedAreSentAgain) {
  S3Lab lab;
  Faults faults(lab, is_put, {{.answer = busy(400, "BadDigest")}});
  EXPECT_TRUE(lab.put("k", "text"));
}

TEST(S3Lists, BucketThatChangesBetweenPagesGivesEachKeyOnce) {
  S3Lab lab;
  for (char c = 'a'; c <= 'j'; ++c) lab.server.put(std::string("bucket/d/") + c, "x");
  int pages = 0;
  lab.server.fault = [&](const http::Exchange&) -> std::optional<Fault> {
    if (++pages == 2) {
      lab.server.put("bucket/d/aa", "x");
      lab.server.put("bucket/d/z", "x");
    }
    return std::nullopt;
  };
  const auto listed = lab.store->list(S3Lab::uri("d")).value();
  EXPECT_EQ(listed.size(), 11u);
  EXPECT_EQ(listed.back().key, "z");
}

TEST(S3Lists, AnswersThatAreNoListingAreErrors) {
  for (const char* body : {"", "<html></html>", "<ListBucketResult><Contents/></ListBucketResult>",
                           "<!DOCTYPE x><ListBucketResult/>"}) {
    S3Lab lab;
    lab.server.fault = [&](const http::Exchange&) {
      return Fault{.answer = http::Response{.status = 200, .headers = {}, .body = body}};
    };
    EXPECT_EQ(lab.store->list(S3Lab::uri("k")).error().code, ErrorCode::kCorrupt) << body;
  }
}

TEST(S3Stops, EndWhateverIsGoingOn) {
  FakeClock clock(from_millis(1'796'000'000'000));
  SharedRandom random;
  FakeS3 server(lab_access().key);
  std::stop_source source;
  server.fault = [&](const http::Exchange&) {
    source.request_stop();
    return Fault{.before = Error{ErrorCode::kUnavailable, "refused"}};
  };
  const auto store = make_s3_store(
      {.access = [] { return Result<S3Access>(lab_access()); }, .stop = source.get_token()},
      {.client = server, .clock = clock, .random = random, .pause = real_pause()});
  EXPECT_EQ(store->list(S3Lab::uri("k")).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(store->create(S3Lab::uri("k")).value()->close().error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace evener::storage
