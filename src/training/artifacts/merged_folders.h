// The folders of all hosts read and merged, as both forms of packing start.
//
// Used by:  pack, copy_merged.
// Threads:  blocks.
// Fails:    errors of reading, naming host and path; kCancelled.
#pragma once

#include "training/artifacts/artifacts.h"
#include "training/artifacts/merge.h"

namespace evener::artifacts {

struct MergedFolders {
  std::vector<HostTree> trees;   // natural order of hosts
  MergePlan plan;
};
Result<MergedFolders> merge_folders(const std::vector<HostFolder>& folders, os::FileSystem& files,
                                    std::stop_token stop);

}  // namespace evener::artifacts
