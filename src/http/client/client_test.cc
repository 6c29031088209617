// Answers and requests as they are between well-behaved sides.
#include "http/client/client.h"

#include "http/client/raw_server_test.h"

namespace evener::http {
namespace {

constexpr const char* kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Word: a b \r\n\r\nhello";

TEST(Client, AnAnswerHasStatusHeadersAndBody) {
  std::string head;
  RawServer server({[&](RawPeer& peer) {
    head = peer.head();
    peer.send(kHello);
  }});
  Exchange exchange = get_from(server.origin(), "/a%20b/../c");
  exchange.request.query = "x=1";
  exchange.request.headers.add("X-Mine", "one");
  exchange.request.headers.add("X-Empty", "");
  const auto answer = make_client({})->send(exchange);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "hello");
  EXPECT_EQ(*answer->headers.find("x-word"), "a b");
  server.finish();
  EXPECT_TRUE(head.starts_with("GET /a%20b/../c?x=1 HTTP/1.1\r\n")) << head;
  EXPECT_NE(head.find("X-Mine: one\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("X-Empty:"), std::string::npos) << head;
  EXPECT_EQ(head.find("Expect"), std::string::npos) << head;
}

TEST(Client, AConnectionIsUsedAgain) {
  RawServer server({[](RawPeer& peer) {
    for (int i = 0; i < 3; ++i) says(kHello)(peer);
  }});
  const auto client = make_client({});
  for (int i = 0; i < 3; ++i) {
    const auto answer = client->send(get_from(server.origin()));
    ASSERT_TRUE(answer) << answer.error().message;
  }
}

TEST(Client, ChunksAreJoinedAndGivenToTheSink) {
  RawServer server({says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Late: 1\r\n\r\n")});
  std::string taken;
  Exchange exchange = get_from(server.origin());
  exchange.sink = [&](std::span<const std::byte> bytes) {
    taken.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return ok();
  };
  const auto answer = make_client({})->send(exchange);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(taken, "abcde");
  EXPECT_EQ(answer->body, "");
}

TEST(Client, TheBodyOfARefusalIsNotForTheSink) {
  RawServer server({says("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone")});
  Exchange exchange = get_from(server.origin());
  exchange.sink = [](std::span<const std::byte>) { return failure(ErrorCode::kIo, "never"); };
  const auto answer = make_client({})->send(exchange);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->body, "none");
}

TEST(Client, ARedirectIsAnAnswer) {
  RawServer server({says("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\n"
                         "Content-Length: 0\r\n\r\n")});
  const auto answer = make_client({})->send(get_from(server.origin()));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 307);
  EXPECT_EQ(*answer->headers.find("Location"), "http://127.0.0.1:1/");
}

TEST(Client, HeadHasALengthAndNoBody) {
  RawServer server({says("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")});
  Exchange exchange = get_from(server.origin());
  exchange.request.method = "HEAD";
  const auto answer = make_client({})->send(exchange);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*answer->headers.find("Content-Length"), "1000");
}

TEST(Client, HeadersAreSeenBeforeTheBodyAndMayEndIt) {
  RawServer server({says(kHello)});
  Exchange exchange = get_from(server.origin());
  int taken = 0;
  exchange.on_headers = [](const Response& response) -> Status {
    return failure(ErrorCode::kNotFound, "status " + std::to_string(response.status));
  };
  exchange.sink = [&](std::span<const std::byte>) {
    ++taken;
    return ok();
  };
  const auto answer = make_client({})->send(exchange);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(taken, 0);
}

TEST(Client, ASinkEndsTheTransferWithItsOwnError) {
  RawServer server({says(kHello)});
  Exchange exchange = get_from(server.origin());
  exchange.sink = [](std::span<const std::byte>) { return failure(ErrorCode::kNoSpace, "full"); };
  const auto answer = make_client({})->send(exchange);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kNoSpace);
}

TEST(Client, ABodyMayComeFromASource) {
  std::string head;
  std::string body;
  RawServer server({[&](RawPeer& peer) {
    head = peer.head();
    body = peer.body(100'000);
    peer.send(kHello);
  }});
  Exchange exchange = put_to(server.origin(), "");
  exchange.source.length = 100'000;
  exchange.source.read = [](std::uint64_t offset, std::span<std::byte> buffer) {
    for (std::size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = static_cast<std::byte>((offset + i) % 251);
    return ok();
  };
  ASSERT_TRUE(make_client({})->send(exchange));
  server.finish();
  EXPECT_NE(head.find("Content-Length: 100000\r\n"), std::string::npos) << head;
  ASSERT_EQ(body.size(), 100'000u);
  for (std::size_t i = 0; i < body.size(); ++i)
    ASSERT_EQ(static_cast<unsigned char>(body[i]), i % 251);
}

TEST(Client, ASourceThatFailsEndsTheTransferWithItsOwnError) {
  RawServer server({[](RawPeer& peer) { peer.wait_for_end(); }});
  Exchange exchange = put_to(server.origin(), "");
  exchange.source.length = 10;
  exchange.source.read = [](std::uint64_t, std::span<std::byte>) {
    return failure(ErrorCode::kIo, "the disk");
  };
  const auto answer = make_client({})->send(exchange);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kIo);
}

TEST(Client, ALineBreakInAHeaderIsNeverSent) {
  for (const char* value : {"a\r\nX-Evil: 1", "a\nb", "\r"}) {
    Exchange exchange = get_from("http://127.0.0.1:1");
    exchange.request.headers.add("X-Mine", value);
    EXPECT_EQ(make_client({})->send(exchange).error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Client, OnlyHttpIsSpoken) {
  for (const char* origin : {"file:///etc/passwd", "ftp://127.0.0.1", "gopher://127.0.0.1"})
    EXPECT_FALSE(make_client({})->send(get_from(origin, ""))) << origin;
}

}  // namespace
}  // namespace evener::http
