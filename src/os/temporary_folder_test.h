// A folder of its own for a test, removed with all it holds.
//
// Used by:  tests.
// Threads:  one.
// Fails:    aborts the test program if the folder cannot be made.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/check.h"

namespace evener::os {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "evener-test-XXXXXX").string();
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
