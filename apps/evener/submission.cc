#include "evener/submission.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "base/ids.h"
#include "evener/catalog_source.h"
#include "evener/engine_seat.h"
#include "evener/isolation.h"
#include "evener/local_inputs.h"
#include "evener/object_stores.h"
#include "storage/storage.h"

namespace evener::app {
namespace {

constexpr std::uint64_t kMaxRequestBytes = 1u << 20;
constexpr std::string_view kAccount = "000000000000";

Result<std::string> read_request(const std::string& path, os::FileSystem& files) {
  if (path == "-") {
    std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    if (text.size() > kMaxRequestBytes)
      return failure(ErrorCode::kInvalidArgument, "the request on standard input is over 1 MiB");
    return text;
  }
  return os::read_text(files, path, kMaxRequestBytes);
}

Status check_scheme(std::string_view what, const std::string& uri) {
  if (uri.empty() || uri.starts_with("file://") || uri.starts_with("s3://")) return ok();
  return failure(ErrorCode::kUnsupported,
                 std::string(what) + " '" + uri + "': a path, file:///path or s3://bucket/key works");
}

// The nearest folder that exists must take new entries: a job must not find out at its end.
Status check_output(const std::string& uri) {
  RETURN_IF_ERROR(check_scheme("output", uri));
  auto parsed = storage::parse_uri(uri);
  if (!parsed) return failure_in("output", parsed.error());
  if (parsed->scheme != "file") return ok();
  std::filesystem::path folder = "/" + parsed->key;
  std::error_code gone;
  while (!std::filesystem::exists(folder, gone) && folder.has_relative_path())
    folder = folder.parent_path();
  int problem = ::access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
  if (!std::filesystem::is_directory(folder, gone)) problem = ENOTDIR;
  if (problem == 0) return ok();
  Error error = errno_error(problem, "the output " + uri + " cannot be written: " + folder.string());
  error.message += "; choose a folder of yours with --output or S3OutputPath";
  return tl::unexpected(std::move(error));
}

}  // namespace

std::string request_folder(const TrainOptions& options) {
  const bool from_file = !options.job_file.empty() && options.job_file != "-";
  return from_file ? std::filesystem::absolute(options.job_file).parent_path().string()
                   : std::filesystem::current_path().string();
}

jobs::InstanceShape whole_machine() {
  const auto cluster = machine_cluster();
  return {.vcpus = static_cast<int>(cluster.cpus), .memory_gib = cluster.memory_gib,
          .accelerator = cluster.accelerators > 0 ? "GPU" : "",
          .accelerators = cluster.accelerators, .known = false};
}

Status check_places(const jobs::JobSpec& spec) {
  for (const auto& channel : spec.channels)
    RETURN_IF_ERROR(check_scheme("channel " + channel.name + ":", channel.uri));
  return check_output(spec.output_uri);
}

Status set_fit(const std::string& text, jobs::JobSpec& spec) {
  if (text == "share" || text == "strict") {
    spec.fit = text == "share" ? jobs::Fit::kShare : jobs::Fit::kStrict;
    return ok();
  }
  constexpr std::string_view kScaled = "scaled:";
  if (text.starts_with(kScaled)) {
    const char* end = text.data() + text.size();
    double scale = 0;
    const auto parsed = std::from_chars(text.data() + kScaled.size(), end, scale);
    if (parsed.ec == std::errc() && parsed.ptr == end && scale > 0 && scale <= 64) {
      spec.fit = jobs::Fit::kScaled;
      spec.fit_scale = scale;
      return ok();
    }
  }
  return failure(ErrorCode::kInvalidArgument,
                 "--fit '" + text + "': use share, strict or scaled:FACTOR, such as scaled:0.5");
}

Result<std::string> request_text(const TrainOptions& options, const std::string& output,
                                 os::FileSystem& files, WallTime now) {
  if (!options.job_file.empty()) {
    auto text = read_request(options.job_file, files);
    if (!text) return failure_in("read the job", text.error());
    return text;
  }
  api::TrainFlags flags = options.flags;
  flags.default_name = api::default_job_name(flags.entry_point, now);
  if (flags.output.empty()) flags.output = output;
  return api::request_from_flags(flags, std::filesystem::current_path().string());
}

Result<std::string> submit(const std::string& request, const TrainOptions& options,
                           const Home& home, os::FileSystem& files, store::Store& store,
                           const Clock& clock) {
  auto parsed = api::parse_create_training_job(request, request_folder(options));
  if (!parsed) return tl::unexpected(parsed.error());
  jobs::JobSpec& spec = parsed->spec;
  RETURN_IF_ERROR(check_places(spec));
  RETURN_IF_ERROR(check_local_inputs(spec, files));
  // A job of that name that is there keeps its own.
  if (!store.find(spec.name)) RETURN_IF_ERROR(keep_object_access(home, spec, files));
  if (!options.fit.empty()) RETURN_IF_ERROR(set_fit(options.fit, spec));
  auto isolation = wished_isolation(options.isolation);
  if (!isolation) return tl::unexpected(isolation.error());
  spec.isolation = *isolation;
  auto catalog = load_catalog(home, files);
  if (!catalog) return tl::unexpected(catalog.error());
  resolve_shapes(spec, *catalog, whole_machine(), parsed->notices);
  const std::string arn = training_job_arn(options.shared.region, kAccount, spec.name);
  std::vector<jobs::JobEvent> events;
  const auto now = clock.wall_now();
  events.push_back({.job = spec.name, .time = now, .change = jobs::Submitted{spec, arn}});
  for (auto& notice : parsed->notices)
    events.push_back({.job = spec.name, .time = now, .change = jobs::Noticed{std::move(notice)}});
  auto committed = store.commit(events);
  if (!committed) return tl::unexpected(committed.error());
  for (const auto& status : *committed)
    if (!status) return tl::unexpected(status.error());
  return spec.name;
}

}  // namespace evener::app
