#include "training/backends/local/job_folder/identity.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/process.h"
#include "os/temporary_folder_test.h"

namespace evener::backends {
namespace {

class IdentityTest : public testing::Test {
 protected:
  SupervisorIdentity read() { return read_identity(*files_, file_).value().value(); }

  os::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "supervisor.identity";
  std::unique_ptr<os::FileSystem> files_ = os::make_real_file_system();
};

TEST_F(IdentityTest, AProcessIsFoundByWhatItWrote) {
  EXPECT_FALSE(read_identity(*files_, file_).value());
  ASSERT_TRUE(write_identity(*files_, file_, ::getpid()));
  const auto identity = read();
  EXPECT_EQ(identity.pid, ::getpid());
  EXPECT_EQ(identity.boot, os::boot_id().value());
  EXPECT_TRUE(open_supervisor(identity));
}

TEST_F(IdentityTest, AProcessOfAnotherBootOrStartIsAnother) {
  ASSERT_TRUE(write_identity(*files_, file_, ::getpid()));
  auto identity = read();
  identity.boot = "11111111-2222-3333-4444-555555555555";
  EXPECT_FALSE(open_supervisor(identity));
  identity = read();
  ++identity.start_time;
  EXPECT_FALSE(open_supervisor(identity));
}

TEST_F(IdentityTest, AFileWithoutABootIsOfASupervisorThatStillRuns) {
  const auto start = os::process_start_time(::getpid()).value();
  ASSERT_TRUE(os::write_text(*files_, file_, std::to_string(::getpid()) + " " +
                                                 std::to_string(start) + "\n"));
  EXPECT_EQ(read().boot, "");
  EXPECT_TRUE(open_supervisor(read()));
}

TEST_F(IdentityTest, WhatIsNoIdentityIsCorrupt) {
  for (const char* text : {"", "x", "12", "-1 5\n", "12 x\n"}) {
    ASSERT_TRUE(os::write_text(*files_, file_, text));
    EXPECT_EQ(read_identity(*files_, file_).error().code, ErrorCode::kCorrupt) << text;
  }
}

}  // namespace
}  // namespace evener::backends
