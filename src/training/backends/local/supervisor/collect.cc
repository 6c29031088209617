#include "training/backends/local/supervisor/collect.h"

#include <algorithm>

#include "training/backends/local/job_folder/job_folder.h"
#include "training/backends/local/supervisor/staging.h"

namespace evener::backends {
namespace {

const MlFolder kMetricsFolder = {"output", "metrics", "sagemaker"};

// The folders that may be packed. A program can have put a symlink in the place of one, which
// would lead out of its instance.
std::vector<artifacts::HostFolder> plain_folders(const std::vector<HostResults>& hosts,
                                                 const MlFolder& relative,
                                                 std::vector<std::string>& left_out) {
  std::vector<artifacts::HostFolder> folders;
  for (const HostResults& host : hosts) {
    const std::filesystem::path folder = below(host.ml_folder, relative);
    if (is_plain_folder(host.ml_folder, relative)) {
      folders.push_back({.host = host.host,
                         .folder = folder,
                         .seen_as = below(host.ml_path, relative).string()});
    } else if (std::error_code error;
               std::filesystem::symlink_status(folder, error).type() !=
               std::filesystem::file_type::not_found) {
      left_out.push_back(host.host + ": " + below(host.ml_path, relative).string() +
                         ": no plain folder");
    }
  }
  return folders;
}

struct Part {
  const MlFolder& relative;
  std::string uri;
};

// Stores one part; answers its URI, "" if every host's folder was empty.
Result<std::string> store_part(const CollectOrder& order, const Part& part,
                               const std::stop_token& stop, StoredResults& results,
                               std::vector<std::string>& left_out) {
  const bool packed = order.spec.compress_output;
  auto target = storage::parse_uri(part.uri);
  if (!target) return tl::unexpected<Error>(target.error());
  const auto folders = plain_folders(order.hosts, part.relative, left_out);
  if (folders.empty()) return std::string();
  const artifacts::PackOptions options{.threads = copy_threads()};
  const auto progress = progress_into(order.samples, order.clock, "packing");
  auto stored = packed ? artifacts::pack_archive(folders, *target, options, order.stores,
                                                 order.files, progress, stop)
                       : artifacts::copy_merged(folders, *target, options, order.stores,
                                                order.files, progress, stop);
  if (!stored) return tl::unexpected<Error>(stored.error());
  results.report.bytes_read += stored->bytes_read;
  results.report.bytes_written += stored->bytes_written;
  std::ranges::move(stored->clashes, std::back_inserter(results.report.clashes));
  std::ranges::move(stored->left_out, std::back_inserter(left_out));
  return stored->empty ? std::string() : part.uri;
}

void limit_reports(StoredResults& results, std::vector<std::string>& left_out) {
  auto& clashes = results.report.clashes;
  if (!clashes.empty()) {
    results.notices.push_back(std::to_string(clashes.size()) +
                              " path(s) with different content on several hosts; the lowest host's "
                              "was kept, for instance " + clashes.front().path);
  }
  if (clashes.size() > kMaxReportedClashes) clashes.resize(kMaxReportedClashes);
  if (left_out.size() > kMaxReportedLeftOut) {
    const std::size_t more = left_out.size() - kMaxReportedLeftOut;
    left_out.resize(kMaxReportedLeftOut);
    left_out.push_back("and " + std::to_string(more) + " more");
  }
  for (const std::string& what : left_out) {
    results.notices.push_back("left out of the results: " + what);
  }
}

}  // namespace

Result<StoredResults> store_results(const CollectOrder& order, const std::stop_token& stop) {
  StoredResults results;
  std::vector<std::string> left_out;
  auto model = store_part(order, {kModelFolder, jobs::model_uri(order.spec)}, stop, results, left_out);
  if (!model) return tl::unexpected<Error>(model.error());
  results.report.model_uri = *model;
  auto output = store_part(order, {kOutputFolder, jobs::output_data_uri(order.spec)}, stop, results,
                           left_out);
  if (!output) return tl::unexpected<Error>(output.error());
  results.report.output_uri = *output;
  limit_reports(results, left_out);
  for (const HostResults& host : order.hosts) {
    if (order.files.stat(host.ml_folder.parent_path())) continue;
    results.notices.push_back(host.host + ": its folder in the home was removed while the job ran; "
                                          "what it had written is lost");
  }
  return results;
}

void add_input_waits(const std::vector<HostResults>& hosts,
                     std::vector<jobs::InstanceUsage>& usage) {
  for (jobs::InstanceUsage& one : usage) {
    const auto host = std::ranges::find(hosts, one.host, &HostResults::host);
    if (host == hosts.end() || !is_plain_folder(host->ml_folder, kMetricsFolder)) continue;
    one.input_wait_fraction = metrics::input_wait_fraction(below(host->ml_folder, kMetricsFolder));
  }
}

}  // namespace evener::backends
