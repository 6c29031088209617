#include "storage/s3_door/s3_door.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "storage/s3_door/door_sides_test.h"
#include "storage/s3_door/request_head.h"

namespace evener::storage {
namespace {

const http::AccessKey kKey{.id = "AKID", .secret = "secret"};

class S3DoorTest : public testing::Test {
 protected:
  std::unique_ptr<S3Door> door_to(const std::string& endpoint) {
    auto door = S3Door::open({.server_endpoint = [endpoint] { return endpoint; }, .keys = {kKey}},
                             clock_);
    EXPECT_TRUE(door) << door.error().message;
    return std::move(*door);
  }

  // As an SDK sends it.
  http::Request upload(const std::string& body) {
    http::Request request{.method = "PUT", .path = "/bucket/a%20key", .body = body};
    request.headers = {{"Host", "127.0.0.1:1"},
                       {"x-amz-server-side-encryption", "aws:kms"},
                       {"x-amz-checksum-crc32", "AAAAAA=="},
                       {"Content-Type", "application/gzip"}};
    http::sign(request, kKey, {.region = "us-east-1", .service = "s3"}, http::sha256_hex(body),
               clock_.wall_now());
    return request;
  }

  static std::string text(const http::Request& request, const std::string& more = "") {
    std::string head = request.method + " " + request.path + " HTTP/1.1\r\n";
    for (const auto& header : request.headers.all()) head += header.name + ": " + header.value + "\r\n";
    return head + "Content-Length: " + std::to_string(request.body.size()) + "\r\n" + more + "\r\n";
  }

  // What a server makes of the bytes.
  static http::Request request_of(const std::string& bytes) {
    const auto end = bytes.find("\r\n\r\n");
    auto head = read_head(std::string_view(bytes).substr(0, end + 4));
    EXPECT_TRUE(head);
    head->request.body = bytes.substr(end + 4);
    return head->request;
  }

