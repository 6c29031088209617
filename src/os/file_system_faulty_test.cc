#include "os/file_system_faulty.h"

#include <gtest/gtest.h>

#include "os/file_systems_test.h"

namespace evener::os {
namespace {

class EveryCallFails : public testing::TestWithParam<FileSystemKind> {};

INSTANTIATE_TEST_SUITE_P(All, EveryCallFails,
                         testing::Values(FileSystemKind::kReal, FileSystemKind::kMemory),
                         [](const auto& tested) { return to_string(tested.param); });

TEST_P(EveryCallFails, WriteTextLeavesOldOrNewAndNothingElse) {
  for (const bool once : {true, false}) {
    for (std::uint64_t fail_at = 1;; ++fail_at) {
      FileSystemUnderTest under_test(GetParam());
      const fs::path path = under_test.root() / "file";
      ASSERT_TRUE(write_text(under_test.files(), path, "the old text"));
      FaultyFileSystem faulty(under_test.files(),
                              {fail_at, once, {ErrorCode::kNoSpace, "disk full"}});
      const Status written = write_text(faulty, path, "the new text", Durability::kSynced);
      const std::string seen = read_text(under_test.files(), path).value();
      EXPECT_TRUE(seen == "the old text" || seen == "the new text") << seen;
      EXPECT_EQ(under_test.files().list(under_test.root()).value().size(), 1u);
      if (faulty.calls() < fail_at) {
        EXPECT_TRUE(written);
        EXPECT_EQ(seen, "the new text");
        EXPECT_GE(fail_at, 5u) << "create, append, sync, close and the folder's sync were tried";
        break;
      }
      EXPECT_EQ(written.error().code, ErrorCode::kNoSpace);
    }
  }
}

TEST(FaultyFileSystem, FailsTheNthCallOnceOrFromThenOn) {
  FakeClock clock(from_millis(0));
  auto memory = make_memory_file_system(clock);
  for (const bool once : {true, false}) {
    FaultyFileSystem faulty(*memory, {2, once, {ErrorCode::kIo, "broken"}});
    EXPECT_TRUE(faulty.stat("/"));
    EXPECT_EQ(faulty.stat("/").error(), (Error{ErrorCode::kIo, "broken"}));
    EXPECT_EQ(faulty.stat("/").has_value(), once);
    EXPECT_EQ(faulty.calls(), 3u);
  }
}

TEST(FaultyFileSystem, FailingAppendMayHaveWrittenAPart) {
  FakeClock clock(from_millis(0));
  auto memory = make_memory_file_system(clock);
  FaultyFileSystem faulty(*memory, {2, true, {ErrorCode::kNoSpace, "disk full"}});
  auto file = faulty.create("/file").value();
  const std::string text = "12345678";
  EXPECT_FALSE(file->append(std::as_bytes(std::span(text))));
  EXPECT_EQ(read_text(*memory, "/file").value(), "1234");
}

TEST(MemoryFileSystem, TimesComeFromItsClock) {
  FakeClock clock(from_millis(1000));
  auto memory = make_memory_file_system(clock);
  clock.advance(std::chrono::milliseconds(234));
  ASSERT_TRUE(write_text(*memory, "/file", "x"));
  EXPECT_EQ(to_millis(memory->stat("/file").value().modified), 1234);
}

}  // namespace
}  // namespace evener::os
