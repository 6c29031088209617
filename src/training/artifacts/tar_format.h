// Bytes of a tar archive as POSIX.1-2001 (pax) defines it, with GNU's sparse format 1.0.
//
// Used by:  tar_layout.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/file_system.h"

namespace evener::artifacts {

inline constexpr std::uint64_t kTarBlock = 512;          // everything is a multiple of it
inline constexpr std::uint64_t kTarEnd = 2 * kTarBlock;  // zeros after the last member

enum class TarType : char { kFile = '0', kSymlink = '2', kFolder = '5' };

struct TarMember {
  std::string path;                 // no slash at the end, not even of a folder
  TarType type = TarType::kFile;
  bool executable = false;
  std::uint64_t size = 0;           // of a file, as a reader sees it
  std::string link_target;          // of a symlink
  // Set for a file that is written sparse: its parts that are data, in order. What lies between
  // them is zeros.
  const std::vector<os::Extent>* data = nullptr;
};

// Everything before the data of the member: pax header where needed, header, sparse map.
std::string tar_header(const TarMember& member);

// Bytes of data that follow the header, without the padding to a whole block.
std::uint64_t tar_data_size(const TarMember& member);

inline std::uint64_t tar_padded(std::uint64_t size) {
  return (size + kTarBlock - 1) / kTarBlock * kTarBlock;
}

}  // namespace evener::artifacts
