// A file system whose n-th call fails: proves what is left behind when any step breaks.
//
// Used by:  tests of everything that writes files.
// Threads:  as its inner file system; calls are counted across threads.
// Fails:    as planned, else as the inner file system does.
#pragma once

#include <atomic>
#include <memory>

#include "os/file_system.h"

namespace evener::os {

// The n-th call that can fail (1-based, reads included) fails with `error`; so do all after it,
// unless it is to fail once.
struct FaultPlan {
  std::uint64_t fail_at = 0;  // 0: never
  bool fail_once = true;
  Error error{ErrorCode::kIo, "injected fault"};
};

// Counts calls and says which of them fail.
class FaultCounter {
 public:
  explicit FaultCounter(FaultPlan plan) : plan_(std::move(plan)) {}
  // The error of the call that begins now, if it shall fail.
  Status next() {
    const std::uint64_t call = ++calls_;
    const bool fails = plan_.fail_at != 0 && (plan_.fail_once ? call == plan_.fail_at
                                                              : call >= plan_.fail_at);
    return fails ? Status(tl::unexpected(plan_.error)) : ok();
  }
  std::uint64_t calls() const { return calls_; }

 private:
  const FaultPlan plan_;
  std::atomic<std::uint64_t> calls_{0};
};

// A failing append writes the first half; a failing close leaves the file as if dropped; other
// failing calls do nothing.
class FaultyFileSystem final : public FileSystem {
 public:
  // `inner` must outlive it.
  FaultyFileSystem(FileSystem& inner, FaultPlan plan)
      : inner_(inner), faults_(std::make_shared<FaultCounter>(std::move(plan))) {}

  // How many calls there were: a loop that sets fail_at to 1, 2, ... ends above it.
  std::uint64_t calls() const { return faults_->calls(); }

  Result<std::unique_ptr<ReadableFile>> open(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> create(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> create_replacing(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> create_new(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> create_private(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> open_append(const fs::path& path) override;
  Result<FileStat> stat(const fs::path& path) override;
  Result<FileStat> stat_followed(const fs::path& path) override;
  Result<std::vector<DirectoryEntry>> list(const fs::path& directory) override;
  Status make_directories(const fs::path& directory) override;
  Status rename(const fs::path& from, const fs::path& to) override;
  Status remove_file(const fs::path& path) override;
  Status remove_tree(const fs::path& path) override;
  Status make_symlink(const std::string& target, const fs::path& path) override;
  Result<std::string> read_symlink(const fs::path& path) override;
  Status set_mode(const fs::path& path, std::uint32_t mode) override;
  Status truncate(const fs::path& path, std::uint64_t size) override;
  Status copy_file(const fs::path& from, const fs::path& to) override;
  Status sync_directory(const fs::path& directory) override;
  Result<std::uint64_t> free_bytes(const fs::path& path) override;

 private:
  FileSystem& inner_;
  std::shared_ptr<FaultCounter> faults_;
};

}  // namespace evener::os
