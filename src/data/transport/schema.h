// What a batch holds: named fields, and where each lies in the bytes of a batch.
//
// Used by:  every module of data; travels in welcome messages.
// Threads:  values and pure functions.
// Fails:    kInvalidArgument, naming the field and the member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"

namespace evener::data::transport {

// Every body and every field in it begins at a multiple of this many bytes.
inline constexpr std::size_t kAlignment = 64;
inline constexpr std::size_t kMaxFields = 256;
inline constexpr std::size_t kMaxFieldNameBytes = 256;
inline constexpr std::size_t kMaxAxes = 8;
// The largest body of a batch: 8 GiB.
inline constexpr std::uint64_t kMaxBodyBytes = 8ull << 30;

enum class DType { kU8, kI8, kI16, kI32, kI64, kF16, kF32, kF64, kBool };
std::string_view to_string(DType dtype);                 // "uint8", "float32", ... as numpy has them
Result<DType> dtype_of(std::string_view name);
std::size_t size_of(DType dtype);                        // bytes of one element

struct Field {
  std::string name;                                      // unique, not empty
  DType dtype = DType::kU8;
  std::vector<std::uint32_t> shape{};                    // without the batch axis; {} is a scalar
  bool operator==(const Field&) const = default;
};

struct Schema {
  std::vector<Field> fields;
  bool operator==(const Schema&) const = default;
};

// Fields one after another, each [samples, shape...] in C order, each at a multiple of kAlignment.
struct Layout {
  std::vector<std::uint64_t> offsets;                    // of each field, bytes from the body's start
  std::uint64_t body_bytes = 0;                          // end of the last field, unpadded
};
// kLimitExceeded beyond kMaxBodyBytes.
Result<Layout> layout(const Schema& schema, std::uint32_t samples);

document::Value to_document(const Schema& schema);
Result<Schema> schema_of(const document::Value& value);

inline constexpr std::uint64_t align_up(std::uint64_t bytes, std::uint64_t to = kAlignment) {
  return (bytes + to - 1) / to * to;
}

// What a body of at most `body_bytes` takes in an arena: long ones begin at a page.
inline constexpr std::uint64_t place_bytes(std::uint64_t body_bytes) {
  constexpr std::uint64_t kPageBytes = 4096;
  constexpr std::uint64_t kLongBytes = 64u << 10;
  const std::uint64_t padded = align_up(body_bytes == 0 ? 1 : body_bytes);
  return padded > kLongBytes ? align_up(padded, kPageBytes) : padded;
}

}  // namespace evener::data::transport
