#include "os/socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "os/temporary_folder_test.h"

namespace evener::os {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
constexpr milliseconds kLongEnough{20'000};

struct Pair {
  LineConnection client;
  LineConnection server;
};

Pair connected_pair() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {LineConnection(UniqueFd(ends[0])), LineConnection(UniqueFd(ends[1]))};
}

void expect_served(const fs::path& path) {
  auto listener = listen_unix(path);
  ASSERT_TRUE(listener) << listener.error().message;
  auto client = connect_unix(path);
  ASSERT_TRUE(client) << client.error().message;
  auto server = accept_unix(listener->get(), kLongEnough);
  ASSERT_TRUE(server && server->has_value());
  LineConnection here(std::move(*client));
  LineConnection there(std::move(**server));
  ASSERT_TRUE(here.send_line("position 1"));
  EXPECT_EQ(there.receive_line(kLongEnough).value(), "position 1");
}

TEST(Socket, LinesPassBetweenClientAndServer) {
  TemporaryFolder folder;
  expect_served(folder.path() / "s");
}

TEST(Socket, PathsLongerThanAnAddressWork) {
  TemporaryFolder folder;
  fs::path deep = folder.path();
  for (int i = 0; i < 10; ++i) deep /= "a folder with a long name, ünicode and blanks";
  fs::create_directories(deep);
  ASSERT_GT(deep.string().size(), 300u);
  expect_served(deep / "supervisor.sock");
}

TEST(Socket, OnlyItsOwnerMayConnect) {
  TemporaryFolder folder;
  auto listener = listen_unix(folder.path() / "s");
  ASSERT_TRUE(listener);
  struct stat raw {};
  ASSERT_EQ(::stat((folder.path() / "s").c_str(), &raw), 0);
  EXPECT_EQ(raw.st_mode & 0777u, 0600u);
}

TEST(Socket, StaleSocketIsReplacedAndALiveOneIsNot) {
  TemporaryFolder folder;
  const fs::path path = folder.path() / "s";
  {
    auto dead = listen_unix(path);
    ASSERT_TRUE(dead);
    EXPECT_EQ(listen_unix(path).error().code, ErrorCode::kAlreadyExists);
  }
  EXPECT_EQ(connect_unix(path).error().code, ErrorCode::kUnavailable);
  expect_served(path);
}

TEST(Socket, FileInThePlaceOfTheSocketIsKept) {
  TemporaryFolder folder;
  std::ofstream(folder.path() / "s") << "text";
  EXPECT_EQ(listen_unix(folder.path() / "s").error().code, ErrorCode::kAlreadyExists);
  EXPECT_TRUE(fs::is_regular_file(folder.path() / "s"));
}

TEST(Socket, NobodyListeningIsUnavailable) {
  TemporaryFolder folder;
  EXPECT_EQ(connect_unix(folder.path() / "none").error().code, ErrorCode::kUnavailable);
  const fs::path long_missing = folder.path() / std::string(120, 'x') / "s";
  EXPECT_EQ(connect_unix(long_missing).error().code, ErrorCode::kUnavailable);
}

TEST(Socket, PeerOfAnotherUserIsRefusedEvenIfTheFileLetsItIn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can connect as another user";
  constexpr unsigned kOtherUser = 65534;
  TemporaryFolder folder;
  const fs::path path = folder.path() / "s";
  auto listener = listen_unix(path);
  ASSERT_TRUE(listener);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(kOtherUser) != 0) ::_exit(2);
    // Root may be at the other end for anyone.
    ::_exit(connect_unix(path) ? 0 : 1);
  }
  EXPECT_EQ(accept_unix(listener->get(), kLongEnough).error().code, ErrorCode::kPermissionDenied);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Socket, AcceptGivesUpAfterItsTimeout) {
  TemporaryFolder folder;
  auto listener = listen_unix(folder.path() / "s");
  ASSERT_TRUE(listener);
  auto nobody = accept_unix(listener->get(), milliseconds(1));
  ASSERT_TRUE(nobody);
  EXPECT_FALSE(nobody->has_value());
}

