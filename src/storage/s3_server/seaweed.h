// How SeaweedFS is told what to do, and how it says what it did.
//
// Used by:  s3_server.
// Threads:  pure functions, but for find_ports().
// Fails:    find_ports() with kUnavailable when no ports are free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/sigv4/sigv4.h"
#include "storage/s3_server/s3_server.h"

namespace evener::storage {

// Each with a second one for its own use, kSecondPort above.
struct SeaweedPorts {
  std::uint16_t s3 = 0;
  std::uint16_t filer = 0;
  std::uint16_t master = 0;
  std::uint16_t volume = 0;
  std::uint16_t admin = 0;
};
inline constexpr int kSecondPort = 10'000;

// Ports of loopback that are free now; `wanted` for S3 if it is.
Result<SeaweedPorts> find_ports(std::optional<std::uint16_t> wanted);

// It leaves sockets in the temporary folder, named by its ports.
void remove_sockets(os::FileSystem& files, const SeaweedPorts& ports);

// The ports as one line of text, for the next start.
std::string ports_text(const SeaweedPorts& ports);
std::optional<SeaweedPorts> read_ports(std::string_view text);

std::vector<std::string> seaweed_command(const S3ServerOptions& options, const SeaweedPorts& ports);
// The file that names who may do what.
std::string seaweed_identities(const http::AccessKey& full, const http::AccessKey& read_only);

// What the program printed so far -> where it serves S3, "http://127.0.0.1:8333". It takes another
// port without a word when its own is taken.
std::optional<std::string> announced_endpoint(std::string_view output);

}  // namespace evener::storage
