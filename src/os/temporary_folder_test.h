// A folder of its own for a test, removed with all it holds, and what files in it hold.
//
// Used by:  tests.
// Threads:  one.
// Fails:    aborts the test program if the folder cannot be made.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/check.h"

namespace evener::os {

// A folder in memory where the machine has one: for tests of the order of writes, not of the disk.
inline std::filesystem::path memory_or_temporary() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code ignored;
  const bool usable = std::filesystem::is_directory(memory, ignored) &&
                      ::access(memory.c_str(), W_OK) == 0;
  return usable ? memory : std::filesystem::temp_directory_path();
}

// The bytes of a file; "" where it cannot be read.
inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "evener-test-XXXXXX").string();
    CHECK(::mkdtemp(pattern.data()) != nullptr, "a folder can be made under the temporary folder");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace evener::os
