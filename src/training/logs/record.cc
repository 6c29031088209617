#include "training/logs/record.h"

#include <algorithm>

namespace evener::logs {
namespace {

void put_little_endian(char* out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t get_little_endian(const char* bytes) {
  std::uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

bool is_mark(char c) { return c == ' ' || c == '+' || c == '~' || c == '$' || c == '!'; }

}  // namespace

void append_record(std::string& out, const Record& record) {
  char prefix[kPrefixBytes];
  std::int64_t rest = std::clamp<std::int64_t>(record.millis, 0, kMaxMillis);
  for (std::size_t i = kTimeDigits; i-- > 0; rest /= 10)
    prefix[i] = static_cast<char>('0' + rest % 10);
  prefix[kTimeDigits] = static_cast<char>(record.mark);
  out.append(prefix, kPrefixBytes);
  out.append(record.text);
  out.push_back('\n');
}

std::optional<Record> parse_record(std::string_view bytes) {
  if (bytes.size() < kPrefixBytes || !is_mark(bytes[kTimeDigits])) return std::nullopt;
  std::int64_t millis = 0;
  for (std::size_t i = 0; i < kTimeDigits; ++i) {
    if (bytes[i] < '0' || bytes[i] > '9') return std::nullopt;
    millis = millis * 10 + (bytes[i] - '0');
  }
  return Record{millis, static_cast<Mark>(bytes[kTimeDigits]), bytes.substr(kPrefixBytes)};
}

std::array<char, kIndexEntryBytes> encode(const IndexEntry& entry) {
  std::array<char, kIndexEntryBytes> bytes{};
  put_little_endian(bytes.data(), static_cast<std::uint64_t>(entry.millis));
  put_little_endian(bytes.data() + 8, entry.offset);
  return bytes;
}

IndexEntry decode_index_entry(const std::array<char, kIndexEntryBytes>& bytes) {
  return {static_cast<std::int64_t>(get_little_endian(bytes.data())),
          get_little_endian(bytes.data() + 8)};
}

}  // namespace evener::logs
