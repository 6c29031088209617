#include "training/backends/local/supervisor/engine_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "os/temporary_folder_test.h"

namespace evener::backends {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Link : public ::testing::Test {
 protected:
  void open(EngineKind kind = EngineKind::kEmbedded) {
    auto link = EngineLink::open(socket_, os::UniqueFd(), kind, records_, clock_);
    ASSERT_TRUE(link) << link.error().message;
    link_ = std::move(*link);
  }
  os::LineConnection connect() {
    auto peer = os::connect_unix(socket_);
    EXPECT_TRUE(peer);
    return os::LineConnection(std::move(*peer));
  }
  os::LineConnection attach(std::uint64_t from, EngineKind kind = EngineKind::kEmbedded) {
    os::LineConnection peer = connect();
    EXPECT_TRUE(peer.send_line(command_line(AttachCommand{.from = from, .engine = kind})));
    EXPECT_FALSE(link_->take_commands());
    return peer;
  }
  void record(const std::string& text) {
    records_.push_back(text);
    link_->publish(text);
  }
  static std::string next(os::LineConnection& peer) {
    auto line = peer.receive_line(milliseconds(0));
    if (!line) return "(gone)";
    return *line ? **line : "(nothing)";
  }

  os::TemporaryFolder folder_;
  std::filesystem::path socket_ = folder_.path() / "supervisor.sock";
  FakeClock clock_{from_millis(0)};
  std::vector<std::string> records_;
  std::unique_ptr<EngineLink> link_;
};

TEST_F(Link, AnEngineGetsTheRecordsFromItsPositionOnAndThenAsTheyCome) {
  open();
  record("one");
  record("two");
  record("three");
  os::LineConnection engine = attach(2);
  EXPECT_EQ(next(engine), "two");
  EXPECT_EQ(next(engine), "three");
  EXPECT_EQ(next(engine), "(nothing)");
  record("four");
  EXPECT_EQ(next(engine), "four");
}

TEST_F(Link, TheNewestEngineWins) {
  open();
  os::LineConnection first = attach(1);
  os::LineConnection second = attach(1);
  record("one");
  EXPECT_EQ(next(first), "(gone)");
  EXPECT_EQ(next(second), "one");
}

TEST_F(Link, TheStrongestStopOfATurnIsAnswered) {
  open();
  os::LineConnection engine = attach(1);
  ASSERT_TRUE(engine.send_line(command_line(StopCommand{StopMode::kGraceful})));
  EXPECT_EQ(link_->take_commands(), StopMode::kGraceful);
  ASSERT_TRUE(engine.send_line(command_line(StopCommand{StopMode::kAtOnce})));
  ASSERT_TRUE(engine.send_line(command_line(StopCommand{StopMode::kGraceful})));
  EXPECT_EQ(link_->take_commands(), StopMode::kAtOnce);
  EXPECT_FALSE(link_->take_commands());
}

TEST_F(Link, AStopInOneWriteWithTheAttachmentIsHeard) {
  open();
  os::LineConnection engine = connect();
  ASSERT_TRUE(engine.send_line(command_line(AttachCommand{})));
  ASSERT_TRUE(engine.send_line(command_line(StopCommand{StopMode::kGraceful})));
  EXPECT_EQ(link_->take_commands(), StopMode::kGraceful);
  EXPECT_TRUE(link_->attached());
}

TEST_F(Link, WhoBreaksTheProtocolIsDropped) {
  open();
  os::LineConnection engine = attach(1);
  ASSERT_TRUE(engine.send_line("hello"));
  EXPECT_FALSE(link_->take_commands());
  EXPECT_FALSE(link_->attached());
  EXPECT_EQ(next(engine), "(gone)");
}

TEST_F(Link, AnEmbeddedEngineIsWaitedForTenSeconds) {
  open();
  EXPECT_EQ(link_->engine_lost_at(), clock_.monotonic_now() + seconds(10));
  {
    os::LineConnection engine = attach(1);
    EXPECT_FALSE(link_->engine_lost_at());
    clock_.advance(seconds(100));
  }
  link_->take_commands();
  EXPECT_EQ(link_->engine_lost_at(), clock_.monotonic_now() + seconds(10));
  os::LineConnection next_engine = attach(1);
  EXPECT_FALSE(link_->engine_lost_at());
}

TEST_F(Link, AServerIsWaitedForWithoutLimit) {
  open();
  { os::LineConnection server = attach(1, EngineKind::kServer); }
  link_->take_commands();
  EXPECT_FALSE(link_->attached());
  EXPECT_FALSE(link_->engine_lost_at());
}

TEST_F(Link, AVisitorThatNeverAttachesChangesNothing) {
  open();
  os::LineConnection engine = attach(1);
  { os::LineConnection visitor = connect(); }
  for (int i = 0; i < 20; ++i) {
    os::LineConnection visitor = connect();
    link_->take_commands();
  }
  record("one");
  EXPECT_EQ(next(engine), "one");
}

TEST_F(Link, TheConnectionOfTheFirstEngineIsInherited) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  os::LineConnection engine{os::UniqueFd(ends[0])};
  ASSERT_TRUE(engine.send_line(command_line(AttachCommand{})));
  auto link = EngineLink::open(socket_, os::UniqueFd(ends[1]), EngineKind::kEmbedded, records_,
                               clock_);
  ASSERT_TRUE(link);
  link_ = std::move(*link);
  EXPECT_FALSE(link_->take_commands());
  record("one");
  EXPECT_EQ(next(engine), "one");
}

}  // namespace
}  // namespace evener::backends
