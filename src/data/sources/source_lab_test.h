// A data set in memory, for tests.
//
// Used by:  tests of data/sources and data/pipeline.
// Threads:  one.
// Fails:    as tests do.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "data/sources/sources.h"
#include "os/file_system.h"
#include "storage/storage.h"

namespace evener::data::sources {

struct SourceLab {
  SourceLab() { stores.add("file", storage::make_file_store(*files)); }

  void put(const std::string& path, std::string_view text) {
    EXPECT_TRUE(os::make_parent_directories(*files, path));
    EXPECT_TRUE(os::write_text(*files, path, text));
  }
  Result<std::unique_ptr<Source>> open(const Options& options) {
    return sources::open(options, stores);
  }
  std::string message(const Options& options) {
    const auto source = open(options);
    return source ? "opened" : source.error().message;
  }
  static Result<std::string> read(const Source& source, std::uint64_t sample) {
    Reading reading;
    RETURN_IF_ERROR(source.read(sample, reading));
    const auto bytes = reading.bytes();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  FakeClock clock{from_millis(1'000'000)};
  std::unique_ptr<os::FileSystem> files = os::make_memory_file_system(clock);
  storage::StoreSet stores;
};

}  // namespace evener::data::sources
