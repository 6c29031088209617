// Checksums as S3 states them, computed over streams and over parts of an object.
//
// Used by:  download, upload.
// Threads:  values.
// Fails:    never.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "http/http.h"

namespace evener::storage {

std::uint32_t crc32(std::uint32_t so_far, std::span<const std::byte> bytes);     // as in gzip
std::uint32_t crc32c(std::uint32_t so_far, std::span<const std::byte> bytes);
// The CRC of two runs of bytes one after the other, from their own.
std::uint32_t join_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);
std::uint32_t join_crc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

enum class ChecksumKind { kCrc32, kCrc32c, kSha256, kMd5 };

// What an answer promises of the whole object; the cheapest that can be compared.
struct Promised {
  ChecksumKind kind;
  std::string text;      // base64; of an MD5 in an ETag: hex
};
std::optional<Promised> promised_checksum(const http::Headers& headers);

// Of one stream of bytes in order.
class Checksum {
 public:
  explicit Checksum(ChecksumKind kind);
  ~Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) noexcept;
  void add(std::span<const std::byte> bytes);
  std::uint32_t crc() const { return crc_; }
  std::string text();                          // as Promised has it; nothing can be added after

 private:
  ChecksumKind kind_;
  std::uint32_t crc_ = 0;
  struct Digest;
  std::unique_ptr<Digest> digest_;
};

std::string md5_hex(std::span<const std::byte> bytes);

}  // namespace evener::storage
