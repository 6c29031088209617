#include <nlohmann/json.hpp>

#include "storage/s3/s3.h"

namespace evener::storage {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::uint32_t kOthers = 077;      // permissions of group and others
constexpr std::uint64_t kFileLimitBytes = 64u << 10;

Result<S3Access> access_of(const json& text) {
  if (text.at("version").get<int>() != kVersion)
    return failure(ErrorCode::kUnsupported, "it is of another version of evener");
  auto addressing = addressing_from(text.at("addressing").get<std::string>());
  if (!addressing) return tl::unexpected(std::move(addressing.error()));
  return S3Access{.endpoint = text.at("endpoint").get<std::string>(),
                  .region = text.at("region").get<std::string>(),
                  .key = {.id = text.at("access_key_id").get<std::string>(),
                          .secret = text.at("secret_access_key").get<std::string>(),
                          .session_token = text.at("session_token").get<std::string>()},
                  .addressing = *addressing,
                  .ca_file = text.at("ca_file").get<std::string>(),
                  .patience = std::chrono::seconds(text.at("patience_seconds").get<std::uint32_t>())};
}

}  // namespace

Status write_access(os::FileSystem& files, const os::fs::path& path, const S3Access& access) {
  const json text = {{"version", kVersion},
                     {"endpoint", access.endpoint},
                     {"region", access.region},
                     {"access_key_id", access.key.id},
                     {"secret_access_key", access.key.secret},
                     {"session_token", access.key.session_token},
                     {"addressing", std::string(to_string(access.addressing))},
                     {"ca_file", access.ca_file},
                     {"patience_seconds", access.patience.count()}};
  return os::write_private_text(files, path,
                                text.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

Result<S3Access> read_access(os::FileSystem& files, const os::fs::path& path) {
  auto stat = files.stat_followed(path);
  if (!stat) return tl::unexpected(std::move(stat.error()));
  if ((stat->mode & kOthers) != 0) {
    return failure(ErrorCode::kPermissionDenied,
                   path.string() + " may be read by others; its mode must be 0600");
  }
  auto text = os::read_text(files, path, kFileLimitBytes);
  if (!text) return tl::unexpected(std::move(text.error()));
  try {
    auto access = access_of(json::parse(*text));
    return access ? access : failure_in(path.string(), std::move(access.error()));
  } catch (const json::exception&) {
    // What the parser says may hold a part of the text.
    return failure(ErrorCode::kCorrupt, path.string() + " is not a file of this kind");
  }
}

}  // namespace evener::storage
