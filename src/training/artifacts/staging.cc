#include <algorithm>
#include <set>

#include "training/artifacts/artifacts.h"
#include "training/artifacts/overlay.h"
#include "training/artifacts/parallel.h"
#include "training/artifacts/progress.h"
#include "training/artifacts/relative_path.h"
#include "training/artifacts/shard.h"
#include "training/artifacts/stage_object.h"

namespace evener::artifacts {
namespace {

class Staging {
 public:
  Staging(const StagingOptions& options, const storage::StoreSet& stores, os::FileSystem& files,
          std::stop_token stop)
      : options_(options), stores_(stores), files_(files), stop_(std::move(stop)) {}

  // Decides per channel, makes the folders, and collects what is left to copy.
  Status prepare(const ChannelShare& share) {
    if (auto name = safe_relative_path(share.listing->channel.name); !name)
      return tl::unexpected(std::move(name.error()));
    auto paths = staged_paths(*share.listing);
    if (!paths) return tl::unexpected(std::move(paths.error()));
    report(share);
    if (options_.overlay_possible && choose_showing(share, *paths) == Showing::kOverlay) {
      Status shown = show_folder(share, *paths);
      if (shown) return check_readable(share);
      if (shown.error().code != ErrorCode::kUnsupported) return shown;
      for (const std::string& host : share.hosts)
        RETURN_IF_ERROR(files_.remove_tree(folder_of(host, share)));
    }
    return plan_copies(share, *paths);
  }

  Status copy(const ProgressSink& progress) {
    std::uint64_t total = 0;
    for (const ObjectToStage& object : copies_) total += object.bytes;
    ProgressMeter meter(progress, total);
    RETURN_IF_ERROR(run_tasks(
        copies_.size(), options_.threads,
        [&](std::size_t, std::size_t index, std::stop_token stop) -> Status {
          const ObjectToStage& object = copies_[index];
          Status staged = stage_object(object, files_, meter, stop);
          if (staged) return ok();
          return failure_in("channel " + object.channel + ": " + object.uri,
                            std::move(staged.error()));
        },
        stop_));
    meter.finish();
    return ok();
  }

  StagedChannels take() { return std::move(staged_); }

 private:
  std::filesystem::path folder_of(const std::string& host, const ChannelShare& share) const {
    return options_.instances / host / "channels" / share.listing->channel.name;
  }

  void report(const ChannelShare& share) {
    jobs::ChannelReport report;
    report.channel = share.listing->channel.name;
    report.objects = share.listing->objects.size();
    for (const storage::StoredObject& object : share.listing->objects) report.bytes += object.size;
    for (std::size_t i = 0; i < share.hosts.size(); ++i) {
      jobs::HostShard shard{.host = share.hosts[i], .objects = share.objects[i].size(), .bytes = 0};
      for (const std::size_t index : share.objects[i])
        shard.bytes += share.listing->objects[index].size;
      if (shard.objects == 0)
        staged_.notices.push_back("host " + shard.host + " receives no object of channel " +
                                  report.channel);
      report.hosts.push_back(std::move(shard));
    }
    staged_.reports.push_back(std::move(report));
  }

  Status show_folder(const ChannelShare& share, const std::vector<std::string>& paths) {
    std::vector<ChannelMount> mounts;
    for (std::size_t i = 0; i < share.hosts.size(); ++i) {
      const auto folder = folder_of(share.hosts[i], share);
      ChannelMount mount{.host = share.hosts[i],
                         .channel = share.listing->channel.name,
                         .lower = *share.listing->folder,
                         .upper = folder / "upper",
                         .work = folder / "work"};
      RETURN_IF_ERROR(files_.make_directories(mount.upper));
      RETURN_IF_ERROR(files_.make_directories(mount.work));
      RETURN_IF_ERROR(hide_others(files_, mount.upper, paths, share.objects[i]));
      mounts.push_back(std::move(mount));
    }
    std::ranges::move(mounts, std::back_inserter(staged_.mounts));
    return ok();
  }

  // What a copy would have found: a file that cannot be read fails the channel, by name.
  Status check_readable(const ChannelShare& share) {
    const auto& objects = share.listing->objects;
    return run_tasks(
        share.hosts.empty() ? 0 : objects.size(), options_.threads,
        [&](std::size_t, std::size_t index, std::stop_token) -> Status {
          auto opened = files_.open(*share.listing->folder / objects[index].key);
          if (!opened) return tl::unexpected(std::move(opened.error()));
          return ok();
        },
        stop_);
  }

  Status plan_copies(const ChannelShare& share, const std::vector<std::string>& paths) {
    std::vector<ObjectToStage> objects(share.listing->objects.size());
    for (std::size_t i = 0; i < share.hosts.size(); ++i) {
      const auto folder = folder_of(share.hosts[i], share);
      ChannelMount mount{.host = share.hosts[i],
                         .channel = share.listing->channel.name,
                         .lower = {},
                         .upper = folder / "upper",
                         .work = {}};
      RETURN_IF_ERROR(files_.make_directories(mount.upper));
      for (const std::size_t index : share.objects[i])
        objects[index].targets.push_back(mount.upper / paths[index]);
      staged_.mounts.push_back(std::move(mount));
    }
    for (std::size_t index = 0; index < objects.size(); ++index) {
      ObjectToStage& object = objects[index];
      if (object.targets.empty()) continue;
      RETURN_IF_ERROR(make_parents(object));
      RETURN_IF_ERROR(resolve(*share.listing, index, object));
      staged_.reports.back().bytes_copied += object.bytes;
      copies_.push_back(std::move(object));
    }
    return ok();
  }

  Status resolve(const ChannelListing& listing, std::size_t index, ObjectToStage& object) {
    const storage::StoredObject& found = listing.objects[index];
    object.channel = listing.channel.name;
    object.uri = found.uri;
    object.gzip = listing.channel.compression == jobs::Compression::kGzip;
    auto source = storage::parse_uri(found.uri);
    if (!source) return tl::unexpected(std::move(source.error()));
    auto store = stores_.find(*source);
    if (!store) return tl::unexpected(std::move(store.error()));
    object.source = std::move(*source);
    object.store = *store;
    object.bytes = found.size * object.targets.size();
    return ok();
  }

  Status make_parents(const ObjectToStage& object) {
    for (const auto& target : object.targets) {
      const std::filesystem::path parent = target.parent_path();
      if (!parents_.insert(parent).second) continue;
      RETURN_IF_ERROR(files_.make_directories(parent));
    }
    return ok();
  }

  const StagingOptions& options_;
  const storage::StoreSet& stores_;
  os::FileSystem& files_;
  std::stop_token stop_;
  std::vector<ObjectToStage> copies_;
  std::set<std::filesystem::path> parents_;   // folders of targets that exist
  StagedChannels staged_;
};

}  // namespace

Result<StagedChannels> stage_channels(const std::vector<ChannelListing>& listings,
                                      const std::vector<jobs::InstancePlacement>& placements,
                                      const jobs::JobSpec& spec, const StagingOptions& options,
                                      const storage::StoreSet& stores, os::FileSystem& files,
                                      const ProgressSink& progress, std::stop_token stop) {
  Staging staging(options, stores, files, stop);
  for (const ChannelShare& share : share_channels(listings, placements, spec)) {
    Status prepared = staging.prepare(share);
    if (!prepared)
      return failure_in("channel " + share.listing->channel.name, std::move(prepared.error()));
  }
  RETURN_IF_ERROR(staging.copy(progress));
  return staging.take();
}

}  // namespace evener::artifacts
