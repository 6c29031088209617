#include <bit>
#include <charconv>
#include <cstdint>

#include "base/utf8.h"
#include "control_plane/wire/cbor_body.h"
#include "control_plane/wire/leaf_kinds.h"

namespace evener::wire {
namespace {

using document::Kind;
using document::Value;

constexpr unsigned kText = 3;
constexpr unsigned kList = 4;
constexpr unsigned kMap = 5;
constexpr char kTimeTag = '\xc1';
constexpr char kDouble = '\xfb';

void put_big_endian(std::uint64_t number, int bytes, std::string& out) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8)
    out += static_cast<char>(number >> shift & 0xff);
}

void put_head(unsigned major, std::uint64_t number, std::string& out) {
  const auto lead = [&](unsigned detail) { out += static_cast<char>(major << 5 | detail); };
  if (number < 24) {
    lead(static_cast<unsigned>(number));
  } else if (number <= UINT8_MAX) {
    lead(24);
    put_big_endian(number, 1, out);
  } else if (number <= UINT16_MAX) {
    lead(25);
    put_big_endian(number, 2, out);
  } else if (number <= UINT32_MAX) {
    lead(26);
    put_big_endian(number, 4, out);
  } else {
    lead(27);
    put_big_endian(number, 8, out);
  }
}

void put_text(std::string_view text, std::string& out) {
  const std::string clean = valid_utf8(text);   // a program may have printed anything
  put_head(kText, clean.size(), out);
  out += clean;
}

void put_double(const std::string& literal, std::string& out) {
  double number = 0;
  std::from_chars(literal.data(), literal.data() + literal.size(), number);
  out += kDouble;
  put_big_endian(std::bit_cast<std::uint64_t>(number), 8, out);
}

void put_integer(std::int64_t number, std::string& out) {
  if (number >= 0) return put_head(0, static_cast<std::uint64_t>(number), out);
  put_head(1, static_cast<std::uint64_t>(-(number + 1)), out);
}

// `leaf`: of the member that the value, or the list around it, belongs to.
void put(const Value& value, Leaf leaf, std::string& out) {
  switch (value.kind) {
    case Kind::kNull: out += '\xf6'; return;
    case Kind::kBoolean: out += value.boolean ? '\xf5' : '\xf4'; return;
    case Kind::kString: return put_text(value.text, out);
    case Kind::kInteger:
    case Kind::kNumber:
      if (leaf == Leaf::kTime) out += kTimeTag;
      if (value.kind == Kind::kInteger) return put_integer(value.integer, out);
      return put_double(value.text, out);
    case Kind::kList:
      put_head(kList, value.items.size(), out);
      for (const Value& item : value.items) put(item, leaf, out);
      return;
    case Kind::kObject:
      put_head(kMap, value.members.size(), out);
      for (const auto& [name, member] : value.members) {
        put_text(name, out);
        put(member, leaf_kind(name), out);
      }
      return;
  }
}

}  // namespace

std::string write_cbor(const Value& value) {
  std::string out;
  put(value, Leaf::kText, out);
  return out;
}

}  // namespace evener::wire
