#include <gtest/gtest.h>

#include <chrono>

#include "http/sigv4/sigv4.h"

// The expected signatures are those that AWS publishes: its signature test suite and the examples
// of the S3 and IAM documentation.
namespace evener::http {
namespace {

using std::chrono::sys_days;
using namespace std::chrono_literals;

const AccessKey kSuiteKey{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
const AccessKey kS3Key{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
const WallTime kSuiteTime = sys_days(std::chrono::year(2015) / 8 / 30) + 12h + 36min;
const WallTime kS3Time = sys_days(std::chrono::year(2013) / 5 / 24);

std::string signature_of(Request request, const AccessKey& key, const SigningScope& scope,
                         WallTime time) {
  sign(request, key, scope, sha256_hex(request.body), time);
  const std::string text(request.headers.find("Authorization").value_or(""));
  return text.substr(text.find("Signature=") + 10);
}

std::string suite_signature(Request request) {
  request.headers.add("Host", "example.amazonaws.com");
  return signature_of(std::move(request), kSuiteKey, {"us-east-1", "service"}, kSuiteTime);
}

std::string s3_signature(Request request) {
  request.headers.add("Host", "examplebucket.s3.amazonaws.com");
  return signature_of(std::move(request), kS3Key, {"us-east-1", "s3"}, kS3Time);
}

TEST(Sign, AgreesWithThePublishedSuiteOnPlainRequests) {
  EXPECT_EQ(suite_signature({.method = "GET"}),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_EQ(suite_signature({.method = "POST"}),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
  EXPECT_EQ(suite_signature({.query = "Param2=value2&Param1=value1"}),
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
}

TEST(Sign, AgreesWithThePublishedSuiteOnRepeatedHeaders) {
  Request repeated;
  for (const auto* value : {"value2", "value2", "value1"}) {
    repeated.headers.add("My-Header1", value);
  }
  EXPECT_EQ(suite_signature(repeated),
            "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea");
}

TEST(Sign, AgreesWithThePublishedIamExample) {
  Request list_users{.query = "Action=ListUsers&Version=2010-05-08"};
  list_users.headers = {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"},
                        {"Host", "iam.amazonaws.com"}};
  EXPECT_EQ(signature_of(list_users, kSuiteKey, {"us-east-1", "iam"}, kSuiteTime),
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

TEST(Sign, AgreesWithThePublishedS3Examples) {
  EXPECT_EQ(s3_signature({.path = "/test.txt", .headers = {{"Range", "bytes=0-9"}}}),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  EXPECT_EQ(s3_signature({.method = "PUT",
                          .path = "/test%24file.text",
                          .headers = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                                      {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                          .body = "Welcome to Amazon S3."}),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  EXPECT_EQ(s3_signature({.query = "lifecycle"}),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(s3_signature({.query = "max-keys=2&prefix=J"}),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(Presign, AgreesWithThePublishedS3Example) {
  const Request request{.path = "/test.txt",
                        .headers = {{"Host", "examplebucket.s3.amazonaws.com"}}};
  const std::string query = presign(request, kS3Key, {"us-east-1", "s3"}, kS3Time, 24h);
  EXPECT_EQ(query,
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F"
            "us-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&"
            "X-Amz-SignedHeaders=host&X-Amz-Signature="
            "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(Sign, SigningAgainReplacesWhatWasSignedBefore) {
  Request request{.headers = {{"Host", "h"}}};
  sign(request, kSuiteKey, {"us-east-1", "s3"}, kUnsignedPayload, kS3Time);
  Request again = request;
  sign(again, kSuiteKey, {"us-east-1", "s3"}, kUnsignedPayload, kS3Time);
  EXPECT_EQ(again.headers, request.headers);
}

TEST(Sha256, OfNothingAndOfAbcAreThoseOfTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace evener::http
