// The AWS service models' own rules on the inputs of the operations that Evener answers: required
// members, types, lengths, ranges, patterns and words; AWS's texts for what breaks them.
//
// Used by:  training/api, training/operations, control_plane.
// Threads:  pure functions over constant tables.
// Fails:    check_input with kInvalidArgument; findings are values, in the order of the model.
// Source:   <service>_table.cc, written by tools/generate_constraints.py from a pinned botocore.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"

namespace evener::service_model {

enum class Service { kSageMaker, kLogs, kCloudWatch, kSts, kIam };
// As botocore names it: "sagemaker", "logs", "cloudwatch", "sts", "iam".
std::string_view to_string(Service service);
std::optional<Service> service_from(std::string_view text);

// The operations whose inputs are known here, in alphabetic order.
std::span<const std::string_view> operations(Service service);
bool has_operation(Service service, std::string_view operation);

struct Findings {
  // "'hyperParameters.epochs' must be a string, not a whole number".
  std::vector<std::string> wrong_types;
  // "Value '...' at 'trainingJobName' failed to satisfy constraint: ...", as AWS words them.
  std::vector<std::string> violations;
  // Members that the model does not have: "'HyperParameter' ...; did you mean ...".
  std::vector<std::string> unknown_members;
};
// What a place in the object store may look like: only as the service has it, or also file:///path.
enum class Places { kService, kThisMachine };
// `operation` must be one that has_operation() knows.
Findings check(Service service, std::string_view operation, const document::Value& input,
               Places places = Places::kService);

// The same as one answer: kInvalidArgument with AWS's text. Unknown members are no error.
Status check_input(Service service, std::string_view operation, const document::Value& input);

// "2 validation errors detected: a; b".
std::string validation_message(const std::vector<std::string>& violations);

// The service models that the tables were written from: "botocore 1.44.8".
std::string_view model_source();

}  // namespace evener::service_model
