// Metrics in what a job prints: MetricDefinitions applied to one line. The patterns are RE2's: time
// linear in the line, no backtracking.
//
// Used by:  training/api (what a request may ask for), backends/local/supervisor.
// Threads:  values; one thread at a time each.
// Fails:    make() with kUnsupported or kInvalidArgument, naming the metric and what its pattern
//           does not allow.
// Source:   RE2's syntax page, for what it has and has not of Java's patterns.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "training/jobs/jobs.h"

namespace evener::metrics {

// Of a longer line only the beginning is looked at.
inline constexpr std::size_t kScannedLineBytes = 16u << 10;
// Of one definition in one line; further matches are passed over.
inline constexpr std::size_t kMatchesPerLine = 32;

struct Found {
  std::size_t definition = 0;   // its number in the list of definitions
  double value = 0;             // finite
  bool operator==(const Found&) const = default;
};

class MetricScanner {
 public:
  static Result<MetricScanner> make(const std::vector<jobs::MetricDefinition>& definitions);
  MetricScanner(MetricScanner&&) noexcept;
  MetricScanner& operator=(MetricScanner&&) noexcept;
  ~MetricScanner();

  // Replaces `found` by the numbers in `line`: of each definition every match, in the order of the
  // definitions and then of the line. A match's number is the text of the pattern's first group, or
  // the whole match where it has no group; what is not a number as a whole is none.
  void scan(std::string_view line, std::vector<Found>& found);

 private:
  struct Patterns;
  explicit MetricScanner(std::unique_ptr<Patterns> patterns);

  std::unique_ptr<Patterns> patterns_;
};

// A whole decimal number, with sign, fraction and exponent as programs print them; spaces around it
// do not count. Infinities and NaN are none.
bool read_number(std::string_view text, double& value);

}  // namespace evener::metrics
