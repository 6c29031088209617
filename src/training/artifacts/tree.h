// What lies in one host's result folder.
//
// Used by:  packing in this folder.
// Threads:  a pure value and a function that blocks.
// Fails:    errors of the file system with the path; kLimitExceeded above kTreeEntries.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "training/artifacts/artifacts.h"

namespace evener::artifacts {

// Entries of one folder: about 1 GiB of names and facts.
inline constexpr std::size_t kTreeEntries = 5'000'000;

// Anything but a folder.
struct TreeEntry {
  std::string path;            // relative, bytes as stored
  os::FileStat stat;
  std::string link_target;     // of a symlink
};

struct HostTree {
  std::string host;
  std::filesystem::path folder;
  std::vector<TreeEntry> entries;      // sorted by the bytes of path
  std::vector<std::string> left_out;   // "path: why"
};

// A folder that does not exist is empty.
Result<HostTree> read_tree(os::FileSystem& files, const HostFolder& folder, std::stop_token stop);

// "algo-2" before "algo-10": trailing digits count as a number.
bool natural_before(const std::string& left, const std::string& right);

}  // namespace evener::artifacts
