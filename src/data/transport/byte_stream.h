// A non-blocking socket that moves bytes: plain, or under TLS.
//
// Used by:  frame_stream.h.
// Threads:  one at a time.
// Fails:    kUnavailable when the peer is gone or TLS ends it.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "data/transport/endpoint.h"
#include "os/unique_fd.h"

namespace evener::data::transport {

struct Progress {
  enum class Kind { kMoved, kWouldBlock, kEnd };         // kEnd: the peer sends no more
  Kind kind = Kind::kWouldBlock;
  std::size_t bytes = 0;
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual int fd() const = 0;
  virtual Result<Progress> read(std::span<const iovec> into) = 0;
  virtual Result<Progress> write(std::span<const iovec> from) = 0;
  // A read or write can go on only once the socket takes bytes.
  virtual bool wants_to_write() const { return false; }
  // The last write can go on only once the peer has sent something.
  virtual bool write_waits_for_peer() const { return false; }
  // Bytes may be there that the socket no longer shows: read until kWouldBlock.
  virtual bool holds_bytes() const { return false; }
  // Unix sockets: passes `descriptor` along with the bytes; the one that came, once.
  virtual Result<Progress> write_with(std::span<const iovec> from, int descriptor);
  virtual std::optional<os::UniqueFd> take_descriptor() { return {}; }
};

enum class Descriptors { kRefused, kTaken };             // that a peer passes
std::unique_ptr<ByteStream> make_plain_stream(os::UniqueFd socket, Descriptors rule);

// The keys of one side. One for all its connections; any thread.
class TlsSide {
 public:
  virtual ~TlsSide() = default;
  // `name`: whom a client wants to reach, as the certificate has it; "" for a server.
  virtual Result<std::unique_ptr<ByteStream>> wrap(os::UniqueFd socket, const std::string& name) = 0;
};
Result<std::unique_ptr<TlsSide>> make_tls_server(const TlsServerFiles& files);
Result<std::unique_ptr<TlsSide>> make_tls_client(const std::string& authority_file);

}  // namespace evener::data::transport
