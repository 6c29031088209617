// An HTTP client with pooled connections, streaming bodies and time limits.
//
// Used by:  storage/s3, apps (`--server`).
// Threads:  a Client may be shared; send() blocks its thread. Sinks and sources are called on it.
// Fails:    kUnavailable (connect, reset, name, bad chunk), kTimedOut (connect, stall, limit), kCorrupt
//           (short or malformed answer), kPermissionDenied (certificate), kCancelled; method and URL
//           without its query in the message. An HTTP error status is a Response, not an error, and
//           so is a redirect.
// Source:   RFC 9112; over libcurl.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "http/http.h"

namespace evener::http {

struct ClientOptions {
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::seconds stall_timeout{30};      // no byte for so long
  std::size_t body_limit_bytes = 64u << 20;    // of a Response's body that is kept in memory
  std::size_t idle_connections = 32;           // kept open between requests
  std::string ca_file{};                       // "": the system's
  std::string proxy{};                         // "": none, whatever the environment says
};

// Takes the body of an answer with status 2xx piece by piece; an error ends the transfer.
using BodySink = std::function<Status(std::span<const std::byte>)>;

// A body that is not in Request::body. Called again from an earlier offset when a request has to
// be sent anew.
struct BodySource {
  std::uint64_t length = 0;
  // Fills all of `buffer` from `offset`; never asked beyond `length`.
  std::function<Status(std::uint64_t offset, std::span<std::byte> buffer)> read{};
};

enum class Expect {
  kNothing,
  kContinue,         // a large body is sent only once the server has seen the headers, or after 1 s
};

// A kept connection that turns out to be closed is replaced and the request sent once more, unseen:
// not one that must not come twice without its sender's knowledge.
enum class Resend { kUnseen, kNever };

struct Exchange {
  std::string origin;                          // "http://127.0.0.1:8333"
  Request request{};
  BodySource source{};                         // with `read`: in place of Request::body
  // Sees the answer's status and headers before its body; an error ends the transfer.
  std::function<Status(const Response&)> on_headers{};
  BodySink sink{};                             // none: Response::body
  Expect expect = Expect::kNothing;
  Resend resend = Resend::kUnseen;
  std::chrono::milliseconds time_limit{0};     // of the whole exchange; 0: none
  std::stop_token stop{};
};

class Client {
 public:
  virtual ~Client() = default;
  virtual Result<Response> send(const Exchange& exchange) = 0;
};

std::unique_ptr<Client> make_client(const ClientOptions& options);

}  // namespace evener::http
