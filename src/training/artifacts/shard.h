// Who receives what of every channel.
//
// Used by:  staging.
// Threads:  pure functions.
// Fails:    kInvalidArgument on keys that cannot stand side by side as files, naming them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "training/artifacts/artifacts.h"

namespace evener::artifacts {

// One channel, the hosts that receive it, and which objects each of them gets.
struct ChannelShare {
  const ChannelListing* listing = nullptr;
  std::vector<std::string> hosts;                  // natural order
  std::vector<std::vector<std::size_t>> objects;   // per host: indices into listing->objects
  bool sharded() const;                            // some host does not get everything
};
std::vector<ChannelShare> share_channels(const std::vector<ChannelListing>& listings,
                                         const std::vector<jobs::InstancePlacement>& placements,
                                         const jobs::JobSpec& spec);

// Per object: the path of its file below the channel's folder. Keys keep their bytes; `.gz` goes
// when the channel is unpacked.
Result<std::vector<std::string>> staged_paths(const ChannelListing& listing);

// The paths to hide of a folder with all `keys` so that only those at `shown` are left: files,
// or whole folders that hold nothing shown. Parents before children; no path twice.
std::vector<std::string> hidden_paths(const std::vector<std::string>& paths,
                                      const std::vector<std::size_t>& shown);

}  // namespace evener::artifacts
