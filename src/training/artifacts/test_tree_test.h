// What the tests of this folder share: a folder of their own, files in it, and commands over it.
//
// Used by:  tests.
// Threads:  one.
// Fails:    aborts the test program.
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "base/check.h"
#include "os/temporary_folder_test.h"
#include "training/artifacts/artifacts.h"

namespace evener::artifacts {

class TestTree {
 public:
  TestTree() { stores.add("file", storage::make_file_store(*files)); }

  std::filesystem::path root() const { return folder_.path(); }
  std::filesystem::path at(const std::string& path) const { return folder_.path() / path; }
  storage::Uri uri(const std::string& path) const { return *storage::parse_uri(at(path).string()); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(at(path).parent_path());
    std::ofstream(at(path), std::ios::binary) << text;
    CHECK(std::filesystem::exists(at(path)), "a test's file can be written");
  }
  void link(const std::string& path, const std::string& target) const {
    std::filesystem::create_directories(at(path).parent_path());
    std::filesystem::create_symlink(target, at(path));
  }
  std::string read(const std::string& path) const { return read_file(at(path)); }
  static std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    CHECK(in.good(), "a test's file can be read");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Of a shell command run in the root; 0 when it worked.
  int shell(const std::string& command) const {
    return std::system(("cd '" + root().string() + "' && { " + command + "; } >/dev/null 2>&1").c_str());
  }

  // Everything below `path` as text: kind, mode of files, content or target.
  std::map<std::string, std::string> contents(const std::string& path) const {
    std::map<std::string, std::string> found;
    if (!std::filesystem::exists(at(path))) return found;
    for (const auto& item : std::filesystem::recursive_directory_iterator(at(path))) {
      const std::string name = item.path().lexically_relative(at(path)).string();
      if (item.is_symlink()) {
        found[name] = "link " + std::filesystem::read_symlink(item.path()).string();
      } else if (item.is_directory()) {
        found[name] = "folder";
      } else {
        struct stat raw {};
        CHECK(::lstat(item.path().c_str(), &raw) == 0, "stat");
        found[name] = std::string((raw.st_mode & 0100) != 0 ? "program " : "file ") + read_file(item.path());
      }
    }
    return found;
  }

  std::unique_ptr<os::FileSystem> files = os::make_real_file_system();
  storage::StoreSet stores;

 private:
  os::TemporaryFolder folder_;
};

}  // namespace evener::artifacts
