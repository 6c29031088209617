// Which entries of which host make up the one result of a job. Pure but for the comparison of
// contents, which comes in as a function.
//
// Used by:  packing in this folder.
// Threads:  a function of its arguments.
// Fails:    with the error of the comparison.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/artifacts/tree.h"
#include "training/jobs/jobs.h"

namespace evener::artifacts {

enum class MemberKind { kFolder, kFile, kSymlink };

struct MergedMember {
  std::string path;
  MemberKind kind = MemberKind::kFile;
  std::size_t tree = 0;         // whose it is; index into the trees given
  os::FileStat stat;            // of a file
  std::string link_target;      // of a symlink
};

struct MergePlan {
  std::vector<MergedMember> members;        // sorted by the bytes of path; no empty folders
  std::vector<jobs::PathClash> clashes;     // sorted by path
  std::vector<std::string> left_out;        // "host: path: why"
};

// Whether two regular files of equal size hold the same bytes.
using SameContent =
    std::function<Result<bool>(const std::string& path, std::size_t tree, std::size_t other)>;

// `trees` in natural order of hosts: where two differ at a path, the first one's is kept.
Result<MergePlan> merge_trees(const std::vector<HostTree>& trees, const SameContent& same);

}  // namespace evener::artifacts
