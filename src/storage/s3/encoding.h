// The spellings of bytes in URIs and headers.
//
// Used by:  this folder.
// Threads:  pure functions.
// Fails:    decode functions with nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace evener::storage {

// Of http::percent_encode(), and '+' for a blank, as listings with encoding-type=url have it.
std::optional<std::string> uri_decode(std::string_view text);

std::string base64(std::span<const std::byte> bytes);
std::string hex(std::span<const std::byte> bytes);
std::optional<std::string> from_hex(std::string_view text);
// The four bytes of a CRC in network order, as base64: the form of x-amz-checksum-crc32.
std::string base64_of_crc(std::uint32_t crc);

}  // namespace evener::storage
