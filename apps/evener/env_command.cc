#include <algorithm>
#include <cstdio>

#include "base/document.h"
#include "base/ids.h"
#include "control_plane/keys/keys.h"
#include "evener/client_config.h"
#include "evener/commands.h"
#include "evener/job_view.h"
#include "evener/server_address.h"
#include "http/sigv4/sigv4.h"
#include "storage/s3/s3.h"

namespace evener::app {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

Result<control_plane::Key> choose_key(const Home& home, control_plane::Role wanted) {
  SystemRandom random;
  const auto keys = control_plane::open_keys(home.keys(), random);
  if (!keys) return tl::unexpected(keys.error());
  const auto found = std::ranges::find(*keys, wanted, &control_plane::Key::role);
  if (found == keys->end())
    return failure(ErrorCode::kNotFound, "the key file " + home.keys().string() + " has no " +
                                             std::string(to_string(wanted)) + " key");
  return *found;
}

http::AccessKey own_key(const control_plane::Key& key) {
  return {.id = key.id, .secret = key.secret, .session_token = ""};
}

// Clients sign for all services with one key: where the S3 server is another's, it is the one that
// this server knows, which our server takes too. No such server knows our read-only key.
Result<http::AccessKey> find_key(const Home& home, const ServerAddress& address,
                                 const EnvOptions& options, os::FileSystem& files) {
  using control_plane::Role;
  const auto chosen = choose_key(home, options.read_only ? Role::kReadOnly : Role::kFull);
  if (!chosen) return tl::unexpected(chosen.error());
  const auto access = storage::read_access(files, home.storage_access());
  const bool beside = access && access->endpoint == address.s3_endpoint && !access->key.id.empty();
  if (!beside) return own_key(*chosen);
  if (!options.read_only) return access->key;
  const auto full = choose_key(home, Role::kFull);
  if (full && full->id != access->key.id)
    std::fprintf(stderr, "evener: the S3 server at %s does not know this read-only key\n",
                 address.s3_endpoint.c_str());
  return own_key(*chosen);
}

Variables variables(const ServerAddress& address, const http::AccessKey& key,
                    const std::string& region) {
  Variables all{{"AWS_ENDPOINT_URL", address.endpoint}};
  if (!address.s3_endpoint.empty()) all.emplace_back("AWS_ENDPOINT_URL_S3", address.s3_endpoint);
  all.emplace_back("AWS_ACCESS_KEY_ID", key.id);
  all.emplace_back("AWS_SECRET_ACCESS_KEY", key.secret);
  // Also without one, so that none of another key stays in the shell.
  all.emplace_back("AWS_SESSION_TOKEN", key.session_token);
  all.emplace_back("AWS_DEFAULT_REGION", region);
  all.emplace_back("AWS_REGION", region);
  all.emplace_back("AWS_EC2_METADATA_DISABLED", "true");
  return all;
}

std::string text_of(const Variables& all, OutputForm form) {
  document::Value object = document::make_object();
  std::string lines;
  for (const auto& [name, value] : all) {
    object.set(name, document::make_string(value));
    lines += "export " + name + "=" + shell_quoted(value) + "\n";
  }
  return form == OutputForm::kJson ? document::write(object) + "\n" : lines;
}

Result<std::string> exports(const EnvOptions& options) {
  auto home = open_home(options.shared.home);
  if (!home) return tl::unexpected(home.error());
  auto files = os::make_real_file_system();
  const auto address = read_server_address(*home, *files);
  if (!address) return tl::unexpected(address.error());
  const auto key = find_key(*home, *address, options, *files);
  if (!key) return tl::unexpected(key.error());
  Variables all = variables(*address, *key, options.shared.region);
  if (!options.config_folder.empty()) {
    const auto file = write_client_config({.folder = options.config_folder,
                                           .bucket = options.bucket,
                                           .role = options.role},
                                          *files);
    if (!file) return tl::unexpected(file.error());
    all.emplace_back("SAGEMAKER_USER_CONFIG_OVERRIDE", file->string());
  }
  return text_of(all, options.shared.form);
}

}  // namespace

int run_env(const EnvOptions& options) {
  const auto text = exports(options);
  if (!text) return report_error(text.error(), kExitFailed);
  print(*text);
  return kExitDone;
}

}  // namespace evener::app
