#include "training/artifacts/shard.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "training/artifacts/relative_path.h"

namespace evener::artifacts {

std::vector<std::vector<std::size_t>> shard(const ChannelListing& listing, std::size_t host_count) {
  std::vector<std::vector<std::size_t>> shares(host_count);
  if (listing.channel.distribution == jobs::Distribution::kShardedByS3Key) {
    for (std::size_t index = 0; host_count > 0 && index < listing.objects.size(); ++index)
      shares[index % host_count].push_back(index);
    return shares;
  }
  for (auto& share : shares) {
    share.resize(listing.objects.size());
    std::iota(share.begin(), share.end(), std::size_t{0});
  }
  return shares;
}

bool ChannelShare::sharded() const {
  return std::ranges::any_of(
      objects, [&](const auto& share) { return share.size() != listing->objects.size(); });
}

std::vector<ChannelShare> share_channels(const std::vector<ChannelListing>& listings,
                                         const std::vector<jobs::InstancePlacement>& placements,
                                         const jobs::JobSpec& spec) {
  std::vector<ChannelShare> shares;
  for (const ChannelListing& listing : listings) {
    ChannelShare share;
    share.listing = &listing;
    for (const jobs::InstancePlacement& placement : placements) {
      const std::string& group = jobs::group_of(spec, placement).name;
      const auto& wanted = listing.channel.groups;
      if (wanted.empty() || std::ranges::find(wanted, group) != wanted.end())
        share.hosts.push_back(placement.host);
    }
    share.objects = shard(listing, share.hosts.size());
    shares.push_back(std::move(share));
  }
  return shares;
}

Result<std::vector<std::string>> staged_paths(const ChannelListing& listing) {
  const bool unpacked = listing.channel.compression == jobs::Compression::kGzip;
  std::vector<std::string> paths;
  std::unordered_map<std::string, const std::string*> key_of;
  for (const storage::StoredObject& object : listing.objects) {
    auto path = safe_relative_path(object.key);
    if (!path) return tl::unexpected(std::move(path.error()));
    if (unpacked && path->ends_with(".gz") && path->size() > 3 &&
        !path->ends_with("/.gz"))
      path->resize(path->size() - 3);
    const auto [first, fresh] = key_of.try_emplace(*path, &object.key);
    if (!fresh)
      return failure(ErrorCode::kInvalidArgument, "\"" + *first->second + "\" and \"" + object.key +
                                                      "\" would be the same file \"" + *path + "\"");
    paths.push_back(std::move(*path));
  }
  for (const std::string& path : paths)
    for (std::string_view at = parent_of(path); !at.empty(); at = parent_of(at))
      if (const auto file = key_of.find(std::string(at)); file != key_of.end())
        return failure(ErrorCode::kInvalidArgument,
                       "\"" + *file->second + "\" is both an object and the folder of \"" + path +
                           "\"; a file system cannot hold both");
  return paths;
}

std::vector<std::string> hidden_paths(const std::vector<std::string>& paths,
                                      const std::vector<std::size_t>& shown) {
  std::unordered_set<std::string_view> kept;  // shown files and the folders above them
  for (const std::size_t index : shown)
    for (std::string_view at = paths[index]; !at.empty(); at = parent_of(at))
      if (!kept.insert(at).second) break;
  std::set<std::string_view> hidden;
  for (const std::string_view path : paths) {
    if (kept.contains(path)) continue;
    // The highest folder above it that shows nothing hides everything below at once.
    std::string_view hide = path;
    for (std::string_view at = parent_of(path); !at.empty() && !kept.contains(at); at = parent_of(at))
      hide = at;
    hidden.insert(hide);
  }
  return {hidden.begin(), hidden.end()};
}

}  // namespace evener::artifacts
