// Built-in script mode: what the training toolkit makes of hyperparameters and configuration.
//
// Used by:  runner.
// Threads:  pure functions.
// Fails:    entry_point_of: kInvalidArgument on a name that leads out of the code folder.
// Source:   the training toolkit's names and rules.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/runner/runner.h"

namespace evener::runner {

inline constexpr const char* kProgram = "sagemaker_program";
inline constexpr const char* kSubmitDirectory = "sagemaker_submit_directory";

// The decoded value of a hyperparameter, "" where it is not given.
std::string decoded_hyperparameter(const jobs::JobSpec& spec, const std::string& name);

// sagemaker_program, relative to the code folder.
Result<std::string> entry_point_of(const jobs::JobSpec& spec);

enum class EntryKind { kScript, kPackage, kCommand };  // python x.py, python -m x, ./x
EntryKind entry_kind(const std::string& entry_point, CodeForm form);

// `--key value` sorted by key, `-k value` for keys of one letter.
std::vector<std::string> script_arguments(const jobs::JobSpec& spec);

// SM_* and the other variables that the toolkit sets, but PYTHONPATH.
std::map<std::string, std::string> script_variables(const jobs::TrainingJob& job,
                                                    const InstanceFacts& facts);

// The fourth part of an ARN: "us-east-1".
std::string region_of(const jobs::TrainingJob& job);

}  // namespace evener::runner
