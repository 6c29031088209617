#include "data/sources/tar_walk.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "data/sources/sources.h"

namespace evener::data::sources {
namespace {

constexpr std::size_t kLongestPax = 64u << 10;

// Fields of a header: where, how long.
struct Place {
  std::size_t offset;
  std::size_t length;
};
constexpr Place kName{0, 100};
constexpr Place kSize{124, 12};
constexpr Place kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Place kMagic{257, 5};
constexpr Place kPrefix{345, 155};

std::string_view field(std::string_view block, Place place) {
  const std::string_view whole = block.substr(place.offset, place.length);
  return whole.substr(0, whole.find('\0'));
}

// Octal digits between blanks, or base 256 where the first bit is set.
std::optional<std::uint64_t> number(std::string_view block, Place place) {
  const std::string_view whole = block.substr(place.offset, place.length);
  std::uint64_t value = 0;
  if ((static_cast<unsigned char>(whole.front()) & 0x80u) != 0) {
    for (std::size_t i = 1; i < whole.size(); ++i) {
      if (value > std::numeric_limits<std::uint64_t>::max() >> 8) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(whole[i]);
    }
    return value;
  }
  std::string_view digits = whole.substr(0, whole.find('\0'));
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  digits = digits.substr(0, digits.find(' '));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (!digits.empty() && (error != std::errc() || end != digits.data() + digits.size()))
    return std::nullopt;
  return value;
}

bool checksum_fits(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool inside = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.length;
    sum += inside ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return number(block, kChecksum) == sum;
}

}  // namespace

tl::unexpected<Error> TarWalk::corrupt(const std::string& what) const {
  return failure(ErrorCode::kCorrupt,
                 name_ + ": at byte " + std::to_string(position_) + ": " + what);
}

Result<std::optional<TarMember>> TarWalk::next() {
  TarMember wish;              // what extended headers say of the member behind them
  bool wished_size = false;
  while (true) {
    auto header = next_header();
    if (!header) return tl::unexpected(std::move(header.error()));
    if (!*header) return std::nullopt;
    TarMember& member = (*header)->member;
    switch ((*header)->type) {
      case 'x': {
        auto records = text(member, kLongestPax);
        if (!records) return tl::unexpected(std::move(records.error()));
        RETURN_IF_ERROR(take_pax(*records, wish));
        wished_size = wish.size > 0;
        break;
      }
      case 'L': {
        auto name = text(member, kMaxNameBytes + 1);
        if (!name) return tl::unexpected(std::move(name.error()));
        wish.name = name->substr(0, name->find('\0'));
        break;
      }
      case 'S': return failure(ErrorCode::kUnsupported, name_ + ": " + member.name + " is sparse");
      case '0':
      case '\0':
      case '7':
        if (!wish.name.empty()) member.name = std::move(wish.name);
        if (wished_size) {
          member.size = wish.size;
          position_ = member.offset + (member.size + kBlock - 1) / kBlock * kBlock;
          if (member.size > size_ - member.offset) return corrupt("the file ends in " + member.name);
        }
        return std::move(member);
      default: wish = {};      // folders, links, what is for all members
    }
  }
}

Result<std::optional<TarWalk::Header>> TarWalk::next_header() {
  if (position_ >= size_) return std::nullopt;
  if (size_ - position_ < kBlock) return corrupt("the file ends in a header");
  Block block{};
  RETURN_IF_ERROR(fill(position_, block));
  if (std::ranges::all_of(block, [](char c) { return c == '\0'; })) return std::nullopt;
  auto header = parse(block);
  if (!header) return tl::unexpected(std::move(header.error()));
  return std::move(*header);
}

Result<TarWalk::Header> TarWalk::parse(const Block& block) {
  const std::string_view text(block.data(), block.size());
  if (!checksum_fits(text)) return corrupt("no tar header is there (its checksum is wrong)");
  const auto size = number(text, kSize);
  if (!size) return corrupt("a size that is no number");
  Header header{.type = text[kType], .member = {std::string(field(text, kName)),
                                                position_ + kBlock, *size}};
  const std::string_view prefix = field(text, kPrefix);
  if (field(text, kMagic) == "ustar" && text[kMagic.offset + 5] == '\0' && !prefix.empty())
    header.member.name = std::string(prefix) + "/" + header.member.name;
  if (*size > size_ - header.member.offset) return corrupt("the file ends in " + header.member.name);
  position_ = header.member.offset + (*size + kBlock - 1) / kBlock * kBlock;
  return header;
}

// "length key=value\n", the length in bytes of all of it.
Status TarWalk::take_pax(std::string_view records, TarMember& wish) {
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [end, error] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto head = static_cast<std::size_t>(end - records.data()) + 1;   // digits and a blank
    if (error != std::errc() || length <= head || length > records.size() ||
        records[head - 1] != ' ' || records[length - 1] != '\n')
      return corrupt("an extended header that is none");
    const std::string_view record = records.substr(head, length - head - 1);
    const std::size_t equals = std::min(record.find('='), record.size());
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(std::min(equals + 1, record.size()));
    if (key == "path") {
      if (value.size() > kMaxNameBytes)
        return failure(ErrorCode::kLimitExceeded, name_ + ": a name that is too long");
      wish.name = value;
    } else if (key == "size") {
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), wish.size);
      if (parsed.ec != std::errc()) return corrupt("a size that is no number");
    } else if (key.starts_with("GNU.sparse")) {
      return failure(ErrorCode::kUnsupported, name_ + ": a member is sparse");
    }
    records.remove_prefix(length);
  }
  return ok();
}

Result<std::string> TarWalk::text(const TarMember& member, std::size_t limit) {
  if (member.size > limit)
    return failure(ErrorCode::kLimitExceeded, name_ + ": " + member.name + " has more than " +
                                                  std::to_string(limit) + " bytes");
  std::string text(member.size, '\0');
  RETURN_IF_ERROR(fill(member.offset, text));
  return text;
}

Status TarWalk::fill(std::uint64_t offset, std::span<char> into) {
  while (!into.empty()) {
    if (offset < window_begin_ || offset >= window_begin_ + window_size_) {
      auto got = file_.read_at(offset, window_);
      if (!got) return failure_in(name_, std::move(got.error()));
      if (*got == 0) return corrupt("the file ends too early");
      window_begin_ = offset;
      window_size_ = *got;
    }
    const std::size_t begin = offset - window_begin_;
    const std::size_t count = std::min(into.size(), window_size_ - begin);
    std::memcpy(into.data(), window_.data() + begin, count);
    into = into.subspan(count);
    offset += count;
  }
  return ok();
}

}  // namespace evener::data::sources
