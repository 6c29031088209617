// From a plan to instances: their options, the facts that their files and programs need, and what
// each of them sees below /opt/ml.
//
// Used by:  JobSteps.
// Threads:  functions of the supervisor's thread; stage_input() of a thread of its own.
// Fails:    errors of the file system, of staging, of the source code; kInvalidArgument.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "os/file_system.h"
#include "os/unique_fd.h"
#include "training/backends/local/job_folder/job_folder.h"
#include "training/runner/runner.h"
#include "training/sandbox/sandbox.h"

namespace evener::backends {

// CPUs that a program on an instance of `group` sees (affinity, /sys, SM_NUM_CPUS).
int visible_cpus(const jobs::JobSpec& spec, const jobs::InstanceGroup& group, int machine_cpus);
// CPU time per second that it can get at most: its quota where it has one. What "full" means.
double usable_cpus(const jobs::JobSpec& spec, const jobs::InstanceGroup& group, int machine_cpus);
// CPUs that this process may run on.
int count_machine_cpus();

sandbox::SandboxOptions sandbox_options(const Plan& plan, const JobFolder& folder,
                                        int machine_cpus);

// What programs of a job find beside the host's environment, the same on all its hosts: EVENER_BINARY,
// this program, and EVENER_DATA_TOKEN, a secret of the job. Its request may name another token.
inline constexpr std::size_t kTokenLength = 48;        // of [a-z0-9]: 248 bits
std::map<std::string, std::string> own_variables(Random& random);

// Source code as prepared once for all hosts.
struct JobCode {
  bool present = false;
  bool installs = false;                 // requirements.txt goes into a layer of the job
  runner::PreparedCode prepared;
  std::filesystem::path shared;          // on the machine; hosts see it or have a copy
};

// Where prepare_code() is to put the code: one host has it in its own folder at once.
std::filesystem::path code_folder(const Plan& plan, const JobFolder& folder,
                                  const sandbox::Sandbox& instances);
// Where programs find what pip installed.
std::string layer_path(const Plan& plan, const JobFolder& folder);

runner::InstanceFacts instance_facts(const Plan& plan, const JobFolder& folder,
                                     const sandbox::Sandbox& instances, const std::string& host,
                                     const JobCode& code);

// The files and folders of the contract on this machine's side of /opt/ml.
Status write_contract(os::FileSystem& files, const jobs::TrainingJob& job,
                      const runner::InstanceFacts& facts, const std::filesystem::path& ml_folder);

// Gives each host the code, as a mount or a copy; mounts are appended to `mounts`.
Status show_code(os::FileSystem& files, const Plan& plan, const JobFolder& folder,
                 const sandbox::Sandbox& instances, const std::string& host, const JobCode& code,
                 std::vector<sandbox::Mount>& mounts);

sandbox::Command sandbox_command(const runner::InstanceCommand& command);

}  // namespace evener::backends
