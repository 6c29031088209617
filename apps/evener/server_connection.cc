#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/ids.h"
#include "control_plane/keys/keys.h"
#include "evener/remote_jobs.h"

namespace evener::app {
namespace {

constexpr std::chrono::minutes kViewPatience{10};
constexpr std::chrono::seconds kSignalPatience{3};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A file made by a server: the key that may do everything.
Result<http::AccessKey> key_of_file(const std::filesystem::path& file) {
  std::error_code gone;
  if (!std::filesystem::exists(file, gone))
    return failure(ErrorCode::kNotFound, "the key file " + file.string() + " is not there");
  SystemRandom random;
  const auto keys = control_plane::open_keys(file, random);
  if (!keys) return tl::unexpected(keys.error());
  for (const auto role : {control_plane::Role::kFull, control_plane::Role::kReadOnly})
    for (const auto& key : *keys)
      if (key.role == role) return http::AccessKey{.id = key.id, .secret = key.secret};
  return failure(ErrorCode::kCorrupt, "the key file " + file.string() + " has no key");
}

Result<std::optional<http::AccessKey>> find_key(const SharedOptions& options) {
  if (!options.key_file.empty()) {
    auto key = key_of_file(options.key_file);
    if (!key) return tl::unexpected(key.error());
    return std::optional(std::move(*key));
  }
  http::AccessKey key{.id = variable("AWS_ACCESS_KEY_ID"),
                      .secret = variable("AWS_SECRET_ACCESS_KEY"),
                      .session_token = variable("AWS_SESSION_TOKEN")};
  if (key.id.empty() || key.secret.empty()) return std::optional<http::AccessKey>();
  return std::optional(std::move(key));
}

Error in_words(const ServerConnection& server, const Error& error) {
  const std::string at = "the server at " + server.url;
  switch (error.code) {
    case ErrorCode::kPermissionDenied:
      if (!server.key)
        return {error.code, at + " asks for a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY "
                                 "(`evener env` prints them where the server runs), or give --key-file"};
      return {error.code, at + " refuses the access key " + server.key->id + ": " + error.message};
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimedOut:
      return {error.code, "no server answers at " + server.url + " (" + error.message +
                              "); start one with evener serve, or correct --server"};
    case ErrorCode::kCorrupt:
    case ErrorCode::kUnsupported:
      return {ErrorCode::kInvalidArgument, at + " is not Evener's: " + error.message};
    default: return {error.code, at + ": " + error.message};
  }
}

void say_trouble(const std::string& url, const std::string& why) {
  const std::string text = why.empty() ? "the server at " + url + " answers again"
                                       : "the server at " + url + " does not answer (" + why +
                                             "); trying again";
  std::fprintf(stderr, "evener: %s\n", text.c_str());
}

}  // namespace

std::string chosen_server(const SharedOptions& options) {
  if (!options.server.empty()) return options.server;
  return options.home.empty() ? variable("EVENER_SERVER") : "";
}

control_plane::ServerClient ServerConnection::client(Patience patience) const {
  return {{.url = url,
           .region = region,
           .key = key,
           .patience = patience == Patience::kView
                           ? std::chrono::milliseconds(kViewPatience)
                           : std::chrono::milliseconds(kSignalPatience),
           .trouble = [url = url](const std::string& why) { say_trouble(url, why); },
           .pause = [](std::chrono::milliseconds delay) { std::this_thread::sleep_for(delay); }},
          *http, *clock};
}

Result<ServerConnection> connect(const std::string& url, const SharedOptions& options,
                                 const Clock& clock) {
  auto origin = control_plane::server_url(url);
  if (!origin) return tl::unexpected(origin.error());
  auto key = find_key(options);
  if (!key) return tl::unexpected(key.error());
  ServerConnection server{.url = *origin,
                          .region = options.region,
                          .key = std::move(*key),
                          .http = http::make_client({.ca_file = variable("AWS_CA_BUNDLE")}),
                          .clock = &clock,
                          .facts = {}};
  const control_plane::ServerClient once(
      {.url = server.url, .region = server.region, .key = server.key}, *server.http, clock);
  const auto answered = once.ask(wire::Service::kEvener, "GetServer", document::make_object());
  if (!answered.result) return tl::unexpected(in_words(server, answered.result.error()));
  auto facts = control_plane::facts_from(*answered.result);
  if (!facts) return tl::unexpected(in_words(server, facts.error()));
  server.facts = std::move(*facts);
  return server;
}

}  // namespace evener::app
