// CloudWatch's filter patterns for lines of text: terms that must all be there ("ERROR disk"), of
// which one must be ("?a ?b"), that must not be ("-debug"), and phrases in quotes. Private to
// control_plane/logs.
//
// Used by:  control_plane/logs.
// Threads:  values and pure functions.
// Fails:    parse() with "InvalidParameterException: ..." on patterns for JSON ({...}), for columns
//           ([...]) and regular expressions (%...%), which are not known here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace evener::control_plane {

class FilterPattern {
 public:
  static Result<FilterPattern> parse(std::string_view pattern);
  bool matches(std::string_view line) const;   // case counts

 private:
  std::vector<std::string> all_;
  std::vector<std::string> any_;
  std::vector<std::string> none_;
};

}  // namespace evener::control_plane
