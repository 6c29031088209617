// The contract inside an instance as data: the files of /opt/ml/input/config, the environment and
// the command of every host; and built-in script mode.
//
// Used by:  backends/local (in the supervisor), which writes the files and runs the command.
// Threads:  pure functions, but for prepare_code().
// Fails:    kInvalidArgument (entry point missing, ...), errors of unpacking.
// Source:   contract of SageMaker's training containers and of sagemaker-training (SM_* names).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "storage/storage.h"
#include "training/jobs/jobs.h"

namespace evener::runner {

enum class CodeForm {
  kFiles,
  kPackage,    // with a setup.py: its entry point is a module
};

// What differs between machines and runs, so that the rest stays pure.
struct InstanceFacts {
  std::string host;
  std::string ml_path = "/opt/ml";                     // as user code sees it
  std::string interface_name = "eth0";
  int visible_cpus = 1;
  int accelerators = 0;
  std::map<std::string, std::string> host_addresses;   // host -> address
  // Names by which hosts reach each other; equal to the hosts but under plain isolation.
  std::map<std::string, std::string> reachable_names;
  std::map<std::string, std::string> base_environment; // the image's ENV: PATH, LANG, HOME, ...
  std::string python;                                  // interpreter of the host image
  std::string requirements_layer;                      // folder put on PYTHONPATH; "" for none
  CodeForm code_form = CodeForm::kFiles;               // PreparedCode's
};

// Relative paths below /opt/ml -> content: input/config/*.json.
std::map<std::string, std::string> contract_files(const jobs::TrainingJob& job,
                                                  const InstanceFacts& facts);
// Folders below /opt/ml that exist before the program starts: model, output/data, ...
std::vector<std::string> contract_folders(const jobs::TrainingJob& job);

struct InstanceCommand {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  std::string directory;
};
// The user's program on this host: ContainerEntrypoint and ContainerArguments where given, else
// script mode when hyperparameters name sagemaker_program, else `train` on PATH. In the
// environment, SageMaker's own variables win over the request's Environment, which wins over
// base_environment. SM_* are there in script mode only, as it is the toolkit that sets them.
Result<InstanceCommand> instance_command(const jobs::TrainingJob& job, const InstanceFacts& facts);

// The channels that this host's group receives (all channels, or those that name the group).
std::vector<const jobs::Channel*> channels_of_host(const jobs::TrainingJob& job,
                                                   const std::string& host);

// True when the job runs by script mode: sagemaker_program is there and neither
// ContainerEntrypoint nor ContainerArguments take its place.
bool uses_script_mode(const jobs::JobSpec& spec);
// True when there is code to prepare: sagemaker_submit_directory, which an image's own `train`
// finds in place too, or script mode.
bool has_source_code(const jobs::JobSpec& spec);

// Unpacks the source archive into the folder; the owner passes artifacts::unpack_archive.
using UnpackFunction = std::function<Status(const std::filesystem::path& archive,
                                            const std::filesystem::path& folder)>;
// Puts sagemaker_submit_directory (folder or archive) into `code` and checks that the entry point
// is there. Same content for every host; call once and show it to each host. A fetched archive
// lies beside `code` while it is unpacked.
struct PreparedCode {
  bool has_requirements = false;
  CodeForm form = CodeForm::kFiles;
};
// At most this much is copied from a source folder.
inline constexpr std::uint64_t kSourceLimitBytes = 10ull << 30;
Result<PreparedCode> prepare_code(const jobs::JobSpec& spec, const storage::StoreSet& stores,
                                  os::FileSystem& files, const std::filesystem::path& code,
                                  const UnpackFunction& unpack);

// What can be said of the code before anything is copied: a source on this machine that is missing
// or closed, an entry point that its folder lacks. Code elsewhere, and inside archives, passes.
Status check_local_code(const jobs::JobSpec& spec, os::FileSystem& files);

// pip's command for requirements.txt into `layer`, run inside the sandbox of the first host.
InstanceCommand requirements_command(const jobs::TrainingJob& job, const InstanceFacts& facts,
                                     const std::string& code);

}  // namespace evener::runner
