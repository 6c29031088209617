#include "os/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace evener::os {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLongEnough{20'000};

SpawnOptions shell(const std::string& script) {
  SpawnOptions options;
  options.argv = {"/bin/sh", "-c", script};
  options.environment = {"PATH=/usr/bin:/bin"};
  return options;
}

SpawnOptions program(const std::string& path) {
  SpawnOptions options;
  options.argv = {path};
  return options;
}

// Runs `options` with its standard output in a pipe and gives what it wrote.
std::string output_of(SpawnOptions options) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  options.descriptors.emplace_back(writer.get(), 1);
  auto child = spawn(options);
  EXPECT_TRUE(child) << child.error().message;
  writer.reset();
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(reader.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  if (!child) return text;
  EXPECT_TRUE((*child)->wait(kLongEnough).value().has_value());
  return text;
}

TEST(Process, ExitCodeIsReportedAndKept) {
  auto child = spawn(shell("exit 7"));
  ASSERT_TRUE(child) << child.error().message;
  for (int i = 0; i < 2; ++i) {
    auto status = (*child)->wait(kLongEnough);
    ASSERT_TRUE(status && status->has_value());
    EXPECT_EQ((*status)->code, 7);
    EXPECT_EQ((*status)->signal, 0);
  }
}

TEST(Process, SignalThatEndsItIsReported) {
  auto child = spawn(shell("exec sleep 1000"));
  ASSERT_TRUE(child);
  EXPECT_FALSE((*child)->wait(milliseconds(0)).value().has_value());
  EXPECT_FALSE(pidfd_ended((*child)->pidfd()));
  ASSERT_TRUE((*child)->kill(SIGKILL));
  auto status = (*child)->wait(kLongEnough);
  ASSERT_TRUE(status && status->has_value());
  EXPECT_EQ((*status)->code, 137);
  EXPECT_EQ((*status)->signal, SIGKILL);
  EXPECT_TRUE(pidfd_ended((*child)->pidfd()));
  EXPECT_TRUE((*child)->kill(SIGTERM)) << "signalling an ended process is no error";
}

TEST(Process, MissingProgramIsAnErrorOfSpawn) {
  auto child = spawn(program("/no/such/program"));
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::kNotFound);
  EXPECT_NE(child.error().message.find("/no/such/program"), std::string::npos);
}

TEST(Process, FileWithoutExecutePermissionIsAnErrorOfSpawn) {
  auto child = spawn(program("/etc/passwd"));
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::kPermissionDenied);
}

TEST(Process, MissingDirectoryIsAnErrorThatNamesIt) {
  SpawnOptions options = shell("true");
  options.directory = "/no/such/folder";
  auto child = spawn(options);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::kNotFound);
  EXPECT_NE(child.error().message.find("/no/such/folder"), std::string::npos);
}

TEST(Process, EmptyArgumentsAreRefused) {
  EXPECT_EQ(spawn({}).error().code, ErrorCode::kInvalidArgument);
}

TEST(Process, DescriptorGivenTwiceIsRefused) {
  SpawnOptions options = shell("true");
  options.descriptors = {{0, 5}, {1, 5}};
  EXPECT_EQ(spawn(options).error().code, ErrorCode::kInvalidArgument);
}

TEST(Process, EnvironmentAndDirectoryAreExactlyThoseGiven) {
  SpawnOptions options = program("/usr/bin/env");
  options.environment = {"A=1", "B=x y"};
  EXPECT_EQ(output_of(options), "A=1\nB=x y\n");
  SpawnOptions where = shell("pwd");
  where.directory = "/usr";
  EXPECT_EQ(output_of(where), "/usr\n");
}

