// A store over a fake server, with time that passes only when the store waits.
//
// Used by:  tests of this folder.
// Threads:  as the store.
// Fails:    as the store.
//
// Used by:  tests.
// Threads:  as the store's.
// Fails:    aborts the test program if the store cannot be made.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "os/temporary_folder_test.h"
#include "storage/s3/fake_s3_test.h"
#include "storage/s3/s3.h"

namespace evener::storage {

// SeededRandom for several threads.
class SharedRandom final : public Random {
 public:
  std::uint64_t next() override {
    MutexLock lock(mutex_);
    return random_.next();
  }

 private:
  Mutex mutex_;
  SeededRandom random_{7};
};

inline S3Access lab_access() {
  return {.endpoint = "http://fake:1",
          .region = "us-east-1",
          .key = {.id = "AKIATEST", .secret = "not a secret", .session_token = ""}};
}

struct S3Lab {
  FakeClock clock{from_millis(1'796'000'000'000)};    // 2026-11-30
  SharedRandom random;
  FakeS3 server{lab_access().key};
  std::vector<std::string> troubles;
  Mutex mutex;
  std::function<Result<S3Access>()> access = [] { return Result<S3Access>(lab_access()); };
  os::TemporaryFolder folder;
  std::unique_ptr<os::FileSystem> files = os::make_real_file_system();
  std::unique_ptr<S3Store> store = make_s3_store(
      {.access = [this] { return access(); },
       .trouble =
           [this](const std::string& why) {
             MutexLock lock(mutex);
             troubles.push_back(why);
           }},
      {.client = server,
       .clock = clock,
       .random = random,
       .pause = [this](std::chrono::milliseconds time, const std::stop_token& stop) {
         clock.advance(time);
         return !stop.stop_requested();
       }});

  static Uri uri(const std::string& key) { return {"s3", "bucket", key}; }
  Status put(const std::string& key, const std::string& text) {
    auto file = store->create(uri(key));
    if (!file) return tl::unexpected(file.error());
    RETURN_IF_ERROR((*file)->append(std::as_bytes(std::span(text.data(), text.size()))));
    return (*file)->close();
  }
  Result<std::string> get(const std::string& key, std::optional<std::uint64_t> size = {}) {
    RETURN_IF_ERROR(store->fetch(uri(key), *files, folder.path() / "file", {.size = size}));
    return os::read_text(*files, folder.path() / "file", 1u << 30);
  }
};

}  // namespace evener::storage
