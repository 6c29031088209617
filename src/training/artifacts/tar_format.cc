#include "training/artifacts/tar_format.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace evener::artifacts {
namespace {

// 1980-01-01, the first time that every archive format can hold: some readers warn of 0.
constexpr std::uint64_t kModified = 315532800;

// The header block of ustar.
struct Header {
  std::array<char, 100> name;
  std::array<char, 8> mode;
  std::array<char, 8> owner;
  std::array<char, 8> group;
  std::array<char, 12> size;
  std::array<char, 12> modified;
  std::array<char, 8> checksum;
  char type;
  std::array<char, 100> link;
  std::array<char, 6> magic;
  std::array<char, 2> version;
  std::array<char, 32> owner_name;
  std::array<char, 32> group_name;
  std::array<char, 8> device_major;
  std::array<char, 8> device_minor;
  std::array<char, 155> prefix;
  std::array<char, 12> unused;
};
static_assert(sizeof(Header) == kTarBlock);

void put_text(std::span<char> field, std::string_view text) {
  std::copy_n(text.data(), std::min(text.size(), field.size()), field.begin());
}

// Octal with a NUL at the end, or GNU's base 256 where that is too small.
void put_number(std::span<char> field, std::uint64_t value) {
  const std::size_t digits = field.size() - 1;
  if (3 * digits >= 64 || value < (1ull << (3 * digits))) {
    for (std::size_t i = digits; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + (value & 7));
    return;
  }
  for (std::size_t i = field.size(); i-- > 0; value >>= 8) field[i] = static_cast<char>(value & 0xff);
  field[0] = static_cast<char>(0x80);
}

bool fits_octal(std::uint64_t size) { return size < (1ull << 33); }

struct HeaderFields {
  std::string_view name;
  std::uint64_t mode = 0;
  std::uint64_t size = 0;
  char type = '0';
  std::string_view link;
};

void append_header(std::string& out, const HeaderFields& fields) {
  Header header{};
  put_text(header.name, fields.name);
  put_number(header.mode, fields.mode);
  put_number(header.owner, 0);
  put_number(header.group, 0);
  put_number(header.size, fields.size);
  put_number(header.modified, kModified);
  header.type = fields.type;
  put_text(header.link, fields.link);
  put_text(header.magic, std::string_view("ustar", 6));
  put_text(header.version, "00");
  put_number(header.device_major, 0);
  put_number(header.device_minor, 0);
  header.checksum.fill(' ');
  std::array<unsigned char, kTarBlock> bytes{};
  std::memcpy(bytes.data(), &header, bytes.size());
  unsigned sum = 0;
  for (const unsigned char byte : bytes) sum += byte;
  put_number(std::span(header.checksum).first(7), sum);
  std::memcpy(bytes.data(), &header, bytes.size());
  out.append(bytes.begin(), bytes.end());
}

void pad(std::string& out) { out.resize(tar_padded(out.size()), '\0'); }

// "LENGTH key=value\n", where LENGTH counts itself.
void append_record(std::string& out, std::string_view key, std::string_view value) {
  const std::size_t rest = 1 + key.size() + 1 + value.size() + 1;
  std::size_t length = rest + 1;
  while (std::to_string(length).size() + rest != length) ++length;
  out.append(std::to_string(length)).append(" ").append(key).append("=").append(value).append("\n");
}

std::string pax_records(const TarMember& member, std::string_view stored_path) {
  std::string records;
  if (member.data != nullptr) {
    // A reader that knows sparse files takes the name from here; a record `path` would compete.
    append_record(records, "GNU.sparse.major", "1");
    append_record(records, "GNU.sparse.minor", "0");
    append_record(records, "GNU.sparse.name", member.path);
    append_record(records, "GNU.sparse.realsize", std::to_string(member.size));
    return records;
  }
  if (stored_path.size() > sizeof(Header::name)) append_record(records, "path", stored_path);
  if (member.link_target.size() > sizeof(Header::link))
    append_record(records, "linkpath", member.link_target);
  if (!fits_octal(tar_data_size(member)))
    append_record(records, "size", std::to_string(tar_data_size(member)));
  return records;
}

// The map as text: number of parts, then offset and length of each, one number a line.
std::string sparse_map(const TarMember& member) {
  std::vector<os::Extent> parts = *member.data;
  const std::uint64_t end = parts.empty() ? 0 : parts.back().offset + parts.back().length;
  // A part of length 0 at the end gives the file its size, as GNU tar writes it.
  if (end < member.size) parts.push_back({member.size, 0});
  std::string map = std::to_string(parts.size()) + "\n";
  for (const os::Extent& part : parts)
    map += std::to_string(part.offset) + "\n" + std::to_string(part.length) + "\n";
  pad(map);
  return map;
}

std::string stored_path_of(const TarMember& member) {
  if (member.type == TarType::kFolder) return member.path + "/";
  if (member.data == nullptr) return member.path;
  const std::size_t slash = member.path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return member.path.substr(0, name) + "GNUSparseFile.0/" + member.path.substr(name);
}

}  // namespace

std::string tar_header(const TarMember& member) {
  std::string out;
  const std::string path = stored_path_of(member);
  if (const std::string records = pax_records(member, path); !records.empty()) {
    const std::string name = "PaxHeaders/" + path.substr(0, 80);
    append_header(out, {.name = name, .mode = 0644, .size = records.size(), .type = 'x', .link = {}});
    out += records;
    pad(out);
  }
  const std::string map = member.data != nullptr ? sparse_map(member) : std::string();
  const bool runs = member.executable || member.type == TarType::kFolder;
  append_header(out, {.name = path,
                      .mode = member.type == TarType::kSymlink ? 0777u : runs ? 0755u : 0644u,
                      .size = map.size() + tar_data_size(member),
                      .type = static_cast<char>(member.type),
                      .link = member.link_target});
  return out + map;
}

std::uint64_t tar_data_size(const TarMember& member) {
  if (member.type != TarType::kFile) return 0;
  if (member.data == nullptr) return member.size;
  std::uint64_t size = 0;
  for (const os::Extent& part : *member.data) size += part.length;
  return size;
}

}  // namespace evener::artifacts
