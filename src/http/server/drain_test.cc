#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "http/server/test_server_test.h"

namespace evener::http {
namespace {

using namespace std::chrono_literals;

TEST(Drain, RequestsInProgressAreAnsweredAndToldToClose) {
  std::atomic<bool> arrived = false;
  std::atomic<bool> go_on = false;
  std::jthread replier;
  const auto server = serve([&](const Request&, const Reply& reply) {
    replier = std::jthread([&, reply] {
      arrived = true;
      go_on.wait(false);
      reply({.body = "done"});
    });
    arrived.notify_all();
  });
  RawClient idle(server->port());
  RawClient busy(server->port());
  ASSERT_TRUE(busy.send(get("/")));
  while (!arrived) std::this_thread::yield();
  std::jthread drainer([&] { server->drain(10s); });
  EXPECT_TRUE(idle.is_ended());
  EXPECT_FALSE(busy.hears_within(20));
  go_on = true;
  go_on.notify_all();
  const std::string answer = busy.answer();
  EXPECT_EQ(body_of(answer), "done");
  EXPECT_NE(answer.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(busy.is_ended());
  drainer.join();
  EXPECT_FALSE(RawClient(server->port()).connected());
}

TEST(Drain, ARequestThatNeverEndsIsCutAtTheLimit) {
  std::vector<Reply> kept;
  std::mutex mutex;
  std::atomic<bool> arrived = false;
  const auto server = serve([&](const Request&, const Reply& reply) {
    const std::lock_guard lock(mutex);
    kept.push_back(reply);
    arrived = true;
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/")));
  while (!arrived) std::this_thread::yield();
  server->drain(50ms);
  EXPECT_TRUE(client.is_ended());
}

TEST(Drain, WhatWasSentBeforeIsAnswered) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> handled = 0;
    const auto server = serve([&](const Request&, const Reply& reply) {
      ++handled;
      reply({.body = "x"});
    });
    std::vector<RawClient> clients;
    for (int at = 0; at < 20; ++at) {
      RawClient& client = clients.emplace_back(server->port());
      ASSERT_TRUE(client.connected());
      ASSERT_TRUE(client.send(get("/") + get("/")));
    }
    server->drain(10s);
    int answered = 0;
    for (RawClient& client : clients) {
      answered += status_of(client.answer()) == 200;
      answered += status_of(client.answer()) == 200;
    }
    EXPECT_EQ(answered, 40);
    EXPECT_EQ(handled, 40);
  }
}

TEST(Drain, OfAServerWithNothingToDoIsShortAndMayBeAskedTwice) {
  const auto server = serve();
  server->drain(10s);
  server->drain(10s);
}

}  // namespace
}  // namespace evener::http
