// An HTTP/1.1 server: keep-alive, limits on everything, replies from any thread.
//
// Used by:  apps (`evener serve`).
// Threads:  ServerOptions::threads of its own run handlers and all sockets; an idle connection
//           costs no thread. A Reply may be called from any thread, also after the handler has
//           returned.
// Fails:    listen() with kUnavailable for a taken port, kPermissionDenied, kInvalidArgument for
//           an address or certificate. Bad requests are answered (400, 408, 413, 417, 431, 501,
//           503, 505) and never reach the handler.
// Source:   RFC 9112.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/http.h"

namespace evener::http {

// Answers one request, once. Dropped without a call, the request is answered 500, and so is an
// answer whose headers would break the message (a line break in a value, a name that is none).
// To a HEAD request the server sends the headers only.
using Reply = std::function<void(Response)>;
// Runs on one of the server's threads, whose other connections wait meanwhile: what takes long is
// done elsewhere and replies from there.
using OnRequest = std::function<void(Request, Reply)>;

struct TlsFiles {
  std::string certificate;     // PEM, the whole chain
  std::string private_key;     // PEM
};

struct ServerOptions {
  std::string address = "127.0.0.1";               // an IPv4 or IPv6 address
  std::uint16_t port = 0;                          // 0: any that is free
  int threads = 1;                                 // decision 6: one is fastest on few CPUs
  std::uint64_t body_limit_bytes = 2u << 20;
  std::uint32_t header_limit_bytes = 32u << 10;    // request line and headers together
  std::uint32_t header_limit = 256;                // headers of a request
  std::uint64_t memory_limit_bytes = 256u << 20;   // of all requests and answers in flight; a
                                                   // request beyond it is answered 503
  int connection_limit = 20'000;                   // more are closed at once
  std::chrono::milliseconds header_timeout{10'000};  // from the first byte of a request
  std::chrono::milliseconds body_timeout{60'000};    // from the end of the headers
  std::chrono::milliseconds idle_timeout{300'000};
  std::chrono::milliseconds write_timeout{60'000};   // of a whole answer
  std::optional<TlsFiles> tls{};
};

class Server {
 public:
  virtual ~Server() = default;                     // closes what is open
  virtual std::uint16_t port() const = 0;
  // Takes no more connections, lets requests in progress end for at most `limit`, then closes.
  // What had come before the call is still answered. Blocks until all is closed: never to
  // be called by an OnRequest.
  virtual void drain(std::chrono::milliseconds limit) = 0;
};

Result<std::unique_ptr<Server>> listen(ServerOptions options, OnRequest on_request);

}  // namespace evener::http