  SystemClock clock_;
};

TEST_F(S3DoorTest, WhatAsksForNoKeyServicePassesByteForByte) {
  const std::string body(3'000'000, 'x');
  const std::string sent = "GET /a HTTP/1.1\r\nHost: here\r\n\r\n"
                           "PUT /b%2Fc?x=y HTTP/1.1\r\nhost:here\r\nContent-Length: 3000000\r\n\r\n" +
                           body +
                           "PUT /d HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "5;a=b\r\nhello\r\n0\r\nx-amz-trailer: 1\r\n\r\nGET /e HTTP/1.1\r\n\r\n";
  OneServer server(sent.size());
  const auto door = door_to(server.endpoint());
  OneClient client(door->port());
  ASSERT_TRUE(client.send(sent));
  EXPECT_EQ(client.receive(kAnswer.size()), kAnswer);
  EXPECT_EQ(server.got(), sent);
}

TEST_F(S3DoorTest, AWishForTheKeyServiceIsTakenOutAndTheRequestSignedAnew) {
  OneServer server(0);
  const auto door = door_to(server.endpoint());
  OneClient client(door->port());
  const http::Request asked = upload("the source");
  ASSERT_TRUE(client.send(text(asked) + asked.body));
  EXPECT_EQ(client.receive(kAnswer.size()), kAnswer);
  http::Request came = request_of(server.got());
  EXPECT_FALSE(came.headers.find("x-amz-server-side-encryption"));
  EXPECT_EQ(came.headers.find("x-amz-checksum-crc32"), "AAAAAA==");
  EXPECT_EQ(came.path, asked.path);
  EXPECT_EQ(came.body, "the source");
  EXPECT_TRUE(http::Verifier({kKey}).verify(came, clock_.wall_now()));
}

TEST_F(S3DoorTest, AClientThatWaitsToBeToldSoIsToldToSendTheBody) {
  OneServer server(0);
  const auto door = door_to(server.endpoint());
  OneClient client(door->port());
  const http::Request asked = upload("the source");
  ASSERT_TRUE(client.send(text(asked, "Expect: 100-continue\r\n")));
  EXPECT_EQ(client.receive(25), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.send(asked.body));
  EXPECT_EQ(client.receive(kAnswer.size()), kAnswer);
  EXPECT_EQ(request_of(server.got()).body, "the source");
}

TEST_F(S3DoorTest, WhatIsNotSignedAsItSaysIsLeftToTheServer) {
  OneServer server(0);
  const auto door = door_to(server.endpoint());
  OneClient client(door->port());
  const http::Request asked = upload("the source");
  const std::string sent = text(asked) + "the sauces";
  ASSERT_TRUE(client.send(sent));
  EXPECT_EQ(client.receive(kAnswer.size()), kAnswer);
  EXPECT_EQ(server.got(), sent);
}

TEST_F(S3DoorTest, NoBodyIsKeptForAKeyThatTheServerDoesNotKnow) {
  const std::string head = "PUT /a HTTP/1.1\r\nHost: h\r\nx-amz-server-side-encryption: aws:kms\r\n"
                           "Authorization: AWS4-HMAC-SHA256 Credential=OTHER/20260101/us-east-1/s3/"
                           "aws4_request\r\nContent-Length: 1000\r\n\r\n";
  OneServer server(head.size());
  const auto door = door_to(server.endpoint());
  OneClient client(door->port());
  ASSERT_TRUE(client.send(head));
  EXPECT_EQ(client.receive(kAnswer.size()), kAnswer);
  EXPECT_EQ(server.got(), head);
}

TEST_F(S3DoorTest, BodiesOfAllConnectionsHaveOneBudget) {
  OneServer server(0);
  OneServer other(0);
  int asked = 0;
  auto door = S3Door::open({.server_endpoint = [&] { return ++asked == 3 ? other.endpoint() : server.endpoint(); },
                            .keys = {kKey}, .bodies_bytes = 1'000}, clock_);
  ASSERT_TRUE(door);
  const http::Request fits = upload(std::string(600, 'x'));
  OneClient first((*door)->port());
  ASSERT_TRUE(first.send(text(fits) + "half"));   // takes its part before its body is there
  OneClient second((*door)->port());
  const http::Request also = upload(std::string(500, 'x'));
  ASSERT_TRUE(second.send(text(also) + also.body));
  EXPECT_TRUE(second.receive(70).starts_with("HTTP/1.1 503 Slow Down\r\n"));
  ASSERT_TRUE(first.send(fits.body.substr(4)));
  EXPECT_EQ(first.receive(kAnswer.size()), kAnswer) << "its signature is wrong: the server says so";
  OneClient third((*door)->port());
  const http::Request again = upload(std::string(1'000, 'x'));
  ASSERT_TRUE(third.send(text(again) + again.body));
  EXPECT_EQ(third.receive(kAnswer.size()), kAnswer) << "the first one's part was given back";
}

TEST_F(S3DoorTest, AConnectionWhereNothingMovesIsClosed) {
  OneServer server(1);
  auto door = S3Door::open({.server_endpoint = [&] { return server.endpoint(); }, .keys = {kKey},
                            .idle_limit = std::chrono::milliseconds(30)}, clock_);
  ASSERT_TRUE(door);
  OneClient client((*door)->port());
  ASSERT_TRUE(client.send("GET"));
  // What the server says to half a request, then the end.
  EXPECT_LE(client.receive(1'000).size(), kAnswer.size());
}

// Counts how often anybody asks for the time: the door does so whenever it has waited.
class CountingClock final : public Clock {
 public:
  WallTime wall_now() const override { return system_.wall_now(); }
  MonotonicTime monotonic_now() const override {
    ++asked;
    return system_.monotonic_now();
  }
  mutable std::atomic<int> asked{0};

 private:
  SystemClock system_;
};

TEST_F(S3DoorTest, WithoutDescriptorsItWaitsForSomeAndTakesTheClientThen) {
  const CountingClock clock;
  auto door = S3Door::open({.server_endpoint = [] { return std::string(); }, .keys = {kKey}}, clock);
  ASSERT_TRUE(door);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  std::optional<OneClient> client;
  {
    const os::UniqueFd last(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    os::UniqueFd for_client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    rlimit none = before;
    none.rlim_cur = static_cast<rlim_t>(for_client.get()) + 1;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    for_client = {};
    client.emplace((*door)->port());
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
  }
  EXPECT_LT(clock.asked, 100) << "it turns round and round";
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(client->receive(13).starts_with("HTTP/1.1 503 "));
}

TEST_F(S3DoorTest, WhatIsNoRequestIsLeftToTheServer) {
  const std::string sent = "\x16\x03\x01 hello\r\n\r\n";
  OneServer server(sent.size());
  const auto door = door_to(server.endpoint());
  OneClient client(door->port());
  ASSERT_TRUE(client.send(sent));
  EXPECT_EQ(client.receive(kAnswer.size()), kAnswer);
  EXPECT_EQ(server.got(), sent);
}

TEST_F(S3DoorTest, WhileTheServerIsAwayClientsAreToldToComeAgain) {
  for (const char* nowhere : {"", "http://127.0.0.1:1"}) {
    const auto door = door_to(nowhere);
    OneClient client(door->port());
    EXPECT_TRUE(client.receive(13).starts_with("HTTP/1.1 503 ")) << nowhere;
  }
}

TEST_F(S3DoorTest, ATakenPortIsRefused) {
  const auto door = door_to("");
  const auto second = S3Door::open(
      {.port = door->port(), .server_endpoint = [] { return std::string(); }, .keys = {}}, clock_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST(ChunkedBodyTest, EndsAfterItsTrailersHoweverItComes) {
  const std::string body = "3\r\nabc\r\nA\r\n0123456789\r\n0\r\nname: value\r\n\r\n";
  for (std::size_t piece = 1; piece <= body.size(); ++piece) {
    ChunkedBody chunks;
    std::size_t used = 0;
    for (std::size_t at = 0; at < body.size(); at += piece)
      used += chunks.feed(std::string_view(body).substr(at, piece));
    EXPECT_TRUE(chunks.ended()) << piece;
    EXPECT_EQ(used, body.size());
    EXPECT_EQ(chunks.feed("GET /"), 0u);
  }
}

TEST(ChunkedBodyTest, ASizeThatIsNoneOrOverflowsEndsIt) {
  for (const std::string size : {"ffffffffffffffff", "fffffffffffffffe", "10000000000000000", "x", ""}) {
    ChunkedBody chunks;
    chunks.feed(size + "\r\n");
    EXPECT_TRUE(chunks.ended()) << size;
  }
}

}  // namespace
}  // namespace evener::storage
