// The members of a tar file in order: where each one's bytes lie.
//
// Used by:  shards.cc.
// Threads:  one.
// Fails:    kCorrupt with name and offset on what is no tar file or ends too early; kUnsupported on
//           a sparse member; kLimitExceeded on a name over kMaxNameBytes; the file's errors.
// Source:   POSIX.1-2001 (ustar, pax: path and size), GNU tar (long names, base-256 numbers).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"

namespace evener::data::sources {

struct TarMember {
  std::string name;
  std::uint64_t offset = 0;       // of its first byte
  std::uint64_t size = 0;
};

class TarWalk {
 public:
  TarWalk(const os::ReadableFile& file, std::string name, std::uint64_t size)
      : file_(file), name_(std::move(name)), size_(size) {}

  // The next regular file; nothing at the end.
  Result<std::optional<TarMember>> next();
  // The bytes of a small member.
  Result<std::string> text(const TarMember& member, std::size_t limit);

 private:
  static constexpr std::size_t kBlock = 512;
  static constexpr std::size_t kWindow = 4096;   // small members lie beside their neighbours' headers
  using Block = std::array<char, kBlock>;

  struct Header {
    char type = '0';
    TarMember member;
  };

  Result<std::optional<Header>> next_header();
  Result<Header> parse(const Block& block);
  Status take_pax(std::string_view records, TarMember& wish);
  Status fill(std::uint64_t offset, std::span<char> into);
  tl::unexpected<Error> corrupt(const std::string& what) const;

  const os::ReadableFile& file_;
  const std::string name_;
  const std::uint64_t size_;
  std::uint64_t position_ = 0;                   // of the next header
  std::vector<std::byte> window_ = std::vector<std::byte>(kWindow);
  std::uint64_t window_begin_ = 0;
  std::size_t window_size_ = 0;
};

}  // namespace evener::data::sources
