// The store against its disk: the process dies at every single write, or the write fails.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "training/store/counting_vfs_test.h"
#include "training/store/test_home_test.h"

namespace evener::store {
namespace {

constexpr int kSurvived = 0;
constexpr int kRefused = 7;

// The n-th write meets `fate`, all others go well.
std::function<WriteFate()> at_write(std::uint64_t n, WriteFate fate) {
  return [n, fate, count = std::uint64_t{0}]() mutable {
    return ++count == n ? fate : WriteFate::kGoesWell;
  };
}

// Two jobs live, one is deleted and its name used again: 14 events, one commit each.
std::vector<jobs::JobEvent> story() {
  std::vector<jobs::JobEvent> events = life_of("a");
  for (jobs::JobEvent& event : life_of("b")) events.push_back(std::move(event));
  events.push_back(event_of("a", jobs::Deleted{}));
  events.push_back(submission("a"));
  return events;
}

// Commits the story in a process of its own, which writes one byte to `acknowledged` for each
// event that the store said is durable.
int run_in_child(const TestHome& home, std::uint64_t n, WriteFate fate, int acknowledged) {
  const pid_t child = fork();
  if (child == 0) {
    const CountingVfs vfs(at_write(n, fate));
    auto store = open_store(home.path());
    if (!store) _exit(kRefused);
    for (const jobs::JobEvent& event : story()) {
      const auto answers = (*store)->commit({&event, 1});
      if (!answers || !(*answers)[0]) _exit(kRefused);
      if (write(acknowledged, "x", 1) != 1) _exit(kRefused);
    }
    store->reset();
    _exit(kSurvived);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WEXITSTATUS(status);
}

std::size_t count_bytes(int fd) {
  char buffer[64];
  std::size_t total = 0;
  for (ssize_t got = 0; (got = read(fd, buffer, sizeof buffer)) > 0;)
    total += static_cast<std::size_t>(got);
  return total;
}

// Answers whether the child got to the end without meeting its fate.
bool die_at(std::uint64_t n, WriteFate fate) {
  const TestHome home;
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  const int code = run_in_child(home, n, fate, pipe_ends[1]);
  close(pipe_ends[1]);
  const std::size_t acknowledged = count_bytes(pipe_ends[0]);
  close(pipe_ends[0]);

  auto store = home.open();
  const auto kept = store->events_after(0, 100);
  EXPECT_TRUE(kept.has_value());
  if (!kept) return true;
  EXPECT_GE(kept->size(), acknowledged) << "an acknowledged event is lost";
  EXPECT_LE(kept->size(), acknowledged + 1) << "more than the one under way appeared";
  for (std::size_t i = 0; i < kept->size(); ++i)
    EXPECT_EQ(jobs::to_json((*kept)[i].event), jobs::to_json(story()[i]));
  EXPECT_EQ(differences_of(*store), "");

  const auto events = story();  // and it goes on from there
  EXPECT_TRUE(commit_each(
      *store, {events.begin() + static_cast<std::ptrdiff_t>(kept->size()), events.end()}));
  EXPECT_EQ(differences_of(*store), "");
  return code == kSurvived;
}

void die_at_every_write(WriteFate fate) {
  std::uint64_t n = 1;
  while (!die_at(n, fate)) {
    ASSERT_FALSE(testing::Test::HasFailure()) << "at write " << n;
    ++n;
  }
  EXPECT_GT(n, 50u) << "the story has more writes than that";
}

TEST(StoreCrash, AProcessThatDiesBeforeAnyWriteLosesNothingAcknowledged) {
  die_at_every_write(WriteFate::kDiesBefore);
}

TEST(StoreCrash, AProcessThatDiesHalfwayThroughAnyWriteLosesNothingAcknowledged) {
  die_at_every_write(WriteFate::kDiesHalfway);
}

TEST(StoreCrash, ALossOfPowerBeforeAnyWriteLosesNothingAcknowledged) {
  die_at_every_write(WriteFate::kLosesPower);
}

TEST(StoreCrash, ALossOfPowerThatTearsWhatWasNotSyncedLosesNothingAcknowledged) {
  die_at_every_write(WriteFate::kTearsPower);
}

// Every write in turn fails once: the commit says so, nothing has changed, and trying again works.
void fail_at_every_write(WriteFate fate, ErrorCode expected) {
  bool met = true;
  for (std::uint64_t n = 1; met; ++n) {
    const TestHome home;
    { auto made = home.open(); }
    met = false;
    const CountingVfs vfs([&met, n, count = std::uint64_t{0}, fate]() mutable {
      if (++count != n) return WriteFate::kGoesWell;
      met = true;
      return fate;
    });
    auto store = open_store(home.path());
    if (!store) continue;
    std::int64_t rows = 0;
    for (const jobs::JobEvent& event : story()) {
      auto answers = (*store)->commit({&event, 1});
      if (!answers) {
        EXPECT_EQ(answers.error().code, expected) << answers.error().message;
        EXPECT_EQ(*(*store)->last_row(), rows) << "a failed commit left something, write " << n;
        answers = (*store)->commit({&event, 1});
      }
      ASSERT_TRUE(answers && (*answers)[0]) << "write " << n;
      ++rows;
    }
    ASSERT_EQ(differences_of(**store), "") << "write " << n;
  }
}

TEST(StoreFault, AFullDiskAtAnyWriteChangesNothing) {
  fail_at_every_write(WriteFate::kDiskFull, ErrorCode::kNoSpace);
}

TEST(StoreFault, AFailingDiskAtAnyWriteChangesNothing) {
  fail_at_every_write(WriteFate::kFails, ErrorCode::kIo);
}

}  // namespace
}  // namespace evener::store
