#include "http/server/server.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "http/server/test_server_test.h"

namespace evener::http {
namespace {

using namespace std::chrono_literals;

TEST(Server, AnswersManyRequestsOnOneConnection) {
  const auto server = serve();
  RawClient client(server->port());
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(client.send(post("/p?q=1", "body" + std::to_string(round))));
    const std::string answer = client.answer();
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_EQ(body_of(answer), "POST /p q=1 body" + std::to_string(round));
    EXPECT_NE(answer.find("\r\nDate: "), std::string::npos);
  }
}

TEST(Server, AnswersPipelinedRequestsInTheirOrder) {
  std::vector<std::jthread> threads;
  std::mutex mutex;
  // Later requests would be answered sooner.
  const auto server = serve([&](const Request& request, const Reply& reply) {
    const auto pause = std::chrono::milliseconds(20 - 2 * std::stoi(request.path.substr(1)));
    const std::lock_guard lock(mutex);
    threads.emplace_back([reply, pause, path = request.path] {
      std::this_thread::sleep_for(pause);
      reply({.body = path});
    });
  });
  RawClient client(server->port());
  std::string requests;
  for (int at = 0; at < 10; ++at) requests += get("/" + std::to_string(at));
  ASSERT_TRUE(client.send(requests));
  for (int at = 0; at < 10; ++at) EXPECT_EQ(body_of(client.answer()), "/" + std::to_string(at));
  const std::lock_guard lock(mutex);
  threads.clear();
}

TEST(Server, AThousandPipelinedRequestsAreAnswered) {
  const auto server = serve();
  RawClient client(server->port());
  std::string requests;
  for (int at = 0; at < 1'000; ++at) requests += post("/x", std::to_string(at));
  std::jthread sender([&] { client.send(requests); });
  for (int at = 0; at < 1'000; ++at) {
    ASSERT_EQ(body_of(client.answer()), "POST /x  " + std::to_string(at));
  }
}

TEST(Server, BodiesUpToTheLimitComeWholeInAnyPieces) {
  const auto server = serve(echo, {.body_limit_bytes = 1u << 20});
  std::string body(1u << 20, 'x');
  for (std::size_t at = 0; at < body.size(); ++at) body[at] = static_cast<char>('a' + at % 26);
  RawClient client(server->port());
  ASSERT_TRUE(client.send(post("/", body)));
  EXPECT_EQ(body_of(client.answer()), "POST /  " + body);
  for (const char c : post("/", "slow")) ASSERT_TRUE(client.send({&c, 1}));
  EXPECT_EQ(body_of(client.answer()), "POST /  slow");
}

TEST(Server, ALargeAnswerComesWholeToASlowReader) {
  std::string large(8u << 20, 'x');
  for (std::size_t at = 0; at < large.size(); ++at) large[at] = static_cast<char>('a' + at % 23);
  const auto server = serve([&](const Request&, const Reply& reply) { reply({.body = large}); });
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/") + get("/")));
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(body_of(client.answer()), large);
  EXPECT_EQ(body_of(client.answer()), large);
}

TEST(Server, HeadHasTheLengthAndNoBody) {
  const auto server = serve();
  RawClient client(server->port());
  ASSERT_TRUE(client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" + get("/next")));
  const std::string head = client.answer("HEAD");
  EXPECT_NE(head.find("Content-Length: 8"), std::string::npos) << head;
  EXPECT_EQ(body_of(client.answer()), "GET /next  ");
}

TEST(Server, AClientThatWaitsFor100IsToldToGoOn) {
  const auto server = serve();
  RawClient client(server->port());
  const std::string head =
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
  ASSERT_TRUE(client.send(head));
  EXPECT_EQ(client.answer("HEAD"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.send("body"));
  EXPECT_EQ(body_of(client.answer()), "POST /  body");
  // Whoever does not wait is not told.
  ASSERT_TRUE(client.send(head + "body"));
  EXPECT_EQ(body_of(client.answer()), "POST /  body");
}

TEST(Server, ABodyTooLargeToWaitForIsRefusedWithout100) {
  const auto server = serve(echo, {.body_limit_bytes = 100});
  RawClient client(server->port());
  ASSERT_TRUE(client.send(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(status_of(client.answer()), 413);
  client.end_sending();
  EXPECT_TRUE(client.is_ended());
}

TEST(Server, Http10ClosesUnlessItAsksForMore) {
  const auto server = serve();
  RawClient once(server->port());
  ASSERT_TRUE(once.send("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_EQ(body_of(once.answer()), "GET /  ");
  EXPECT_TRUE(once.is_ended());
  RawClient again(server->port());
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(again.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    EXPECT_NE(again.answer().find("\r\nConnection: keep-alive\r\n"), std::string::npos);
  }
}

TEST(Server, ConnectionCloseIsObeyedAndSaid) {
  const auto server = serve();
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/", "Connection: close\r\n")));
  EXPECT_NE(client.answer().find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(client.is_ended());
}

TEST(Server, AClientThatHasEndedSendingStillGetsItsAnswers) {
  const auto server = serve();
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/1") + get("/2")));
  client.end_sending();
  EXPECT_EQ(body_of(client.answer()), "GET /1  ");
  EXPECT_EQ(body_of(client.answer()), "GET /2  ");
  EXPECT_TRUE(client.is_ended());
}

TEST(Server, AReplyMayComeFromAnotherThreadAndOnlyTheFirstCounts) {
  std::jthread replier;
  const auto server = serve([&](const Request&, const Reply& reply) {
    replier = std::jthread([reply] {
      std::this_thread::sleep_for(10ms);
      reply({.body = "first"});
      reply({.body = "second"});
    });
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/")));
  EXPECT_EQ(body_of(client.answer()), "first");
}

TEST(Server, ADroppedReplyIsAnswered500) {
  std::vector<Reply> kept;
  std::mutex mutex;
  const auto server = serve([&](const Request& request, const Reply& reply) {
    const std::lock_guard lock(mutex);
    if (request.path == "/later") kept.push_back(reply);
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/now")));
  EXPECT_EQ(status_of(client.answer()), 500);
  ASSERT_TRUE(client.send(get("/later")));
  EXPECT_FALSE(client.hears_within(20));
  {
    const std::lock_guard lock(mutex);
    kept.clear();
  }
  EXPECT_EQ(status_of(client.answer()), 500);
}

TEST(Server, AHeaderThatWouldBreakTheAnswerMakesIt500) {
  const auto server = serve([](const Request& request, const Reply& reply) {
    reply({.headers = {{"X-Path", request.path == "/bad" ? "a\r\nSet-Cookie: b" : "fine"}}});
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/bad") + get("/good")));
  const std::string bad = client.answer();
  EXPECT_EQ(status_of(bad), 500);
  EXPECT_EQ(bad.find("Set-Cookie"), std::string::npos);
  EXPECT_EQ(status_of(client.answer()), 200);
}

TEST(Server, AReplyAfterTheServerHasGoneIsNothing) {
  Reply late;
  std::mutex mutex;
  {
    const auto server = serve([&](const Request&, const Reply& reply) {
      const std::lock_guard lock(mutex);
      late = reply;
    });
    RawClient client(server->port());
    ASSERT_TRUE(client.send(get("/")));
    while (true) {
      const std::lock_guard lock(mutex);
      if (late) break;
    }
  }
  late({.body = "too late"});
}

TEST(Listen, SaysWhyItCannot) {
  const auto server = serve();
  const auto taken = listen({.port = server->port()}, echo);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kUnavailable) << taken.error().message;
  const auto name = listen({.address = "example.com"}, echo);
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code, ErrorCode::kInvalidArgument);
  const auto foreign = listen({.address = "192.0.2.1"}, echo);
  ASSERT_FALSE(foreign);
  const auto no_thread = listen({.threads = 0}, echo);
  ASSERT_FALSE(no_thread);
  EXPECT_EQ(no_thread.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace evener::http
