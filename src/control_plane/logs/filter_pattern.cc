#include "control_plane/logs/filter_pattern.h"

#include <algorithm>

#include "control_plane/logs/streams.h"

namespace evener::control_plane {
namespace {

constexpr std::size_t kMostBytes = 1024;   // of a pattern, as the service allows

bool holds(std::string_view line, const std::string& term) {
  return line.find(term) != std::string_view::npos;
}

}  // namespace

Result<FilterPattern> FilterPattern::parse(std::string_view pattern) {
  const auto invalid = [] { return invalid_parameter("Invalid filter pattern"); };
  if (pattern.size() > kMostBytes) return invalid();
  FilterPattern parsed;
  std::size_t at = 0;
  while ((at = pattern.find_first_not_of(" \t", at)) != std::string_view::npos) {
    if (at == 0 && (pattern[0] == '{' || pattern[0] == '[' || pattern[0] == '%'))
      return invalid_parameter(
          "Invalid filter pattern: Evener knows terms, \"phrases\", ?any and -none");
    const char lead = pattern[at];
    std::vector<std::string>& terms = lead == '?'   ? parsed.any_
                                      : lead == '-' ? parsed.none_
                                                    : parsed.all_;
    if (lead == '?' || lead == '-') ++at;
    std::string term;
    if (at < pattern.size() && pattern[at] == '"') {
      for (++at; at < pattern.size() && pattern[at] != '"'; ++at) {
        if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
        term += pattern[at];
      }
      if (at == pattern.size()) return invalid();
      ++at;
    } else {
      const std::size_t end = std::min(pattern.find_first_of(" \t", at), pattern.size());
      term = pattern.substr(at, end - at);
      at = end;
    }
    if (term.empty()) return invalid();
    terms.push_back(std::move(term));
  }
  return parsed;
}

bool FilterPattern::matches(std::string_view line) const {
  const auto in_line = [&](const std::string& term) { return holds(line, term); };
  return std::ranges::all_of(all_, in_line) && std::ranges::none_of(none_, in_line) &&
         (any_.empty() || std::ranges::any_of(any_, in_line));
}

}  // namespace evener::control_plane
