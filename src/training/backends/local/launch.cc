#include "training/backends/local/launch.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "training/backends/local/job_folder/job_folder.h"

namespace evener::backends {
namespace {

// A job of the same name may have been here, and was deleted since.
Status clear_folder(os::FileSystem& files, const JobFolder& folder) {
  for (const auto& path : {folder.journal(), folder.samples(), folder.socket(),
                           folder.identity(), folder.supervisor_log()}) {
    auto removed = files.remove_file(path);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  }
  RETURN_IF_ERROR(files.remove_tree(folder.logs()));
  RETURN_IF_ERROR(files.remove_tree(folder.unsaved()));
  return files.remove_tree(folder.instances());
}

// A job runs as it was submitted, whichever engine starts it.
sandbox::Isolation isolation_of(const jobs::JobSpec& spec, sandbox::Isolation best_here) {
  if (!spec.isolation) return best_here;
  return *spec.isolation == jobs::Isolation::kPlain ? sandbox::Isolation::kPlain
                                                    : sandbox::Isolation::kNamespaces;
}

Status make_folder(const LocalOptions& options, os::FileSystem& files, const JobFolder& folder,
                   const jobs::TrainingJob& job) {
  RETURN_IF_ERROR(files.make_directories(folder.root));
  RETURN_IF_ERROR(files.set_mode(folder.root, 0700));
  RETURN_IF_ERROR(clear_folder(files, folder));
  RETURN_IF_ERROR(files.make_directories(folder.instances()));
  RETURN_IF_ERROR(files.make_directories(folder.logs()));
  return write_plan(files, folder.plan(),
                    Plan{.job = job,
                         .engine_kind = options.engine_kind,
                         .isolation = isolation_of(job.spec, options.isolation),
                         .masked_paths = options.masked_paths,
                         .host_services = options.host_services,
                         .host_environment = options.host_environment});
}

Result<std::pair<os::UniqueFd, os::UniqueFd>> connection_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_failure(errno, "socketpair");
  }
  return std::pair(os::UniqueFd(ends[0]), os::UniqueFd(ends[1]));
}

Result<os::UniqueFd> open_supervisor_log(const JobFolder& folder) {
  const auto path = folder.supervisor_log();
  os::UniqueFd log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log) return errno_failure(errno, "open " + path.string());
  return log;
}

std::vector<std::string> environment_of(const LocalOptions& options) {
  std::vector<std::string> environment;
  for (const auto& [name, value] : options.host_environment) {
    environment.push_back(name + "=" + value);
  }
  return environment;
}

}  // namespace

Result<LaunchedSupervisor> launch_supervisor(const LocalOptions& options, os::FileSystem& files,
                                             const jobs::TrainingJob& job) {
  const JobFolder folder = job_folder(options.home, job.spec.name);
  RETURN_IF_ERROR(make_folder(options, files, folder, job));
  auto ends = connection_pair();
  if (!ends) return tl::unexpected<Error>(ends.error());
  auto log = open_supervisor_log(folder);
  if (!log) return tl::unexpected<Error>(log.error());

  os::LineConnection connection(std::move(ends->first));
  const AttachCommand attach{.from = 1, .engine = options.engine_kind};
  RETURN_IF_ERROR(connection.send_line(command_line(attach)));
  os::SpawnOptions spawn;
  spawn.argv = {options.program, "supervise", "--job-folder", folder.root.string()};
  spawn.environment = environment_of(options);
  spawn.descriptors = {{log->get(), STDOUT_FILENO},
                       {log->get(), STDERR_FILENO},
                       {ends->second.get(), kEngineDescriptor}};
  spawn.new_session = true;
  auto process = os::spawn(spawn);
  if (!process) return tl::unexpected<Error>(process.error());
  return LaunchedSupervisor{std::move(*process), std::move(connection)};
}

Status remove_instances_by_supervisor(const LocalOptions& options, const JobFolder& folder) {
  constexpr std::chrono::seconds kLongest{10};
  os::SpawnOptions spawn;
  spawn.argv = {options.program, "supervise", "--job-folder", folder.root.string()};
  spawn.environment = environment_of(options);
  auto process = os::spawn(spawn);
  if (!process) return tl::unexpected<Error>(process.error());
  auto status = (*process)->wait(kLongest);
  if (!status) return tl::unexpected<Error>(status.error());
  if (*status && (*status)->code == 0) return ok();
  return failure(ErrorCode::kPermissionDenied,
                 "remove " + folder.instances().string() + ": it holds files of subordinate ids");
}

}  // namespace evener::backends
