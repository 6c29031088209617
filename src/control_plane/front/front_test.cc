#include "control_plane/front/front.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "control_plane/front/origin.h"
#include "http/sigv4/sigv4.h"

namespace evener::control_plane {
namespace {

using document::Value;

class FrontTest : public ::testing::Test {
 protected:
  void SetUp() override { open({}); }

  void open(FrontOptions options) {
    options.keys = {{"FULLKEY", "secret1", Role::kFull}, {"READKEY", "secret2", Role::kReadOnly}};
    std::vector<Operation> operations;
    operations.push_back(reading(wire::Service::kSageMaker, "DescribeTrainingJob",
                                 [this](const Value& input, const Caller& caller) -> Result<Value> {
                                   ++calls_;
                                   Value value = document::make_object();
                                   value.set("Name", document::make_string(input.text_at("Name")));
                                   value.set("Region", document::make_string(caller.region));
                                   return value;
                                 }));
    operations.push_back({wire::Service::kSageMaker, "StopTrainingJob", Access::kWrite,
                          [this](const Value&, const Caller&, const Answer& answer) {
                            ++calls_;
                            answer(wire::Output{});
                          }});
    on_request_ = make_front(std::move(options), std::move(operations), clock_, random_);
  }

  static http::Request request(const std::string& operation, const std::string& body = "{}") {
    http::Request request{.method = "POST", .body = body};
    request.headers.add("Host", "127.0.0.1:8080");
    request.headers.add("Content-Type", "application/x-amz-json-1.1");
    request.headers.add("X-Amz-Target", "SageMaker." + operation);
    return request;
  }

  http::Response ask(http::Request request, const http::AccessKey& key = {"FULLKEY", "secret1"},
                     const std::string& service = "sagemaker") {
    http::sign(request, key, {"eu-west-1", service}, http::sha256_hex(request.body),
               clock_.wall_now() + shift_);
    return send(request);
  }

  http::Response send(const http::Request& request) {
    http::Response response{.status = 0};
    on_request_(request, [&](http::Response one) { response = std::move(one); });
    return response;
  }

  FakeClock clock_{from_millis(1'796'033'472'000)};
  SeededRandom random_{1};
  std::chrono::minutes shift_{0};
  http::OnRequest on_request_;
  int calls_ = 0;
};

TEST_F(FrontTest, ASignedRequestReachesItsOperation) {
  const auto response = ask(request("DescribeTrainingJob", R"({"Name":"x"})"));
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.body, R"({"Name":"x","Region":"eu-west-1"})");
  EXPECT_EQ(response.headers.find("x-amzn-requestid")->size(), 36u);
}

TEST_F(FrontTest, EveryRequestHasAnIdOfItsOwn) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    const std::string id(*send(request("DescribeTrainingJob")).headers.find("x-amzn-requestid"));
    for (const std::size_t dash : {8u, 13u, 18u, 23u}) EXPECT_EQ(id.at(dash), '-') << id;
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 100u);
}

TEST_F(FrontTest, ARequestWithoutSignatureIsRefusedOnLoopbackToo) {
  const auto response = send(request("DescribeTrainingJob"));
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("MissingAuthenticationTokenException"), std::string::npos);
  EXPECT_EQ(calls_, 0);
}

TEST_F(FrontTest, AWrongSecretAndAnUnknownKeyAreRefused) {
  const auto wrong = ask(request("DescribeTrainingJob"), {"FULLKEY", "guess"});
  EXPECT_NE(wrong.body.find("InvalidSignatureException"), std::string::npos) << wrong.body;
  const auto unknown = ask(request("DescribeTrainingJob"), {"OTHERKEY", "secret1"});
  EXPECT_NE(unknown.body.find("UnrecognizedClientException"), std::string::npos) << unknown.body;
  EXPECT_EQ(calls_, 0);
}

TEST_F(FrontTest, AClockThatIsOffByMoreThan15MinutesIsRefused) {
  shift_ = std::chrono::minutes(-16);
  EXPECT_NE(ask(request("DescribeTrainingJob")).status, 200);
  shift_ = std::chrono::minutes(16);
  EXPECT_NE(ask(request("DescribeTrainingJob")).status, 200);
  shift_ = std::chrono::minutes(14);
  EXPECT_EQ(ask(request("DescribeTrainingJob")).status, 200);
}

TEST_F(FrontTest, ASignatureForAnotherServiceIsRefused) {
  EXPECT_NE(ask(request("StopTrainingJob"), {"FULLKEY", "secret1"}, "s3").status, 200);
  EXPECT_EQ(calls_, 0);
}

