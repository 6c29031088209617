#include <charconv>

#include "storage/s3/s3.h"

namespace evener::storage {
namespace {

using Environment = std::map<std::string, std::string>;

std::string first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = environment.find(name);
    if (found != environment.end() && !found->second.empty()) return found->second;
  }
  return "";
}

}  // namespace

std::string_view to_string(Addressing addressing) {
  return addressing == Addressing::kPath ? "path" : "virtual";
}

Result<Addressing> addressing_from(std::string_view text) {
  if (text == "path") return Addressing::kPath;
  if (text == "virtual") return Addressing::kVirtual;
  return failure(ErrorCode::kInvalidArgument,
                 "'" + std::string(text) + "' is not an S3 addressing: path or virtual");
}

Result<std::optional<S3Access>> access_from(const Environment& environment) {
  S3Access access;
  access.endpoint = first_of(environment, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  access.key = {.id = first_of(environment, {"AWS_ACCESS_KEY_ID"}),
                .secret = first_of(environment, {"AWS_SECRET_ACCESS_KEY"}),
                .session_token = first_of(environment, {"AWS_SESSION_TOKEN"})};
  if (access.endpoint.empty() && access.key.id.empty()) return std::optional<S3Access>();
  if (!access.key.id.empty() && access.key.secret.empty()) {
    return failure(ErrorCode::kInvalidArgument,
                   "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not");
  }
  const std::string region = first_of(environment, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (!region.empty()) access.region = region;
  access.ca_file = first_of(environment, {"AWS_CA_BUNDLE"});
  const std::string patience = first_of(environment, {"EVENER_S3_PATIENCE_SECONDS"});
  if (!patience.empty()) {
    std::uint32_t seconds = 0;
    const char* end = patience.data() + patience.size();
    const auto [stop, error] = std::from_chars(patience.data(), end, seconds);
    if (error != std::errc() || stop != end) {
      return failure(ErrorCode::kInvalidArgument,
                     "EVENER_S3_PATIENCE_SECONDS is not a number of seconds: " + patience);
    }
    access.patience = std::chrono::seconds(seconds);
  }
  const std::string style = first_of(environment, {"EVENER_S3_ADDRESSING"});
  if (!style.empty()) {
    auto addressing = addressing_from(style);
    if (!addressing) return tl::unexpected(std::move(addressing.error()));
    access.addressing = *addressing;
  }
  return std::optional<S3Access>(std::move(access));
}

}  // namespace evener::storage
