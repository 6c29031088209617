#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "http/sigv4/sigv4.h"

namespace evener::http {
namespace {

using namespace std::chrono_literals;

const WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 11 / 30) + 23h + 55min;
const AccessKey kKey{"AKEXAMPLE", "secret"};
const SigningScope kScope{"us-west-2", "sagemaker"};

Request plain_request() {
  return {.method = "POST",
          .query = "a=1&b=2",
          .headers = {{"Host", "127.0.0.1:4600"},
                      {"X-Amz-Target", "SageMaker.ListTrainingJobs"},
                      {"Content-Type", "application/x-amz-json-1.1"}},
          .body = "{}"};
}

Request signed_request(const AccessKey& key = kKey) {
  Request request = plain_request();
  sign(request, key, kScope, sha256_hex(request.body), kNow);
  return request;
}

Request presigned_request(const std::string& method, const SigningScope& scope) {
  Request request{.method = method, .path = "/b/k", .headers = {{"Host", "h"}}};
  request.query = presign(request, kKey, scope, kNow, 60s);
  return request;
}

// The code before the first colon; "" for a request that is verified.
std::string code_of(const Request& request, WallTime now = kNow,
                    const std::vector<AccessKey>& keys = {kKey}) {
  const auto caller = Verifier(keys).verify(request, now);
  if (caller) return "";
  EXPECT_EQ(caller.error().code, ErrorCode::kPermissionDenied);
  return caller.error().message.substr(0, caller.error().message.find(':'));
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " in " << text;
  text.replace(at, from.size(), to);
}

Request with_authorization(std::string_view from, std::string_view to) {
  Request request = signed_request();
  std::string text(*request.headers.find("Authorization"));
  replace(text, from, to);
  request.headers.set("Authorization", text);
  return request;
}

TEST(Verify, SaysWhoSignedForWhichRegionAndService) {
  const auto caller = Verifier({kKey}).verify(signed_request(), kNow);
  ASSERT_TRUE(caller) << caller.error().message;
  EXPECT_EQ(caller->access_key_id, "AKEXAMPLE");
  EXPECT_EQ(caller->region, "us-west-2");
  EXPECT_EQ(caller->service, "sagemaker");
}

TEST(Verify, AChangeOfAnySignedPartIsSeen) {
  const std::vector<std::function<void(Request&)>> changes = {
      [](Request& r) { r.method = "GET"; },
      [](Request& r) { r.path = "/x"; },
      [](Request& r) { r.query = "a=1&b=3"; },
      [](Request& r) { r.query += "&c"; },
      [](Request& r) { r.body = "{ }"; },
      [](Request& r) { r.body.clear(); },
      [](Request& r) { r.headers.set("Host", "evil"); },
      [](Request& r) { r.headers.set("X-Amz-Target", "SageMaker.DeleteTrainingJob"); },
      [](Request& r) { r.headers.set("Content-Type", "text/plain"); },
      [](Request& r) { r.headers.add("Content-Type", "text/plain"); },
      [](Request& r) { r.headers.remove("Content-Type"); },
      [](Request& r) { r.headers.set("X-Amz-Date", "20261130T235501Z"); }};
  for (std::size_t at = 0; at < changes.size(); ++at) {
    Request request = signed_request();
    changes[at](request);
    EXPECT_EQ(code_of(request), "InvalidSignatureException") << "change " << at;
  }
}

TEST(Verify, HeadersThatAreNotSignedMayChangeButForThoseOfAws) {
  Request request = signed_request();
  request.headers.add("User-Agent", "changed");
  request.headers.add("Accept-Encoding", "identity");
  EXPECT_EQ(code_of(request), "");
  request.headers.add("X-Amz-Extra", "1");
  EXPECT_EQ(code_of(request), "InvalidSignatureException");
}

TEST(Verify, ASecondTargetIsRefusedEvenIfBothAreSigned) {
  Request request = plain_request();
  request.headers.add("x-amz-target", "SageMaker.DeleteTrainingJob");
  sign(request, kKey, kScope, sha256_hex(request.body), kNow);
  EXPECT_EQ(code_of(request), "InvalidSignatureException");
}

TEST(Verify, TheHostMustBeSigned) {
  Request request;
  sign(request, kKey, kScope, sha256_hex(""), kNow);
  EXPECT_EQ(code_of(request), "InvalidSignatureException");
}

TEST(Verify, AWrongSecretAnUnknownKeyAndNoSignatureHaveCodesOfTheirOwn) {
  EXPECT_EQ(code_of(signed_request({"AKEXAMPLE", "other"})), "InvalidSignatureException");
  EXPECT_EQ(code_of(signed_request({"AKOTHER", "secret"})), "UnrecognizedClientException");
  EXPECT_EQ(code_of(plain_request()), "MissingAuthenticationToken");
  EXPECT_EQ(code_of(signed_request(), kNow, {}), "UnrecognizedClientException");
}

TEST(Verify, ClocksMayDifferByFifteenMinutesAcrossMidnightToo) {
  EXPECT_EQ(code_of(signed_request(), kNow + 15min), "");
  EXPECT_EQ(code_of(signed_request(), kNow - 15min), "");
  EXPECT_EQ(code_of(signed_request(), kNow + 15min + 1s), "InvalidSignatureException");
  EXPECT_EQ(code_of(signed_request(), kNow - 15min - 1s), "InvalidSignatureException");
}

TEST(Verify, AnOldDateIsNamedInTheAnswerAsAwsDoes) {
  const auto late = Verifier({kKey}).verify(signed_request(), kNow + 1h);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message,
            "InvalidSignatureException: Signature expired: 20261130T235500Z is now earlier than "
            "20261201T004000Z (20261201T005500Z - 15 min.)");
  const auto early = Verifier({kKey}).verify(signed_request(), kNow - 1h);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().message,
            "InvalidSignatureException: Signature not yet current: 20261130T235500Z is still "
            "later than 20261130T231000Z (20261130T225500Z + 15 min.)");
}