TEST_F(FrontTest, ABodyThatWasChangedOnItsWayIsRefused) {
  http::Request signed_request = request("StopTrainingJob", R"({"Name":"a"})");
  http::sign(signed_request, {"FULLKEY", "secret1"}, {"eu-west-1", "sagemaker"},
             http::sha256_hex(signed_request.body), clock_.wall_now());
  signed_request.body = R"({"Name":"b"})";
  EXPECT_NE(send(signed_request).status, 200);
}

TEST_F(FrontTest, APresignedUrlIsNoWayIn) {
  http::Request presigned = request("StopTrainingJob");
  presigned.query = http::presign(presigned, {"FULLKEY", "secret1"}, {"eu-west-1", "sagemaker"},
                                  clock_.wall_now(), std::chrono::seconds(60));
  EXPECT_NE(send(presigned).status, 200);
  EXPECT_EQ(calls_, 0);
}

TEST_F(FrontTest, AReadOnlyKeyReadsAndDoesNotWrite) {
  EXPECT_EQ(ask(request("DescribeTrainingJob"), {"READKEY", "secret2"}).status, 200);
  const auto response = ask(request("StopTrainingJob"), {"READKEY", "secret2"});
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("AccessDeniedException"), std::string::npos);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(ask(request("StopTrainingJob")).status, 200);
}

TEST_F(FrontTest, APageThatRebindsItsNameIsRefused) {
  for (const std::string host : {"evil.example", "evil.example:8080", "127.0.0.1.evil.example",
                                 "localhost.evil.example", "10.0.0.1", "[::2]:80", "", "[::1",
                                 "127.0.0.1:80:80", "0x7f.1", "localhost:x"}) {
    http::Request one = request("DescribeTrainingJob");
    one.headers.set("Host", host);
    EXPECT_EQ(ask(one).status, 403) << host;
  }
  EXPECT_EQ(calls_, 0);
  for (const std::string host : {"localhost", "LOCALHOST:9", "127.0.0.1", "127.9.9.9:80", "[::1]:80"}) {
    http::Request one = request("DescribeTrainingJob");
    one.headers.set("Host", host);
    EXPECT_EQ(ask(one).status, 200) << host;
  }
}

TEST_F(FrontTest, AWebPageIsRefusedEvenWithASignature) {
  http::Request origin = request("DescribeTrainingJob");
  origin.headers.add("Origin", "http://127.0.0.1:8080");
  EXPECT_EQ(ask(origin).status, 403);
  http::Request cross = request("DescribeTrainingJob");
  cross.headers.add("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(ask(cross).status, 403);
  EXPECT_EQ(calls_, 0);
}

TEST_F(FrontTest, AChosenNameAndAnyAddressAreAllowedWhereAskedFor) {
  open({.addresses = HostAddresses::kAny, .host_names = {"localhost", "box.lan"}});
  http::Request one = request("DescribeTrainingJob");
  one.headers.set("Host", "box.lan:1");
  EXPECT_EQ(ask(one).status, 200);
  one.headers.set("Host", "10.0.0.1:1");
  EXPECT_EQ(ask(one).status, 200);
}

TEST_F(FrontTest, WithoutSignaturesEveryoneMayButAWebPage) {
  open({.signatures = Signatures::kIgnored});
  EXPECT_EQ(send(request("StopTrainingJob")).status, 200);
  http::Request page = request("StopTrainingJob");
  page.headers.add("Origin", "http://evil.example");
  EXPECT_EQ(send(page).status, 403);
}

TEST_F(FrontTest, WhatIsNotThereIsAnUnknownOperation) {
  const auto response = ask(request("CreateEndpoint"));
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body, R"({"__type":"UnknownOperationException","message":"Evener has no operation CreateEndpoint"})");
  http::Request form{.method = "POST", .body = "Action=CreateUser&Version=2010-05-08"};
  form.headers.add("Host", "localhost");
  form.headers.add("Content-Type", "application/x-www-form-urlencoded");
  const auto query = ask(form, {"FULLKEY", "secret1"}, "iam");
  EXPECT_EQ(query.status, 400);
  EXPECT_NE(query.body.find("<Code>InvalidAction</Code>"), std::string::npos);
  http::Request get{.method = "GET"};
  get.headers.add("Host", "localhost");
  EXPECT_EQ(ask(get, {"FULLKEY", "secret1"}, "s3").status, 404);
}

TEST_F(FrontTest, ABadBodyIsRefusedAfterTheSignature) {
  const auto response = ask(request("DescribeTrainingJob", "{\"a\":"));
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("SerializationException"), std::string::npos);
}

TEST_F(FrontTest, NoAnswerTakesAHeaderFromARequest) {
  http::Request one = request("Describe\r\nX-Evil: 1");
  const auto response = ask(one);
  EXPECT_NE(response.status, 200);
  for (const auto& header : response.headers.all())
    EXPECT_EQ(header.value.find_first_of("\r\n"), std::string::npos);
}

}  // namespace
}  // namespace evener::control_plane
