// The service model's own constraints on a request: required members, types, lengths, ranges,
// patterns and words.
//
// Used by:  api.
// Threads:  pure functions.
// Fails:    findings are values, in the order of the model.
// Source:   constraint_table.h, written by tools/generate_constraints.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"

namespace evener::api {

struct ConstraintFindings {
  // "'hyperParameters.epochs' must be a string, not a whole number".
  std::vector<std::string> wrong_types;
  // "Value '...' at 'trainingJobName' failed to satisfy constraint: ...", as AWS words them.
  std::vector<std::string> violations;
  // Members that the model does not have: "'HyperParameter' ...; did you mean ...".
  std::vector<std::string> unknown_members;
};
ConstraintFindings check_constraints(const document::Value& request);

// "2 validation errors detected: a; b".
std::string validation_message(const std::vector<std::string>& violations);

// The service model that the table was written from: "botocore 1.40.0".
std::string_view constraint_source();

}  // namespace evener::api
