// The file systems that every test of the seam, and of what stands on it, runs over.
//
// Used by:  tests.
// Threads:  one.
// Fails:    never.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "os/file_system.h"
#include "os/file_system_faulty.h"
#include "os/temporary_folder_test.h"

namespace evener::os {

enum class FileSystemKind { kReal, kMemory, kFaultyWithoutFaults };

inline std::string to_string(FileSystemKind kind) {
  switch (kind) {
    case FileSystemKind::kReal: return "Real";
    case FileSystemKind::kMemory: return "Memory";
    case FileSystemKind::kFaultyWithoutFaults: return "FaultyWithoutFaults";
  }
  return "";
}

// One file system and an empty folder in it.
class FileSystemUnderTest {
 public:
  explicit FileSystemUnderTest(FileSystemKind kind) {
    if (kind == FileSystemKind::kReal) {
      files_ = make_real_file_system();
      root_ = temporary_.path();
      return;
    }
    files_ = make_memory_file_system(clock_);
    root_ = "/memory";
    (void)files_->make_directories(root_);
    if (kind == FileSystemKind::kFaultyWithoutFaults) {
      inner_ = std::move(files_);
      files_ = std::make_unique<FaultyFileSystem>(*inner_, FaultPlan{});
    }
  }
  FileSystem& files() { return *files_; }
  const fs::path& root() const { return root_; }

 private:
  TemporaryFolder temporary_;
  FakeClock clock_{from_millis(1'700'000'000'000)};
  std::unique_ptr<FileSystem> inner_;
  std::unique_ptr<FileSystem> files_;
  fs::path root_;
};

}  // namespace evener::os
