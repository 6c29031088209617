// The shapes of one service's inputs as rows that point at each other. Private to service_model.
//
// Used by:  check.cc, the tables that tools/generate_constraints.py writes.
// Threads:  constants.
// Fails:    nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "service_model/service_model.h"

namespace evener::service_model {

enum class ShapeKind { kStructure, kList, kMap, kString, kInteger, kNumber, kTimestamp, kBoolean };
enum class Need { kOptional, kRequired };
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::min();

struct MemberRow {
  std::string_view name;
  std::size_t shape;
  Need need;
};

// min and max: characters of a string, elements of a list or map, or the number itself.
struct ShapeRow {
  ShapeKind kind;
  std::int64_t min = kNoLimit;
  std::int64_t max = kNoLimit;
  std::string_view pattern{};
  std::size_t first_member = 0;   // of a structure, in Table::members
  std::size_t member_count = 0;
  std::size_t first_word = 0;     // of an enumeration, in Table::words
  std::size_t word_count = 0;
  std::size_t key = 0;            // of a map
  std::size_t element = 0;        // of a list; a map's values
};

struct Table {
  std::span<const std::string_view> operations;
  std::span<const std::size_t> inputs;    // the shape of each operation's input
  std::span<const MemberRow> members;
  std::span<const std::string_view> words;
  std::span<const ShapeRow> shapes;
};

// One file each, tables/<service>.cc.
const Table& sagemaker_table();
const Table& logs_table();
const Table& cloudwatch_table();
const Table& sts_table();
const Table& iam_table();
const Table& table_of(Service service);

}  // namespace evener::service_model