TEST(LineConnection, EmptyLinesAndManyLinesAtOnceAreKeptApart) {
  auto [client, server] = connected_pair();
  for (const char* line : {"a", "", "b c", "\xff\x00z"}) ASSERT_TRUE(client.send_line(line));
  for (const char* line : {"a", "", "b c", "\xff\x00z"})
    EXPECT_EQ(server.receive_line(kLongEnough).value(), line);
  EXPECT_FALSE(server.receive_line(milliseconds(0)).value().has_value());
}

TEST(LineConnection, PartOfALineWaitsForItsEnd) {
  auto [client, server] = connected_pair();
  ASSERT_EQ(::send(client.fd(), "half", 4, 0), 4);
  EXPECT_FALSE(server.receive_line(milliseconds(0)).value().has_value());
  ASSERT_EQ(::send(client.fd(), " done\nx", 7, 0), 7);
  EXPECT_EQ(server.receive_line(kLongEnough).value(), "half done");
}

TEST(LineConnection, LinesBeforeThePeersEndAreStillRead) {
  auto pair = connected_pair();
  ASSERT_TRUE(pair.client.send_line("last"));
  { const LineConnection gone = std::move(pair.client); }
  EXPECT_EQ(pair.server.receive_line(kLongEnough).value(), "last");
  EXPECT_EQ(pair.server.receive_line(kLongEnough).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(pair.server.send_line("x").error().code, ErrorCode::kUnavailable);
}

TEST(LineConnection, LongestLinePassesAndALongerOneIsRefused) {
  auto [client, server] = connected_pair();
  const std::string longest(kMaxSocketLineBytes, 'x');
  Status sent = failure(ErrorCode::kInternal, "not sent");
  {
    std::jthread sender([&, &from = client] { sent = from.send_line(longest); });
    EXPECT_EQ(server.receive_line(kLongEnough).value(), longest);
  }
  EXPECT_TRUE(sent);
  EXPECT_EQ(client.send_line(longest + "x").error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(client.send_line("two\nlines").error().code, ErrorCode::kInvalidArgument);
}

TEST(LineConnection, EndlessLineIsRefused) {
  auto pair = connected_pair();
  std::jthread sender([&] {
    const std::string part(1u << 20, 'x');
    for (std::size_t sent = 0; sent < kMaxSocketLineBytes + 2 * part.size(); sent += part.size())
      if (::send(pair.client.fd(), part.data(), part.size(), MSG_NOSIGNAL) < 0) return;
  });
  EXPECT_EQ(pair.server.receive_line(kLongEnough).error().code, ErrorCode::kLimitExceeded);
  ::shutdown(pair.server.fd(), SHUT_RDWR);  // frees the sender
}

TEST(LineConnection, BothDirectionsMayRunInTwoThreads) {
  auto pair = connected_pair();
  constexpr int kLines = 2000;
  const auto send_all = [](LineConnection& to) {
    for (int i = 0; i < kLines; ++i) ASSERT_TRUE(to.send_line(std::to_string(i)));
  };
  const auto receive_all = [](LineConnection& from) {
    for (int i = 0; i < kLines; ++i)
      ASSERT_EQ(from.receive_line(kLongEnough).value(), std::to_string(i));
  };
  const std::jthread a([&] { send_all(pair.client); });
  const std::jthread b([&] { send_all(pair.server); });
  const std::jthread c([&] { receive_all(pair.client); });
  receive_all(pair.server);
}

TEST(FileLock, OneHolderAtATimeAndFreeAfterRelease) {
  TemporaryFolder folder;
  const fs::path path = folder.path() / "engine.lock";
  {
    auto first = FileLock::try_acquire(path);
    ASSERT_TRUE(first && first->has_value());
    auto second = FileLock::try_acquire(path);
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_FALSE(second->has_value());
  }
  EXPECT_TRUE(FileLock::try_acquire(path).value().has_value());
}

TEST(FileLock, ItsHolderIsKnown) {
  TemporaryFolder folder;
  const fs::path path = folder.path() / "engine.lock";
  EXPECT_FALSE(lock_holder(path));
  {
    const auto lock = FileLock::try_acquire(path);
    ASSERT_TRUE(lock && lock->has_value());
    EXPECT_EQ(lock_holder(path), ::getpid());
  }
  EXPECT_FALSE(lock_holder(path));
}

TEST(FileLock, MissingFolderIsAnError) {
  TemporaryFolder folder;
  const auto lock = FileLock::try_acquire(folder.path() / "no" / "lock");
  EXPECT_EQ(lock.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace evener::os
