// The other end of a control plane: signed requests to one server, asked again while it is away.
//
// Used by:  apps (`--server`).
// Threads:  a ServerClient may be shared; ask() blocks its thread.
// Fails:    kPermissionDenied (key, signature, role), kNotFound, kAlreadyExists, kInvalidArgument,
//           kLimitExceeded, kUnsupported (no such operation) with the server's text; kCorrupt: what
//           answers is no control plane; kUnavailable, kTimedOut: it did not answer within the
//           patience.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/document.h"
#include "base/result.h"
#include "control_plane/wire/wire.h"
#include "http/client/client.h"
#include "http/sigv4/sigv4.h"

namespace evener::control_plane {

struct ServerClientOptions {
  std::string url;                                // "http://127.0.0.1:8900"
  std::string region = "us-east-1";
  std::optional<http::AccessKey> key{};           // none: requests are not signed
  std::chrono::milliseconds patience{0};          // with a server that does not answer
  // Told when requests begin to fail and are asked again, with why; with "" once one succeeds.
  std::function<void(const std::string& why)> trouble{};
  std::function<void(std::chrono::milliseconds)> pause{};
};

// "http://host[:port]" or "https://...", without what follows; kInvalidArgument for anything else.
Result<std::string> server_url(std::string_view text);

struct Answered {
  Result<document::Value> result;
  // The server may have carried the request out before: an answer was lost.
  bool repeated = false;
};

class ServerClient {
 public:
  // `http` and `clock` outlive it.
  ServerClient(ServerClientOptions options, http::Client& http, const Clock& clock)
      : options_(std::move(options)), http_(http), clock_(clock) {}

  Answered ask(wire::Service service, std::string_view operation, const document::Value& input) const;

 private:
  Result<document::Value> ask_once(const http::Request& request, http::Resend resend) const;

  const ServerClientOptions options_;
  http::Client& http_;
  const Clock& clock_;
};

}  // namespace evener::control_plane
