// Samples and progress as lines of JSON (formats/samples.md).
//
// Used by:  sample_writer.cc, sample_reader.cc.
// Threads:  pure functions.
// Fails:    parse_line answers nothing for a line that is neither.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "training/metrics/metrics.h"

namespace evener::metrics {

// With a newline at the end.
std::string to_line(const Sample& sample);
std::string to_line(const Progress& progress);

std::variant<std::monostate, Sample, Progress> parse_line(std::string_view line);

}  // namespace evener::metrics
