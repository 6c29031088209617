// A list of files with labels: CSV with a header, or one JSON object a line.
//
//   file,label            {"file": "a/1.jpg", "label": 3}
//   a/1.jpg,cat           {"file": "a/2.jpg", "label": "cat"}
//
// Used by:  images.cc.
// Threads:  pure functions.
// Fails:    kInvalidArgument, "name:line: what is wrong"; kLimitExceeded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/sources/sources.h"

namespace evener::data::sources {

struct IndexRow {
  std::string file;                     // relative to the location
  std::string label;                    // a number or a class; "" without labels
  std::size_t line = 0;
};

enum class IndexForm { kCsv, kJsonLines };
// By the end of the name.
Result<IndexForm> index_form(std::string_view name);

Result<std::vector<IndexRow>> read_index(std::string_view text, const std::string& name,
                                         IndexForm form, Labels labels);

// Texts of labels, one a sample: numbers if all are, else the rank of each among the sorted names.
struct LabelSet {
  std::vector<std::int64_t> labels;
  std::vector<std::string> classes;
  std::uint64_t count = 0;
};
Result<LabelSet> number_labels(const std::vector<std::string_view>& texts, const std::string& name);

}  // namespace evener::data::sources
