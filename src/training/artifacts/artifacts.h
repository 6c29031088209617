// Input into instances and results out of them: channels are resolved, sharded and staged; model
// and output folders of all hosts are merged into archives; source archives are unpacked safely.
//
// Used by:  backends/local (in the supervisor), runner (source code).
// Threads:  functions block; each uses up to `threads` threads of its own and joins them.
// Fails:    kNotFound (no objects under the URI), kPermissionDenied, kNoSpace, kCorrupt (bad gzip,
//           bad manifest), kInvalidArgument (archive that escapes its folder), kCancelled.
//           Messages name the channel or path. What was written so far is removed by the caller
//           with the instance's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "storage/storage.h"
#include "training/jobs/jobs.h"

namespace evener::artifacts {

// Called from any of the threads, at most every 100 ms, and once at the end.
using ProgressSink = std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)>;

// ---- channels ------------------------------------------------------------------------------

// The objects of one channel and who receives which. Pure once listed.
struct ChannelListing {
  jobs::Channel channel;
  std::vector<storage::StoredObject> objects;         // sorted by key
  std::optional<std::filesystem::path> folder;      // all of them are exactly this local folder
};
Result<ChannelListing> list_channel(const storage::StoreSet& stores, const jobs::Channel& channel);

// Indices into `objects` for each of `host_count` hosts: all, or round-robin over the sorted
// keys (deterministic, disjoint, complete).
std::vector<std::vector<std::size_t>> shard(const ChannelListing& listing, std::size_t host_count);

// Text of <channel>-manifest: line 1 the prefix as asked, then every matched object's URI.
std::string manifest_text(const ChannelListing& listing);

// How a host comes to see its part of a channel at /opt/ml/input/data/<channel>.
struct ChannelMount {
  std::string host;
  std::string channel;
  // Overlay: `lower` shown read-only under `upper` (writes and whiteouts go there; `work` is its
  // scratch folder). Copy: `upper` alone holds the files and is bound.
  std::filesystem::path lower;                      // empty: no overlay
  std::filesystem::path upper;
  std::filesystem::path work;
};

struct StagingOptions {
  std::filesystem::path instances;                  // <job>/instances; host folders below
  bool overlay_possible = false;                    // the sandbox can mount overlays
  std::size_t threads = 2;
};
struct StagedChannels {
  std::vector<ChannelMount> mounts;
  std::vector<jobs::ChannelReport> reports;
  std::vector<std::string> notices;                 // "host algo-3 receives no object of channel x"
};
Result<StagedChannels> stage_channels(const std::vector<ChannelListing>& listings,
                                      const std::vector<jobs::InstancePlacement>& placements,
                                      const jobs::JobSpec& spec, const StagingOptions& options,
                                      const storage::StoreSet& stores, os::FileSystem& files,
                                      const ProgressSink& progress, std::stop_token stop);

// ---- results -------------------------------------------------------------------------------

struct HostFolder {
  std::string host;
  std::filesystem::path folder;
  // Where the job saw the folder ("/opt/ml/model"): absolute symlinks below it are made relative.
  // Empty: every absolute symlink points outside.
  std::string seen_as;
};
struct PackOptions {
  std::size_t threads = 2;                          // bytes written do not depend on it
};
struct PackResult {
  bool empty = false;                               // no file on any host: nothing was written
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::vector<jobs::PathClash> clashes;
  std::vector<std::string> left_out;                // "host: path: why"
};
// Merges the folders (same path: equal content is kept once, else the lowest host's wins and a
// clash is reported) into one gzip-compressed tar with equal bytes for equal content: sorted
// paths, fixed times and owners. Sparse files stay sparse; symlinks stay, unless they point
// outside the folder: those are left out and named in `left_out`.
Result<PackResult> pack_archive(const std::vector<HostFolder>& folders, const storage::Uri& target,
                                const PackOptions& options, const storage::StoreSet& stores,
                                os::FileSystem& files, const ProgressSink& progress,
                                std::stop_token stop);
// The same merge as single objects under `target` (OutputDataConfig.CompressionType NONE).
Result<PackResult> copy_merged(const std::vector<HostFolder>& folders, const storage::Uri& target,
                               const PackOptions& options, const storage::StoreSet& stores,
                               os::FileSystem& files, const ProgressSink& progress,
                               std::stop_token stop);

// ---- source code ---------------------------------------------------------------------------

struct UnpackLimits {
  std::uint64_t bytes = 10ull << 30;
  std::uint64_t entries = 1'000'000;
};
// Unpacks tar or tar.gz into `folder`. Absolute paths, `..`, links that leave the folder, devices
// and FIFOs are refused before anything of that entry is written.
Status unpack_archive(const std::filesystem::path& archive, const std::filesystem::path& folder,
                      const UnpackLimits& limits, os::FileSystem& files);

}  // namespace evener::artifacts
