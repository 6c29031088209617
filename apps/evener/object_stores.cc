#include "evener/object_stores.h"

#include <algorithm>

#include "evener/machine.h"
#include "training/backends/local/job_folder/job_folder.h"

namespace evener::app {
namespace {

constexpr std::string_view kSubmitDirectory = "sagemaker_submit_directory";

bool is_object(std::string_view uri) { return uri.find("s3://") <= 1; }   // or quoted, as JSON

// <home>/jobs/<name> -> <home>
std::filesystem::path home_of(const std::filesystem::path& job_folder) {
  return job_folder.parent_path().parent_path();
}

bool uses_object_store(const jobs::JobSpec& spec) {
  if (is_object(spec.output_uri)) return true;
  if (std::ranges::any_of(spec.channels, is_object, &jobs::Channel::uri)) return true;
  const auto source = spec.hyperparameters.find(std::string(kSubmitDirectory));
  return source != spec.hyperparameters.end() && is_object(source->second);
}

}  // namespace

Status keep_object_access(const Home& home, const jobs::JobSpec& spec, os::FileSystem& files) {
  if (!uses_object_store(spec)) return ok();
  auto access = storage::access_from(environment_variables());
  if (!access) return tl::unexpected(access.error());
  const auto folder = backends::job_folder(home.root, spec.name);
  if (*access) {
    RETURN_IF_ERROR(files.make_directories(folder.root));
    RETURN_IF_ERROR(files.set_mode(folder.root, 0700));
    return storage::write_access(files, folder.storage_access(), **access);
  }
  if (files.stat(home.storage_access())) return ok();
  return failure(ErrorCode::kInvalidArgument,
                 "the job names s3:// places, but no S3 endpoint is known: set AWS_ENDPOINT_URL_S3, "
                 "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or start one with `evener up`");
}

Result<storage::S3Access> find_object_access(const std::filesystem::path& job_folder,
                                             os::FileSystem& files) {
  auto own = storage::read_access(files, backends::JobFolder{job_folder}.storage_access());
  if (own || own.error().code != ErrorCode::kNotFound) return own;
  auto shared = storage::read_access(files, Home{home_of(job_folder)}.storage_access());
  if (shared || shared.error().code != ErrorCode::kNotFound) return shared;
  return failure(ErrorCode::kInvalidArgument,
                 "no S3 endpoint is known: set AWS_ENDPOINT_URL_S3, or start one with `evener up`");
}

std::unique_ptr<storage::S3Store> ObjectStores::make(
    std::function<Result<storage::S3Access>()> access, const backends::StoreWishes& wishes) {
  storage::S3Options options;
  const auto known = access();
  if (known) options.retry.patience = known->patience;
  clients_.push_back(http::make_client({.ca_file = known ? known->ca_file : ""}));
  options.access = std::move(access);
  options.trouble = wishes.trouble;
  options.stop = wishes.stop;
  return storage::make_s3_store(std::move(options), {.client = *clients_.back(),
                                                     .clock = clock_,
                                                     .random = random_,
                                                     .pause = storage::real_pause()});
}

}  // namespace evener::app
