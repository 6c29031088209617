#include "training/operations/page_token.h"

#include <array>
#include <charconv>
#include <optional>

#include "training/operations/input.h"

namespace evener::operations {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

// FNV-1a: against slips and mixed-up requests; a token opens nothing, so it need not be secret.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = 14695981039346656037u;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return digest;
}

std::string filters_of(const document::Value& input) {
  document::Value filters = document::make_object();
  for (const document::Member& member : input.members)
    if (member.name != "NextToken" && member.name != "MaxResults")
      filters.members.push_back(member);
  return document::write(filters);
}

std::string in_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  const std::string_view digits = kDigits;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const std::size_t high = digits.find(hex[i]), low = digits.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// "<digest>.<time>.<id>.<text>"; the text may hold dots.
std::optional<std::array<std::string_view, 4>> parts_of(std::string_view text) {
  std::array<std::string_view, 4> parts;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    parts[i] = text.substr(0, dot);
    text.remove_prefix(dot + 1);
  }
  parts[3] = text;
  return parts;
}

std::string content_of(const jobs::PageKey& key) {
  return std::to_string(key.time_ms) + "." + std::to_string(key.id) + "." + key.text;
}

}  // namespace

std::string token_of(const jobs::PageKey& key, const document::Value& input) {
  const std::string content = content_of(key);
  return in_hex(std::to_string(digest_of(content + filters_of(input))) + "." + content);
}

Result<jobs::PageKey> key_in(std::string_view token, const document::Value& input) {
  const auto refuse = [] {
    return refused("NextToken is not one that was returned for this request");
  };
  const auto text = from_hex(token);
  const auto parts = text ? parts_of(*text) : std::nullopt;
  if (!parts) return refuse();
  const auto digest = whole<std::uint64_t>((*parts)[0]);
  const auto time = whole<std::int64_t>((*parts)[1]), id = whole<std::int64_t>((*parts)[2]);
  if (!digest || !time || !id) return refuse();
  jobs::PageKey key{.text = std::string((*parts)[3]), .time_ms = *time, .id = *id};
  if (digest_of(content_of(key) + filters_of(input)) != *digest) return refuse();
  return key;
}

}  // namespace evener::operations