TEST(Process, OnlyTheGivenDescriptorsAreOpen) {
  // Without close-on-exec on purpose: the child must not see it.
  UniqueFd leaked(::open("/dev/zero", O_RDONLY));
  UniqueFd wanted(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  SpawnOptions options = shell("cd /proc/self/fd && echo *");
  options.descriptors = {{wanted.get(), 9}};
  // The shell opens one more for the listing at times; 9 and the standard three are ours.
  const std::string seen = output_of(options);
  EXPECT_EQ(seen.substr(0, 5), "0 1 2");
  EXPECT_NE(seen.find(" 9"), std::string::npos);
  EXPECT_EQ(output_of(shell("readlink /proc/$$/fd/" + std::to_string(leaked.get()))).find("zero"),
            std::string::npos);
}

TEST(Process, DescriptorsMayChangePlaces) {
  UniqueFd first(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  UniqueFd second(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  SpawnOptions options = shell("readlink /proc/$$/fd/" + std::to_string(first.get()) +
                               " /proc/$$/fd/" + std::to_string(second.get()));
  options.descriptors = {{first.get(), second.get()}, {second.get(), first.get()}};
  EXPECT_EQ(output_of(options), "/dev/null\n/dev/zero\n");
}

TEST(Process, StandardDescriptorsThatAreNotGivenAreTheNullDevice) {
  EXPECT_EQ(output_of(shell("readlink /proc/$$/fd/0 /proc/$$/fd/2")), "/dev/null\n/dev/null\n");
}

TEST(Process, NewSessionHasItsOwnLeader) {
  SpawnOptions options = shell("ps -o sid= -p $$ | tr -d ' '; echo $$");
  options.new_session = true;
  const std::string text = output_of(options);
  const auto half = text.find('\n');
  ASSERT_NE(half, std::string::npos);
  EXPECT_EQ(text.substr(0, half + 1), text.substr(half + 1));
}

TEST(Process, ChildDiesWithTheThreadThatSpawnedIt) {
  std::unique_ptr<Process> child;
  std::thread([&] {
    SpawnOptions options = shell("exec sleep 1000");
    options.die_with_parent = true;
    auto spawned = spawn(options);
    ASSERT_TRUE(spawned) << spawned.error().message;
    child = std::move(*spawned);
  }).join();
  ASSERT_TRUE(child);
  auto status = child->wait(kLongEnough);
  ASSERT_TRUE(status && status->has_value());
  EXPECT_EQ((*status)->signal, SIGKILL);
}

TEST(Process, SignalMaskAndIgnoredSignalsAreNotInherited) {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old = ::signal(SIGPIPE, SIG_IGN);
  const std::string text = output_of(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  ::signal(SIGPIPE, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(Process, ManyThreadsMaySpawnAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kEach = 25;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < kEach; ++i) {
        auto child = spawn(shell("exit " + std::to_string(t + 1)));
        ASSERT_TRUE(child) << child.error().message;
        EXPECT_EQ((*child)->wait(kLongEnough).value()->code, t + 1);
      }
    });
  }
}

TEST(Process, FoundAgainByPidAndStartTime) {
  auto child = spawn(shell("exec sleep 1000"));
  ASSERT_TRUE(child);
  auto pidfd = open_pidfd((*child)->pid());
  ASSERT_TRUE(pidfd);
  const auto start = process_start_time((*child)->pid());
  ASSERT_TRUE(start) << start.error().message;
  EXPECT_GE(*start, process_start_time(::getpid()).value());
  EXPECT_FALSE(pidfd_ended(pidfd->get()));
  ASSERT_TRUE((*child)->kill(SIGKILL));
  ASSERT_TRUE((*child)->wait(kLongEnough).value().has_value());
  EXPECT_TRUE(pidfd_ended(pidfd->get()));
  EXPECT_EQ(process_start_time((*child)->pid()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(open_pidfd((*child)->pid()).error().code, ErrorCode::kNotFound);
}

TEST(Process, OwnProgramIsNamed) {
  const auto self = self_executable();
  ASSERT_TRUE(self);
  EXPECT_EQ(::access(self->c_str(), X_OK), 0);
}

}  // namespace
}  // namespace evener::os
