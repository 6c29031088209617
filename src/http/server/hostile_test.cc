#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <fcntl.h>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "http/server/test_server_test.h"

namespace evener::http {
namespace {

using namespace std::chrono_literals;

TEST(Hostile, ARequestThatComesTooSlowlyIsAnswered408) {
  const auto server = serve(echo, {.header_timeout = 60ms});
  RawClient client(server->port());
  ASSERT_TRUE(client.send("GET / HTTP/1.1\r\nHost: h\r\n"));
  // A header every few milliseconds does not make the time longer.
  while (client.send("X: y\r\n") && !client.hears_within(10)) {
  }
  EXPECT_EQ(status_of(client.answer()), 408);
  client.end_sending();
  client.rest();
}

TEST(Hostile, ABodyThatComesTooSlowlyIsAnswered408) {
  const auto server = serve(echo, {.body_timeout = 60ms});
  RawClient client(server->port());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n"));
  while (client.send("x") && !client.hears_within(10)) {
  }
  EXPECT_EQ(status_of(client.answer()), 408);
}

TEST(Hostile, AClientThatReadsNothingIsLetGo) {
  const auto server = serve(
      [](const Request&, const Reply& reply) { reply({.body = std::string(64u << 20, 'x')}); },
      {.write_timeout = 60ms});
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/")));
  std::this_thread::sleep_for(100ms);
  // What the kernel took is there; the rest never comes.
  server->drain(10s);
  EXPECT_LT(client.rest().size(), 64u << 20);
}

TEST(Hostile, AnIdleConnectionEndsAfterItsTime) {
  const auto server = serve(echo, {.idle_timeout = 60ms});
  RawClient fresh(server->port());
  RawClient used(server->port());
  ASSERT_TRUE(used.send(get("/")));
  EXPECT_EQ(status_of(used.answer()), 200);
  EXPECT_TRUE(fresh.is_ended());
  EXPECT_TRUE(used.is_ended());
}

TEST(Hostile, BadRequestsAreAnsweredAndNeverReachTheHandler) {
  std::atomic<int> handled = 0;
  const auto server = serve([&](const Request&, const Reply& reply) {
    ++handled;
    reply({});
  });
  const std::pair<std::string, int> cases[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/3.0\r\nHost: h\r\n\r\n", 505},
      {get("/", "Content-Length: 1\r\nContent-Length: 2\r\n"), 400},
      {get("/", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400},
      {get("/", "Transfer-Encoding: gzip\r\n"), 501},
      {get("/", "Expect: magic\r\n"), 417},
      {get("/", "Transfer-Encoding: chunked\r\n") + "zzzzzzz\r\n", 400},
      {post("/", std::string(3u << 20, 'x')), 413},
      {get("/", "X: " + std::string(1u << 20, 'x')), 431}};
  for (const auto& [request, status] : cases) {
    RawClient client(server->port());
    std::jthread sender([&client, &request] { client.send(request); });
    const std::string answer = client.answer();
    EXPECT_EQ(status_of(answer), status) << request.substr(0, 80);
    EXPECT_NE(answer.find("\r\nConnection: close\r\n"), std::string::npos);
  }
  EXPECT_EQ(handled, 0);
}

TEST(Hostile, AHundredThousandHeadersAre431) {
  const auto server = serve();
  RawClient client(server->port());
  std::string request = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int at = 0; at < 100'000; ++at) request += "h" + std::to_string(at) + ": v\r\n";
  std::jthread sender([&] { client.send(request + "\r\n"); });
  EXPECT_EQ(status_of(client.answer()), 431);
}

TEST(Hostile, NothingAfterARefusedRequestIsTakenForAnother) {
  std::atomic<int> handled = 0;
  const auto server = serve([&](const Request&, const Reply& reply) {
    ++handled;
    reply({});
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") +
                          "0\r\n\r\n" + get("/smuggled")));
  EXPECT_EQ(status_of(client.answer()), 400);
  client.end_sending();
  EXPECT_TRUE(client.is_ended());
  EXPECT_EQ(handled, 0);
}

TEST(Hostile, ConnectionsBeyondTheLimitAreClosedAtOnce) {
  const auto server = serve(echo, {.connection_limit = 4});
  std::vector<RawClient> clients;
  for (int at = 0; at < 4; ++at) {
    clients.emplace_back(server->port());
    ASSERT_TRUE(clients.back().send(get("/")));
    EXPECT_EQ(status_of(clients.back().answer()), 200);
  }
  RawClient more(server->port());
  EXPECT_TRUE(more.is_ended());
  ASSERT_TRUE(clients[0].send(get("/")));
  EXPECT_EQ(status_of(clients[0].answer()), 200);
}

TEST(Hostile, BodiesBeyondTheMemoryOfAllAre503AndTheServerLivesOn) {
  const auto server = serve(echo, {.body_limit_bytes = 1u << 20, .memory_limit_bytes = 2u << 20});
  std::vector<RawClient> clients;
  int refused = 0;
  for (int at = 0; at < 8; ++at) {
    RawClient& client = clients.emplace_back(server->port());
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n" +
                std::string(900'000, 'x'));
  }
  for (RawClient& client : clients) {
    if (client.hears_within(100)) refused += status_of(client.answer()) == 503;
  }
  EXPECT_GE(refused, 4);
  clients.clear();
  for (int patience = 0; patience < 1'000; ++patience) {
    RawClient client(server->port());
    client.send(get("/"));
    if (status_of(client.answer()) == 200) return;
  }
  FAIL() << "the memory was not given back";
}

TEST(Hostile, RunningOutOfDescriptorsDelaysConnectionsAndLosesNone) {
  const auto server = serve();
  // Connects first, since the clients of this process need descriptors too.
  RawClient before(server->port());
  ASSERT_TRUE(before.send(get("/")));
  EXPECT_EQ(status_of(before.answer()), 200);
  const int spare = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  rlimit low = old;
  low.rlim_cur = static_cast<rlim_t>(spare) + 1;
  ::close(spare);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  RawClient client(server->port());
  const bool sent = client.send(get("/"));
  const bool heard = client.hears_within(50);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
  ASSERT_TRUE(client.connected());
  ASSERT_TRUE(sent);
  EXPECT_FALSE(heard);
  EXPECT_EQ(status_of(client.answer()), 200);
}

TEST(Hostile, AClientThatVanishesDuringItsRequestOrAnswerHurtsNobody) {
  std::vector<std::jthread> threads;
  std::mutex mutex;
  const auto server = serve([&](const Request&, const Reply& reply) {
    const std::lock_guard lock(mutex);
    threads.emplace_back([reply] {
      std::this_thread::sleep_for(5ms);
      reply({.body = std::string(1u << 20, 'x')});
    });
  });
  for (int round = 0; round < 20; ++round) {
    RawClient client(server->port());
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    client.send(round % 2 == 0 ? get("/") : "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n");
  }
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/")));
  EXPECT_EQ(status_of(client.answer()), 200);
  const std::lock_guard lock(mutex);
  threads.clear();
}

TEST(Hostile, BrokenBytesNeverStopTheServer) {
  const auto server = serve(echo, {.header_timeout = 50ms, .body_timeout = 50ms});
  std::mt19937 random(3);
  const std::string seed = post("/a?b", "0123456789") + get("/", "Transfer-Encoding: chunked\r\n") +
                           "3\r\nabc\r\n0\r\n\r\n" + get("/", "Expect: 100-continue\r\n");
  for (int round = 0; round < 300; ++round) {
    std::string bytes = seed;
    for (auto change = random() % 6; change > 0; --change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    RawClient client(server->port());
    ASSERT_TRUE(client.connected());
    client.send(bytes.substr(0, random() % bytes.size()));
    client.end_sending();
    client.rest();
  }
  RawClient client(server->port());
  ASSERT_TRUE(client.send(get("/alive")));
  EXPECT_EQ(body_of(client.answer()), "GET /alive  ");
}

}  // namespace
}  // namespace evener::http