TEST(Verify, TheDayOfTheScopeIsThatOfTheDate) {
  EXPECT_EQ(code_of(with_authorization("/20261130/", "/20261129/")), "InvalidSignatureException");
}

TEST(Verify, ABrokenAuthorizationHeaderIsIncomplete) {
  const std::pair<const char*, const char*> changes[] = {
      {"AWS4-HMAC-SHA256", "AWS4-HMAC-SHA1"}, {"Credential=", "Credential"},
      {"Credential=", "Other="},              {"/aws4_request", "/aws4"},
      {"/sagemaker/", "/sage/maker/"},        {"/us-west-2/", "//"},
      {"SignedHeaders=", "SignedHeaders=b;a;"}, {";host", ";Host"},
      {";host", ";host;host"},                {", Signature=", ", Signature=a, Signature="}};
  for (const auto& [from, to] : changes) {
    EXPECT_EQ(code_of(with_authorization(from, to)), "IncompleteSignature") << from << to;
  }
  Request twice = signed_request();
  twice.headers.add("authorization", *twice.headers.find("Authorization"));
  EXPECT_EQ(code_of(twice), "IncompleteSignature");
}

TEST(Verify, ADateThatIsNoneIsIncomplete) {
  for (const char* date : {"", "20261130", "20261131T000000Z", "20261130T240000Z",
                           "2026113 T000000Z", "20261130T101112z", "-0261130T101112Z"}) {
    Request request = signed_request();
    request.headers.set("X-Amz-Date", date);
    EXPECT_EQ(code_of(request), "IncompleteSignature") << date;
  }
}

TEST(Verify, ASessionTokenMustBeTheKeysOwn) {
  const AccessKey temporary{"AKTEMP", "secret", "token"};
  EXPECT_EQ(code_of(signed_request(temporary), kNow, {temporary}), "");
  EXPECT_EQ(code_of(signed_request({"AKTEMP", "secret", "other"}), kNow, {temporary}),
            "UnrecognizedClientException");
  EXPECT_EQ(code_of(signed_request({"AKTEMP", "secret"}), kNow, {temporary}),
            "UnrecognizedClientException");
  EXPECT_EQ(code_of(signed_request({"AKEXAMPLE", "secret", "token"})),
            "UnrecognizedClientException");
}

