// Bytes of a connection into one Request, strictly: what two readers could take for two different
// requests is refused.
//
// Used by:  connection.
// Threads:  one thread at a time.
// Fails:    state() says kRefused, and refusal() why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/http.h"
#include "http/server/refusal.h"

namespace evener::http {

struct ParserLimits {
  std::uint32_t header_bytes;   // of request line and headers, and of a chunk's own line
  std::uint32_t headers;
  std::uint64_t body_bytes;
};

class RequestParser {
 public:
  enum class State { kHead, kBody, kDone, kRefused };

  explicit RequestParser(const ParserLimits& limits);
  ~RequestParser();
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;

  // How many of `bytes` were used; the rest comes again, with what follows it.
  std::size_t feed(std::string_view bytes);

  State state() const;
  const Refusal& refusal() const;       // kRefused
  std::uint64_t bytes_held() const;     // of headers and body so far
  bool keeps_alive() const;             // after the head
  bool wants_continue() const;          // after the head: sends the body once we say so
  bool is_http_1_0() const;
  Request take();                       // kDone

 private:
  class Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace evener::http
