#include "training/metrics/scanner/scanner.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace evener::metrics {
namespace {

// Memory of one pattern's automata; beyond it RE2 takes a slower way.
constexpr std::int64_t kPatternBytes = 1 << 20;
constexpr std::int64_t kSetBytes = 8 << 20;

RE2::Options options_with(std::int64_t memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return options;
}

// Java's (?<name>...) is RE2's (?P<name>...); look-behinds stay as they are, to be refused.
std::string with_named_groups(std::string_view regex) {
  std::string text;
  for (std::size_t i = 0; i < regex.size(); ++i) {
    const std::string_view rest = regex.substr(i);
    if (rest.starts_with('\\') && rest.size() > 1) {
      text += rest.substr(0, 2);
      ++i;
    } else if (rest.starts_with("(?<") && !rest.starts_with("(?<=") && !rest.starts_with("(?<!")) {
      text += "(?P<";
      i += 2;
    } else {
      text += rest.front();
    }
  }
  return text;
}

tl::unexpected<Error> refused(const jobs::MetricDefinition& definition, const std::string& why) {
  return failure(ErrorCode::kInvalidArgument,
                 "the Regex '" + definition.regex + "' of metric '" + definition.name +
                     "' cannot be used: " + why +
                     "; back-references, possessive quantifiers and looking ahead or behind are not "
                     "supported");
}

}  // namespace

struct MetricScanner::Patterns {
  std::vector<std::unique_ptr<RE2>> all;
  std::unique_ptr<RE2::Set> which;      // tells in one pass which of several match
  std::vector<int> matching;
};

MetricScanner::MetricScanner(std::unique_ptr<Patterns> patterns) : patterns_(std::move(patterns)) {}
MetricScanner::MetricScanner(MetricScanner&&) noexcept = default;
MetricScanner& MetricScanner::operator=(MetricScanner&&) noexcept = default;
MetricScanner::~MetricScanner() = default;

Result<MetricScanner> MetricScanner::make(const std::vector<jobs::MetricDefinition>& definitions) {
  auto patterns = std::make_unique<Patterns>();
  auto set = std::make_unique<RE2::Set>(options_with(kSetBytes), RE2::UNANCHORED);
  for (const jobs::MetricDefinition& definition : definitions) {
    const std::string regex = with_named_groups(definition.regex);
    auto pattern = std::make_unique<RE2>(regex, options_with(kPatternBytes));
    if (!pattern->ok()) return refused(definition, pattern->error());
    std::string error;
    if (set->Add(regex, &error) < 0) return refused(definition, error);
    patterns->all.push_back(std::move(pattern));
  }
  // One pattern is as quick by itself; a set too large for its memory is done without.
  if (definitions.size() > 1 && set->Compile()) patterns->which = std::move(set);
  return MetricScanner(std::move(patterns));
}

namespace {

void scan_one(const RE2& pattern, std::size_t number, std::string_view line,
              std::vector<Found>& found) {
  const re2::StringPiece text(line.data(), line.size());
  const int groups = pattern.NumberOfCapturingGroups() > 0 ? 2 : 1;
  std::size_t from = 0;
  for (std::size_t matches = 0; matches < kMatchesPerLine && from <= line.size(); ++matches) {
    re2::StringPiece parts[2];
    if (!pattern.Match(text, from, line.size(), RE2::UNANCHORED, parts, groups)) return;
    const re2::StringPiece& number_text = parts[groups - 1];
    double value = 0;
    if (number_text.data() != nullptr &&
        read_number(std::string_view(number_text.data(), number_text.size()), value))
      found.push_back({number, value});
    const auto end = static_cast<std::size_t>(parts[0].data() + parts[0].size() - line.data());
    from = parts[0].empty() ? end + 1 : end;
  }
}

}  // namespace

void MetricScanner::scan(std::string_view line, std::vector<Found>& found) {
  found.clear();
  line = line.substr(0, kScannedLineBytes);
  Patterns& patterns = *patterns_;
  if (patterns.which) {
    RE2::Set::ErrorInfo trouble{};
    const re2::StringPiece text(line.data(), line.size());
    if (patterns.which->Match(text, &patterns.matching, &trouble)) {
      std::sort(patterns.matching.begin(), patterns.matching.end());
      for (const int number : patterns.matching) {
        const auto index = static_cast<std::size_t>(number);
        scan_one(*patterns.all[index], index, line, found);
      }
      return;
    }
    if (trouble.kind == RE2::Set::kNoError) return;
  }
  for (std::size_t i = 0; i < patterns.all.size(); ++i) scan_one(*patterns.all[i], i, line, found);
}

bool read_number(std::string_view text, double& value) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return false;
  text = text.substr(first, text.find_last_not_of(kSpace) - first + 1);
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(value);
}

}  // namespace evener::metrics
