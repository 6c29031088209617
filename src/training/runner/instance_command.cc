#include "training/runner/runner.h"
#include "training/runner/script_mode.h"

namespace evener::runner {

namespace {

constexpr const char* kMlPath = "/opt/ml";
constexpr const char* kDefaultPython = "python3";
constexpr const char* kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

constexpr std::size_t kMostStringBytes = 128u << 10;  // MAX_ARG_STRLEN, its final zero included

using Variables = std::map<std::string, std::string>;

// Where /opt/ml is a folder elsewhere, a word that is a path below it means that folder.
std::string with_ml_path(const std::string& word, const InstanceFacts& facts) {
  const std::string ml(kMlPath);
  const bool below = word == ml || word.starts_with(ml + "/");
  return below ? facts.ml_path + word.substr(ml.size()) : word;
}

// What every program of a job finds, script mode or not. The request's Environment is on top of
// the first part and below the second.
Variables common_variables(const jobs::TrainingJob& job, const InstanceFacts& facts) {
  Variables variables = facts.base_environment;
  variables.emplace("PATH", kDefaultPath);
  const std::string region = region_of(job);
  if (!region.empty()) variables["AWS_REGION"] = region;
  variables["DMLC_INTERFACE"] = facts.interface_name;
  for (const auto& [name, value] : job.spec.environment) variables[name] = with_ml_path(value, facts);
  variables["TRAINING_JOB_NAME"] = job.spec.name;
  variables["TRAINING_JOB_ARN"] = job.arn;
  if (facts.ml_path != kMlPath) variables["SAGEMAKER_BASE_DIR"] = facts.ml_path;
  return variables;
}

void prepend(Variables& variables, const std::string& name, const std::string& folder) {
  std::string& value = variables[name];
  value = value.empty() ? folder : folder + ":" + value;
}

std::vector<std::string> script_command(const std::string& entry_point, const InstanceFacts& facts) {
  const std::string python = facts.python.empty() ? kDefaultPython : facts.python;
  switch (entry_kind(entry_point, facts.code_form)) {
    case EntryKind::kScript: return {python, entry_point};
    case EntryKind::kPackage: {
      const bool script = entry_point.ends_with(".py");
      return {python, "-m", script ? entry_point.substr(0, entry_point.size() - 3) : entry_point};
    }
    // The shell takes no part in the arguments: it replaces itself by the program, and is there
    // for programs that have no #! line.
    case EntryKind::kCommand: return {"/bin/sh", "-c", "exec \"$0\" \"$@\"", "./" + entry_point};
  }
  return {};
}

Result<InstanceCommand> script_mode_command(const jobs::TrainingJob& job,
                                            const InstanceFacts& facts) {
  const Result<std::string> entry_point = entry_point_of(job.spec);
  if (!entry_point) return tl::unexpected(entry_point.error());
  InstanceCommand command;
  command.argv = script_command(*entry_point, facts);
  for (std::string& argument : script_arguments(job.spec))
    command.argv.push_back(std::move(argument));
  command.environment = common_variables(job, facts);
  for (auto& [name, value] : script_variables(job, facts)) command.environment[name] = value;
  command.environment.emplace("PYTHONUNBUFFERED", "1");
  command.directory = facts.ml_path + "/code";
  if (!facts.requirements_layer.empty()) {
    prepend(command.environment, "PYTHONPATH", facts.requirements_layer);
    prepend(command.environment, "PATH", facts.requirements_layer + "/bin");
  }
  prepend(command.environment, "PYTHONPATH", command.directory);
  return command;
}

InstanceCommand entry_point_command(const jobs::TrainingJob& job, const InstanceFacts& facts) {
  InstanceCommand command;
  command.argv = job.spec.entrypoint;
  for (const std::string& argument : job.spec.arguments) command.argv.push_back(argument);
  for (std::string& word : command.argv) word = with_ml_path(word, facts);
  if (command.argv.empty()) command.argv = {"train"};
  command.environment = common_variables(job, facts);
  command.directory = "/";
  return command;
}

Status check_size(const std::string& what, std::size_t bytes) {
  if (bytes < kMostStringBytes) return ok();
  return failure(ErrorCode::kLimitExceeded,
                 what + " would have " + std::to_string(bytes) +
                     " bytes, and Linux starts programs with at most " +
                     std::to_string(kMostStringBytes - 1) + " in one; give long hyperparameters as a file in a channel");
}

// Execution would fail with "Argument list too long", which says nothing of the cause.
Result<InstanceCommand> checked(InstanceCommand command) {
  for (const auto& [name, value] : command.environment)
    RETURN_IF_ERROR(check_size("environment variable " + name, name.size() + 1 + value.size()));
  for (const std::string& argument : command.argv)
    RETURN_IF_ERROR(check_size("an argument of the program", argument.size()));
  return command;
}

}  // namespace

bool uses_script_mode(const jobs::JobSpec& spec) {
  return spec.hyperparameters.contains(kProgram) && spec.entrypoint.empty() &&
         spec.arguments.empty();
}

bool has_source_code(const jobs::JobSpec& spec) {
  return spec.hyperparameters.contains(kSubmitDirectory) || uses_script_mode(spec);
}

Result<InstanceCommand> instance_command(const jobs::TrainingJob& job, const InstanceFacts& facts) {
  if (!uses_script_mode(job.spec)) {
    if (!job.spec.entrypoint.empty() && job.spec.entrypoint.front().empty())
      return failure(ErrorCode::kInvalidArgument, "the first word of ContainerEntrypoint is empty");
    return checked(entry_point_command(job, facts));
  }
  auto command = script_mode_command(job, facts);
  if (!command) return command;
  return checked(std::move(*command));
}

InstanceCommand requirements_command(const jobs::TrainingJob& job, const InstanceFacts& facts,
                                     const std::string& code) {
  InstanceCommand command;
  command.argv = {facts.python.empty() ? kDefaultPython : facts.python,
                  "-m",
                  "pip",
                  "install",
                  "--no-input",
                  "--disable-pip-version-check",
                  "--no-warn-script-location",
                  "--root-user-action=ignore",
                  "--cache-dir=/tmp/pip-cache",
                  "--target",
                  facts.requirements_layer,
                  "-r",
                  code + "/requirements.txt"};
  command.environment = facts.base_environment;
  command.environment.emplace("PATH", kDefaultPath);
  // The job's own, so that PIP_INDEX_URL and its like are heard.
  for (const auto& [name, value] : job.spec.environment) command.environment[name] = value;
  command.environment["HOME"] = "/tmp";  // no place of the host is written to
  command.directory = code;              // requirements may name files beside them
  return command;
}

}  // namespace evener::runner
