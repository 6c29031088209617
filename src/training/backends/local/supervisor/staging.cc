#include "training/backends/local/supervisor/staging.h"

#include <algorithm>

namespace evener::backends {
namespace {

tl::unexpected<Error> download_failed(const Error& error) {
  if (error.code == ErrorCode::kCancelled) return tl::unexpected<Error>(error);
  return failure(error.code, "ClientError: Data download failed: " + error.message);
}

Result<artifacts::StagedChannels> stage_all_channels(const StagingOrder& order,
                                                     const std::stop_token& stop) {
  const jobs::JobSpec& spec = order.plan.job.spec;
  if (spec.channels.empty()) return artifacts::StagedChannels{};
  std::vector<artifacts::ChannelListing> listings;
  for (const jobs::Channel& channel : spec.channels) {
    if (stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped while listing");
    auto listing = artifacts::list_channel(order.stores, channel);
    if (!listing) return tl::unexpected<Error>(listing.error());
    listings.push_back(std::move(*listing));
  }
  const artifacts::StagingOptions options{.instances = order.folder.instances(),
                                          .overlay_possible = order.overlay_possible,
                                          .threads = copy_threads()};
  return artifacts::stage_channels(listings, jobs::placements_of(order.plan.job), spec, options,
                                   order.stores, order.files,
                                   progress_into(order.samples, order.clock, "staging"), stop);
}

Result<JobCode> prepare_job_code(const StagingOrder& order) {
  JobCode code;
  const jobs::JobSpec& spec = order.plan.job.spec;
  if (!runner::has_source_code(spec)) return code;
  code.shared = order.code;
  const auto unpack = [&](const std::filesystem::path& archive,
                          const std::filesystem::path& folder) {
    return artifacts::unpack_archive(archive, folder, artifacts::UnpackLimits{}, order.files);
  };
  RETURN_IF_ERROR(os::make_parent_directories(order.files, code.shared));
  auto prepared = runner::prepare_code(spec, order.stores, order.files, code.shared, unpack);
  if (!prepared) return tl::unexpected<Error>(prepared.error());
  code.present = true;
  code.prepared = *prepared;
  // An image's own `train` installs them itself.
  code.installs = prepared->has_requirements && runner::uses_script_mode(spec);
  if (code.installs) {
    RETURN_IF_ERROR(order.files.make_directories(order.folder.requirements()));
  }
  return code;
}

}  // namespace

std::size_t copy_threads() {
  return std::min(kMaxCopyThreads, static_cast<std::size_t>(count_machine_cpus()));
}

artifacts::ProgressSink progress_into(SampleLog& samples, const Clock& clock, std::string phase) {
  return [&samples, &clock, phase = std::move(phase)](std::uint64_t done, std::uint64_t total) {
    samples.write(metrics::Progress{
        .time = clock.wall_now(), .phase = phase, .done_bytes = done, .total_bytes = total});
  };
}

bool needs_staging(const jobs::JobSpec& spec) {
  return !spec.channels.empty() || runner::has_source_code(spec);
}

Result<StagedInput> stage_input(const StagingOrder& order, const std::stop_token& stop) {
  auto channels = stage_all_channels(order, stop);
  if (!channels) return download_failed(channels.error());
  if (stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped while staging");
  auto code = prepare_job_code(order);
  if (!code) {
    if (code.error().code == ErrorCode::kCancelled) return tl::unexpected<Error>(code.error());
    return failure(code.error().code, "ClientError: source code: " + code.error().message);
  }
  return StagedInput{.channels = std::move(*channels), .code = std::move(*code)};
}

}  // namespace evener::backends