TEST(Verify, AnUnsignedBodyIsOnlyForPresignedS3) {
  Request request = plain_request();
  sign(request, kKey, {"us-west-2", "s3"}, kUnsignedPayload, kNow);
  EXPECT_EQ(code_of(request), "InvalidSignatureException");
  Request put = presigned_request("PUT", {"us-west-2", "s3"});
  put.body = "anything";
  EXPECT_EQ(code_of(put), "");
  Request other = presigned_request("PUT", kScope);
  EXPECT_EQ(code_of(other), "");
  other.body = "anything";
  EXPECT_EQ(code_of(other), "InvalidSignatureException");
}

TEST(Verify, APresignedUrlHoldsForItsTimeMethodPathAndQuery) {
  const Request get = presigned_request("GET", {"us-west-2", "s3"});
  EXPECT_EQ(code_of(get, kNow + 60s), "");
  EXPECT_EQ(code_of(get, kNow + 61s), "InvalidSignatureException");
  EXPECT_EQ(code_of(get, kNow - 16min), "InvalidSignatureException");
  Request changed = get;
  changed.method = "PUT";
  EXPECT_EQ(code_of(changed), "InvalidSignatureException");
  changed = get;
  changed.path = "/b/other";
  EXPECT_EQ(code_of(changed), "InvalidSignatureException");
  changed = get;
  replace(changed.query, "X-Amz-Expires=60", "X-Amz-Expires=600");
  EXPECT_EQ(code_of(changed), "InvalidSignatureException");
}

TEST(Verify, APresignedUrlWithPartsMissingRepeatedOrTooLongIsIncomplete) {
  const Request get = presigned_request("GET", {"us-west-2", "s3"});
  for (const char* name : {"X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires",
                           "X-Amz-SignedHeaders", "X-Amz-Signature"}) {
    Request changed = get;
    replace(changed.query, name, "Other");
    EXPECT_EQ(code_of(changed), "IncompleteSignature") << name;
    changed = get;
    changed.query += "&" + std::string(name) + "=1";
    EXPECT_EQ(code_of(changed), "IncompleteSignature") << name;
  }
  Request changed = get;
  replace(changed.query, "X-Amz-Expires=60", "X-Amz-Expires=604801");
  EXPECT_EQ(code_of(changed), "IncompleteSignature");
  changed = get;
  changed.headers.add("Authorization", "AWS4-HMAC-SHA256");
  EXPECT_EQ(code_of(changed), "IncompleteSignature");
}

TEST(Verify, BrokenRequestsNeverVerifyAndNeverCrash) {
  std::mt19937 random(11);
  const Verifier verifier({kKey});
  const Request signed_one = signed_request();
  const Request presigned = presigned_request("GET", {"us-west-2", "s3"});
  const auto break_byte = [&](std::string& text) {
    const char before = text[random() % text.size()];
    std::size_t at = text.find(before);
    text[at] = static_cast<char>(text[at] ^ (1 << (random() % 8)));
  };
  for (int round = 0; round < 5'000; ++round) {
    Request request = signed_one;
    std::string text(*request.headers.find("Authorization"));
    break_byte(text);
    request.headers.set("Authorization", text);
    const auto caller = verifier.verify(request, kNow);
    // White space between the parts, where a bit may turn, says nothing.
    EXPECT_TRUE(!caller || text.find('\t') != std::string::npos) << text;
    request = presigned;
    break_byte(request.query);
    static_cast<void>(verifier.verify(request, kNow));
  }
}

TEST(Verify, AVerifierMayBeSharedBetweenThreads) {
  const Verifier verifier({kKey});
  const Request request = signed_request();
  std::atomic<int> verified = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int round = 0; round < 200; ++round) {
          if (verifier.verify(request, kNow)) ++verified;
        }
      });
    }
  }
  EXPECT_EQ(verified, 800);
}

}  // namespace
}  // namespace evener::http
