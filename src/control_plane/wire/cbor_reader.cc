#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>

#include "base/utf8.h"
#include "control_plane/wire/cbor_body.h"

namespace evener::wire {
namespace {

using document::Kind;
using document::Value;

constexpr std::uint64_t kEpochTag = 1;

tl::unexpected<Error> malformed(const std::string& what) {
  return failure(ErrorCode::kInvalidArgument,
                 "SerializationException: the body is not valid CBOR: " + what);
}

enum class Major { kUnsigned, kNegative, kBytes, kText, kList, kMap, kTag, kSimple };

struct Head {
  Major major = Major::kUnsigned;
  int detail = 0;                // the low five bits
  std::uint64_t number = 0;      // none where only a break ends it
  bool is_endless() const { return detail == 31; }
};

Value number_value(double number) {
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, number);
  Value value;
  value.kind = Kind::kNumber;
  value.text.assign(text, written.ptr);
  return value;
}

double half_to_double(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double mantissa = static_cast<double>(bits & 1023);
  const double size = exponent == 0    ? std::ldexp(mantissa, -24)
                      : exponent == 31 ? (mantissa == 0 ? INFINITY : NAN)
                                       : std::ldexp(mantissa + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Result<Value> whole() {
    auto value = item(0);
    if (value && at_ != bytes_.size()) return malformed("more bytes follow the end");
    return value;
  }

 private:
  Result<Head> head() {
    if (at_ == bytes_.size()) return malformed("it ends in the middle");
    const auto first = static_cast<unsigned char>(bytes_[at_++]);
    Head head{static_cast<Major>(first >> 5), first & 31, 0};
    if (head.detail < 24) {
      head.number = static_cast<std::uint64_t>(head.detail);
      return head;
    }
    if (head.is_endless()) return head;
    if (head.detail > 27) return malformed("a reserved length");
    const std::size_t size = std::size_t{1} << (head.detail - 24);
    if (bytes_.size() - at_ < size) return malformed("it ends in the middle");
    for (std::size_t i = 0; i < size; ++i)
      head.number = head.number << 8 | static_cast<unsigned char>(bytes_[at_++]);
    return head;
  }

  bool take_break() {
    if (at_ >= bytes_.size() || static_cast<unsigned char>(bytes_[at_]) != 0xff) return false;
    ++at_;
    return true;
  }

  Result<Value> item(std::size_t depth) {
    if (depth > document::kDepthLimit)
      return malformed("nested more than " + std::to_string(document::kDepthLimit) + " levels deep");
    if (++values_ > document::kValueLimit)
      return malformed("more than " + std::to_string(document::kValueLimit) + " values");
    auto head = this->head();
    if (!head) return tl::unexpected<Error>(head.error());
    const bool sized = head->major == Major::kText || head->major == Major::kList ||
                       head->major == Major::kMap || head->major == Major::kSimple;
    if (head->is_endless() && !sized) return malformed("an indefinite number");
    switch (head->major) {
      case Major::kUnsigned: return integer(head->number, 1);
      case Major::kNegative: return integer(head->number, -1);
      case Major::kBytes: return malformed("byte strings have no place here");
      case Major::kText: return text(*head);
      case Major::kList: return list(*head, depth);
      case Major::kMap: return map(*head, depth);
      case Major::kTag: return tagged(*head, depth);
      case Major::kSimple: return simple(*head);
    }
    return malformed("an unknown kind");
  }

  static Result<Value> integer(std::uint64_t number, int sign) {
    if (number <= static_cast<std::uint64_t>(INT64_MAX)) {
      const auto positive = static_cast<std::int64_t>(number);
      return document::make_integer(sign > 0 ? positive : -1 - positive);
    }
    return number_value(sign > 0 ? static_cast<double>(number) : -1.0 - static_cast<double>(number));
  }

  Result<std::string> chunk(std::uint64_t length) {
    if (bytes_.size() - at_ < length) return malformed("it ends in the middle");
    const std::string_view bytes = bytes_.substr(at_, length);
    at_ += length;
    if (valid_utf8(bytes) != bytes) return malformed("a text is not valid UTF-8");
    if (bytes.find('\0') != std::string_view::npos) return malformed("a text holds NUL");
    return std::string(bytes);
  }

  Result<Value> text(const Head& head) {
    if (!head.is_endless()) {
      auto bytes = chunk(head.number);
      if (!bytes) return tl::unexpected<Error>(bytes.error());
      return document::make_string(*bytes);
    }
    std::string all;
    while (!take_break()) {
      auto part = this->head();
      if (!part) return tl::unexpected<Error>(part.error());
      if (part->major != Major::kText || part->is_endless())
        return malformed("a text in parts of another kind");
      auto bytes = chunk(part->number);
      if (!bytes) return tl::unexpected<Error>(bytes.error());
      all += *bytes;
    }
    return document::make_string(all);
  }

  // Room is taken as items come, never for a number that the body merely claims.
  Result<Value> list(const Head& head, std::size_t depth) {
    Value list = document::make_list({});
    for (std::uint64_t i = 0; head.is_endless() || i < head.number; ++i) {
      if (head.is_endless() && take_break()) return list;
      auto value = item(depth + 1);
      if (!value) return value;
      list.items.push_back(std::move(*value));
    }
    return list;
  }

  Result<Value> map(const Head& head, std::size_t depth) {
    Value map = document::make_object();
    std::set<std::string> names;
    for (std::uint64_t i = 0; head.is_endless() || i < head.number; ++i) {
      if (head.is_endless() && take_break()) return map;
      auto begin = this->head();
      if (!begin) return tl::unexpected<Error>(begin.error());
      if (begin->major != Major::kText) return malformed("a member's name is no text");
      auto name = text(*begin);
      if (!name) return name;
      if (!names.insert(name->text).second) return malformed("a member is given twice");
      auto value = item(depth + 1);
      if (!value) return value;
      if (value->kind != Kind::kNull)
        map.members.push_back({std::move(name->text), std::move(*value)});
    }
    return map;
  }

  Result<Value> tagged(const Head& head, std::size_t depth) {
    auto value = item(depth + 1);
    if (!value) return value;
    const bool number = value->kind == Kind::kInteger || value->kind == Kind::kNumber;
    if (head.number == kEpochTag && !number) return malformed("a time that is no number");
    if (head.number != kEpochTag) return malformed("a tag other than that of times");
    return value;
  }

  static Result<Value> simple(const Head& head) {
    switch (head.detail) {
      case 20: return document::make_boolean(false);
      case 21: return document::make_boolean(true);
      case 22:
      case 23: return Value{};
      case 25: return real(half_to_double(head.number));
      case 26: return real(std::bit_cast<float>(static_cast<std::uint32_t>(head.number)));
      case 27: return real(std::bit_cast<double>(head.number));
      default: return malformed("an unknown simple value");
    }
  }

  static Result<Value> real(double number) {
    if (!std::isfinite(number)) return malformed("a number that is not finite");
    return number_value(number);
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

Result<Value> read_cbor(std::string_view bytes) {
  if (bytes.size() > document::kLimitBytes) return malformed("it is over 1 MiB");
  return Reader(bytes).whole();
}

}  // namespace evener::wire
