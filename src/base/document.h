// A JSON document as a tree of plain values, with members in the order of the text.
//
// Used by:  training/api, control_plane.
// Threads:  values and pure functions.
// Fails:    read: kInvalidArgument with line and column (syntax), or naming the limit,
//           the member given twice, ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace evener::document {

// The longest text that is read. The largest body of the API that its constraints allow has about
// 400 KB.
inline constexpr std::size_t kLimitBytes = 1u << 20;
// The deepest member of the API lies 8 levels deep.
inline constexpr std::size_t kDepthLimit = 32;

// The most values in one text: in memory a value takes a hundred bytes, however short it is. The
// largest input of the API has about 12,000 (GetMetricData with 500 queries).
inline constexpr std::size_t kValueLimit = 20'000;

enum class Kind { kNull, kBoolean, kInteger, kNumber, kString, kList, kObject };
std::string_view to_string(Kind kind);  // "a string", "an object": for messages

struct Member;
struct Value {
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  std::string text;               // a string's characters; a number's literal
  std::vector<Value> items;
  std::vector<Member> members;

  // The member of that name, nullptr where there is none. A member that is null counts as absent.
  const Value* find(std::string_view name) const;
  Value* find(std::string_view name);
  // The same as the type that is asked for; "", no items, false where absent or of another type.
  std::string_view text_at(std::string_view name) const;
  const std::vector<Value>& items_at(std::string_view name) const;
  bool true_at(std::string_view name) const;
  // Replaces or appends.
  void set(std::string_view name, Value value);
};
struct Member {
  std::string name;
  Value value;
};

Value make_string(std::string_view text);
Value make_integer(std::int64_t number);
Value make_number(double number);     // finite; the shortest text that reads as the same number
Value make_boolean(bool value);
Value make_list(std::vector<Value> items);
Value make_object();
// A time as the API writes it: seconds since the epoch with three decimals at most.
Value make_seconds(std::int64_t millis);

enum class Nul { kRefused, kTaken };   // the character NUL in a string
struct ReadLimits {
  std::size_t bytes = kLimitBytes;
  std::size_t values = kValueLimit;
  Nul nul = Nul::kRefused;
};

// About what it takes in memory, all in it included.
std::size_t held_bytes(const Value& value);

// Members that are null are left out.
Result<Value> read(std::string_view json, const ReadLimits& limits = {});
std::string write(const Value& value);                 // compact
// Python's and SageMaker's way to put a string into a hyperparameter: with quotes and escapes.
std::string quote(std::string_view text);

}  // namespace evener::document
