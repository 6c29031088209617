#include "control_plane/wire/wire.h"

#include <gtest/gtest.h>

#include <random>

#include "control_plane/wire/cbor_body.h"
#include "control_plane/wire/leaf_kinds.h"
#include "control_plane/wire/query_form.h"

namespace evener::wire {
namespace {

using document::make_integer;
using document::make_list;
using document::make_object;
using document::make_seconds;
using document::make_string;
using document::Value;

http::Request json_request(const std::string& target, const std::string& body) {
  http::Request request{.method = "POST", .body = body};
  request.headers.add("Content-Type", "application/x-amz-json-1.1");
  request.headers.add("X-Amz-Target", target);
  return request;
}

http::Request form_request(const std::string& body) {
  http::Request request{.method = "POST", .body = body};
  request.headers.add("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
  return request;
}

Call call_of(Protocol protocol, Service service, const std::string& operation) {
  Call call;
  call.protocol = protocol;
  call.service = service;
  call.operation = operation;
  return call;
}

TEST(Wire, EveryServiceAndProtocolReadsBackFromItsName) {
  for (const Service service : {Service::kSageMaker, Service::kLogs, Service::kCloudWatch,
                                Service::kSts, Service::kIam})
    EXPECT_EQ(service_from(to_string(service)), service);
  for (const Protocol protocol : {Protocol::kJson11, Protocol::kJson10, Protocol::kQuery,
                                  Protocol::kCbor, Protocol::kNone})
    EXPECT_EQ(protocol_from(to_string(protocol)), protocol);
  EXPECT_FALSE(service_from("ec2"));
  EXPECT_FALSE(protocol_from("soap"));
}

TEST(Wire, AJsonTargetNamesServiceAndOperation) {
  const Call call = recognize(json_request("Logs_20140328.GetLogEvents", "{}"));
  EXPECT_EQ(call.protocol, Protocol::kJson11);
  EXPECT_EQ(call.service, Service::kLogs);
  EXPECT_EQ(call.operation, "GetLogEvents");
}

TEST(Wire, CloudwatchAsksInJson10WithQueryErrors) {
  http::Request request = json_request("GraniteServiceVersion20100801.GetMetricData", "{}");
  request.headers.set("Content-Type", "application/x-amz-json-1.0");
  request.headers.add("x-amzn-query-mode", "true");
  const Call call = recognize(request);
  EXPECT_EQ(call.protocol, Protocol::kJson10);
  EXPECT_EQ(call.service, Service::kCloudWatch);
  EXPECT_TRUE(call.query_errors);
  const auto response = refusal(
      call, {ErrorCode::kInvalidArgument, "InvalidParameterValueException: no"}, "id-1");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.headers.find("x-amzn-query-error"), "InvalidParameterValue;Sender");
  EXPECT_EQ(response.body, R"({"__type":"InvalidParameterValueException","message":"no"})");
}

TEST(Wire, AFormIsToldApartByItsVersion) {
  const Call call = recognize(form_request("Action=GetCallerIdentity&Version=2011-06-15"));
  EXPECT_EQ(call.protocol, Protocol::kQuery);
  EXPECT_EQ(call.service, Service::kSts);
  EXPECT_EQ(call.operation, "GetCallerIdentity");
  EXPECT_EQ(recognize(form_request("Action=GetRole&Version=2010-05-08")).service, Service::kIam);
  EXPECT_FALSE(recognize(form_request("Action=GetRole&Version=1999-01-01")).service);
}

TEST(Wire, CborIsToldByItsHeaderAndItsPath) {
  http::Request request{.method = "POST",
                        .path = "/service/GraniteServiceVersion20100801/operation/ListMetrics"};
  request.headers.add("smithy-protocol", "rpc-v2-cbor");
  const Call call = recognize(request);
  EXPECT_EQ(call.protocol, Protocol::kCbor);
  EXPECT_EQ(call.service, Service::kCloudWatch);
  EXPECT_EQ(call.operation, "ListMetrics");
  ASSERT_TRUE(read_input(call, request));
}

TEST(Wire, OtherRequestsHaveNoFormOfOurs) {
  http::Request list_buckets{.method = "GET"};
  EXPECT_EQ(recognize(list_buckets).protocol, Protocol::kNone);
  const auto response =
      refusal(recognize(list_buckets), {ErrorCode::kUnsupported, "UnknownOperationException: x"}, "r");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body,
            "<Error><Code>UnknownOperationException</Code><Message>x</Message>"
            "<RequestId>r</RequestId></Error>");
}

TEST(Wire, AnOperationWithOddCharactersIsNone) {
  EXPECT_EQ(recognize(json_request("SageMaker.Describe<script>", "{}")).operation, "");
  EXPECT_EQ(recognize(json_request("SageMaker." + std::string(500, 'a'), "{}")).operation, "");
}

TEST(Wire, ABodyThatIsNoJsonObjectIsASerializationError) {
  const Call call = call_of(Protocol::kJson11, Service::kSageMaker, "CreateTrainingJob");
  for (const std::string body :
       {"[]", "{", "NaN", "{\"a\":NaN}", "{\"a\":1,\"a\":2}", "\"x\"", "{\"a\":\"\xff\"}",
        "{\"a\":1e", "null", "{\"a\":\"\\u0000\"}"}) {
    const auto input = read_input(call, json_request("SageMaker.CreateTrainingJob", body));
    ASSERT_FALSE(input) << body;
    EXPECT_EQ(refusal(call, input.error(), "r").status, 400);
    EXPECT_TRUE(input.error().message.starts_with("SerializationException: ")) << body;
  }
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  EXPECT_FALSE(read_input(call, json_request("SageMaker.CreateTrainingJob", deep)));
}

TEST(Wire, AnEmptyBodyIsAnEmptyStructure) {
  const Call call = call_of(Protocol::kJson11, Service::kSageMaker, "ListTrainingJobs");
  const auto input = read_input(call, json_request("SageMaker.ListTrainingJobs", ""));
  ASSERT_TRUE(input);
  EXPECT_TRUE(input->members.empty());
}

TEST(Wire, ErrorsHaveAwsNamesAndStatusesInEachProtocol) {
  const Error denied{ErrorCode::kPermissionDenied, "no"};
  const auto json = refusal(call_of(Protocol::kJson11, Service::kSageMaker, "X"), denied, "r");
  EXPECT_EQ(json.status, 400);
  EXPECT_EQ(json.body, R"({"__type":"AccessDeniedException","message":"no"})");
  EXPECT_EQ(json.headers.find("x-amzn-RequestId"), "r");
  const auto query = refusal(call_of(Protocol::kQuery, Service::kIam, "X"), denied, "r");
  EXPECT_EQ(query.status, 403);
  EXPECT_EQ(query.body,
            "<ErrorResponse xmlns=\"https://iam.amazonaws.com/doc/2010-05-08/\"><Error>"
            "<Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error>"
            "<RequestId>r</RequestId></ErrorResponse>");
  const auto cbor = refusal(call_of(Protocol::kCbor, Service::kCloudWatch, "X"), denied, "r");
  EXPECT_EQ(cbor.status, 400);
  EXPECT_EQ(read_cbor(cbor.body)->text_at("__type"), "AccessDeniedException");
}

TEST(Wire, AModelledErrorSpellsItsMemberAsTheModel) {
  const auto response = refusal(call_of(Protocol::kJson11, Service::kSageMaker, "X"),
                                {ErrorCode::kAlreadyExists, "used"}, "r");
  EXPECT_EQ(response.body, R"({"__type":"ResourceInUse","Message":"used"})");
}

TEST(Wire, AMessageWithAColonThatIsNoCodeStaysWhole) {
  const auto response = refusal(call_of(Protocol::kJson11, Service::kSageMaker, "X"),
                                {ErrorCode::kInvalidArgument, "Strange: but true"}, "r");
  EXPECT_EQ(response.body, R"({"__type":"ValidationException","message":"Strange: but true"})");
}

TEST(Wire, FailuresOfOursAre5xx) {
  const Call call = call_of(Protocol::kJson11, Service::kSageMaker, "X");
  EXPECT_EQ(refusal(call, {ErrorCode::kNoSpace, "full"}, "r").status, 503);
  EXPECT_EQ(refusal(call, {ErrorCode::kCorrupt, "bad"}, "r").status, 500);
}

TEST(Wire, AFormBecomesListsNumbersAndTimes) {
  const auto form = read_form(
      "Action=GetMetricStatistics&Version=2010-08-01&Period=60&StartTime=2026-11-30T10%3A11%3A12.5Z"
      "&Dimensions.member.1.Name=Host&Dimensions.member.1.Value=42"
      "&Statistics.member.1=Average&Statistics.member.2=Sum&MetricName=a+b%2Bc");
  ASSERT_TRUE(form) << form.error().message;
  EXPECT_EQ(form->find("Period")->integer, 60);
  EXPECT_EQ(form->find("StartTime")->text, "1796033472.500");
  EXPECT_EQ(form->text_at("MetricName"), "a b+c");
  ASSERT_EQ(form->items_at("Dimensions").size(), 1u);
  EXPECT_EQ(form->items_at("Dimensions")[0].text_at("Value"), "42");
  ASSERT_EQ(form->items_at("Statistics").size(), 2u);
  EXPECT_EQ(form->items_at("Statistics")[1].text, "Sum");
}

TEST(Wire, AnEmptyListOfAFormIsAnEmptyText) {
  const auto form = read_form("Dimensions=&MetricName=&Statistics.member.1=");
  ASSERT_TRUE(form) << form.error().message;
  EXPECT_EQ(form->find("Dimensions")->kind, document::Kind::kList);
  EXPECT_EQ(form->find("MetricName")->kind, document::Kind::kString);
  EXPECT_EQ(form->items_at("Statistics")[0].kind, document::Kind::kString);
}

TEST(Wire, AFormThatContradictsItselfIsRefused) {
  for (const std::string form :
       {"A=1&A=2", "A=1&A.B=2", "A.member.1=x&A.B=y", "A.member.3=x", "A.member.0=x",
        "A.member.99999999999999999999=x", "A=%zz", "A=%f", "A=%ff", "A=%00", "Period=many",
        "StartTime=yesterday", "StartTime=2026-13-01", "A..B=1"})
    EXPECT_FALSE(read_form(form)) << form;
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "a" + std::to_string(i) + "=1&";
  EXPECT_FALSE(read_form(many));
}

TEST(Wire, TimesHaveEveryFormThatClientsSend) {
  EXPECT_EQ(*millis_from("2026-11-30T10:11:12Z"), 1796033472000);
  EXPECT_EQ(*millis_from("2026-11-30T10:11:12.345678+00:00"), 1796033472345);
  EXPECT_EQ(*millis_from("2026-11-30T11:11:12+01:00"), 1796033472000);
  EXPECT_EQ(*millis_from("2026-11-30"), 1795996800000);
  EXPECT_EQ(time_text(make_seconds(1796033472345)), "2026-11-30T10:11:12.345Z");
  EXPECT_EQ(time_text(make_integer(0)), "1970-01-01T00:00:00Z");
}

TEST(Wire, AnXmlAnswerHasResultAndMetadata) {
  Output output;
  output.value.set("Label", make_string("a<b>&\x01"));
  Value point = make_object();
  point.set("Timestamp", make_seconds(0));
  output.value.set("Datapoints", make_list({point}));
  EXPECT_EQ(answer(call_of(Protocol::kQuery, Service::kCloudWatch, "GetMetricStatistics"), output, "r")
                .body,
            "<GetMetricStatisticsResponse xmlns=\"http://monitoring.amazonaws.com/doc/2010-08-01/\">"
            "<GetMetricStatisticsResult><Label>a&lt;b&gt;&amp;</Label><Datapoints><member>"
            "<Timestamp>1970-01-01T00:00:00Z</Timestamp></member></Datapoints>"
            "</GetMetricStatisticsResult><ResponseMetadata><RequestId>r</RequestId>"
            "</ResponseMetadata></GetMetricStatisticsResponse>");
}

TEST(Wire, AMapIsEntriesInXml) {
  Output output;
  Value percentiles = make_object();
  percentiles.set("p99", document::make_number(1.5));
  output.value.set("ExtendedStatistics", percentiles);
  const std::string body =
      answer(call_of(Protocol::kQuery, Service::kCloudWatch, "GetMetricStatistics"), output, "r").body;
  EXPECT_NE(body.find("<ExtendedStatistics><entry><key>p99</key><value>1.5</value></entry>"
                      "</ExtendedStatistics>"),
            std::string::npos)
      << body;
}

TEST(Wire, CborRoundTripsADocument) {
  Value value = make_object();
  value.set("Text", make_string("h\xc3\xa9"));
  value.set("Numbers", make_list({make_integer(0), make_integer(-1), make_integer(23),
                                  make_integer(1000), make_integer(INT64_MIN), make_integer(INT64_MAX)}));
  value.set("StartTime", make_seconds(1796033472345));
  value.set("Yes", document::make_boolean(true));
  const auto back = read_cbor(write_cbor(value));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(document::write(*back),
            "{\"Text\":\"h\xc3\xa9\",\"Numbers\":[0,-1,23,1000,-9223372036854775808,"
            "9223372036854775807],\"StartTime\":1796033472.345,\"Yes\":true}");
}

TEST(Wire, CborOfIndefiniteLengthIsRead) {
  // {_ "a": [_ 1, (_ "x", "y")]}
  const auto value = read_cbor(std::string("\xbf\x61\x61\x9f\x01\x7f\x61x\x61y\xff\xff\xff", 13));
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(document::write(*value), R"({"a":[1,"xy"]})");
}

TEST(Wire, CborThatLiesIsRefused) {
  const std::string bodies[] = {
      std::string("\x9b\xff\xff\xff\xff\xff\xff\xff\xfe", 9),   // a list of 2^64-2 items
      std::string("\x7b\xff\xff\xff\xff\xff\xff\xff\xfe", 9),   // a text of as many bytes
      std::string("\xa1\x01\x02", 3),                           // a name that is a number
      std::string("\xa2\x61\x61\x01\x61\x61\x02", 7),           // a name twice
      std::string("\x41\x61", 2),                               // bytes
      std::string("\xf9\x7e\x00", 3),                           // NaN
      std::string("\xc2\x01", 2),                               // an unknown tag
      std::string("\x61\xff", 2),                               // not UTF-8
      std::string("\x01\x01", 2),                               // two items
      std::string("\x1f", 1), std::string("\x1c", 1), std::string("", 0), std::string("\xff", 1)};
  for (const std::string& body : bodies) EXPECT_FALSE(read_cbor(body));
  // The longest lengths there are, of a text, a list and a map: none is one of no stated length.
  for (const char kind : {'\x7b', '\x9b', '\xbb'})
    for (const std::string rest : {"", "\xff", "\x61\x61\x01\xff"}) {
      const auto value = read_cbor(std::string(1, kind) + std::string(8, '\xff') + rest);
      ASSERT_FALSE(value);
      EXPECT_TRUE(value.error().message.starts_with("SerializationException: ")) << value.error().message;
    }
  EXPECT_FALSE(read_cbor(std::string(1'000'000, '\x81')));
}

TEST(Wire, ABodyOfTooManyValuesIsRefusedInItsWords) {
  const Call json = call_of(Protocol::kJson11, Service::kLogs, "X");
  std::string list = "{\"a\":[1";
  for (std::size_t i = 1; i < document::kValueLimit; ++i) list += ",1";
  const auto value = read_input(json, json_request("Logs_20140328.X", list + "]}"));
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message,
            "SerializationException: the body holds more than 20000 values");
  const auto cbor = read_cbor("\x9f" + std::string(document::kValueLimit, '\x01') + "\xff");
  ASSERT_FALSE(cbor);
  EXPECT_NE(cbor.error().message.find("more than 20000 values"), std::string::npos);
}

TEST(Wire, NoBytesWhateverBreakAReader) {
  std::mt19937 random(1);
  const std::string seeds[] = {
      write_cbor(*document::read(R"({"a":[1,2,{"b":"c"}],"StartTime":1.5})")),
      "A.member.1.Name=x&A.member.1.Value=%41&Period=60", R"({"a":[1,2,{"b":"c"}],"d":1e5})"};
  const Call json = call_of(Protocol::kJson11, Service::kLogs, "X");
  for (int i = 0; i < 6000; ++i) {
    std::string body = seeds[static_cast<std::size_t>(i % 3)];
    for (int change = 0; change < 4; ++change) {
      const std::size_t at = random() % (body.size() + 1);
      if (random() % 3 == 0) {
        body.insert(at, 1, static_cast<char>(random()));
      } else if (at < body.size()) {
        body[at] = static_cast<char>(random());
      }
    }
    if (auto value = read_cbor(body)) { EXPECT_TRUE(read_cbor(write_cbor(*value))); }
    (void)read_form(body);
    if (auto value = read_input(json, json_request("Logs_20140328.X", body))) {
      EXPECT_TRUE(document::read(document::write(*value)));
    }
  }
}

}  // namespace
}  // namespace evener::wire
