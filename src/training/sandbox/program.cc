#include "training/sandbox/program.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <sstream>

#include "os/namespace.h"
#include "os/namespace_privileges.h"

namespace evener::sandbox {
namespace {

constexpr std::string_view kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::size_t kMostErrorBytes = 4096;
constexpr int kReport = 3;   // where the child says why exec did not happen; closed by exec
// The kernel's choice under memory pressure falls on the program, not on its init or the machine.
constexpr std::string_view kOutOfMemoryScore = "200";

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// Tries each folder of PATH as a shell does; returns the errno that tells most.
int execute(const Command& command) {
  const std::vector<char*> arguments = pointers(command.argv);
  const std::vector<char*> environment = pointers(command.environment);
  const std::string& name = command.argv.front();
  if (name.find('/') != std::string::npos) {
    ::execve(name.c_str(), arguments.data(), environment.data());
    return errno;
  }
  std::string path = environment_value(command.environment, "PATH");
  if (path.empty()) path = kDefaultPath;
  int error = ENOENT;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    ::execve(file.c_str(), arguments.data(), environment.data());
    if (errno != ENOENT && errno != ENOTDIR && (errno != EACCES || error == ENOENT)) error = errno;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
  }
  return error;
}

void default_signals() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void apply_limits(const ProcessLimits& limits) {
  if (limits.data_bytes > 0) {
    const rlimit limit{limits.data_bytes, limits.data_bytes};
    ::setrlimit(RLIMIT_DATA, &limit);
  }
  if (limits.processes > 0) {
    const rlimit limit{limits.processes, limits.processes};
    ::setrlimit(RLIMIT_NPROC, &limit);
  }
  if (limits.nice > 0) ::setpriority(PRIO_PROCESS, 0, limits.nice);
}

Status connect_descriptors(int output) {
  const int null = ::open("/dev/null", O_RDWR);
  if (null < 0) return errno_failure(errno, "open /dev/null");
  if (output < 0) output = null;
  if (::dup2(null, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) {
    return errno_failure(errno, "connect the output");
  }
  if (::close_range(kReport + 1, ~0U, 0) != 0) return errno_failure(errno, "close_range");
  return ok();
}

// In the child: everything up to exec; returns why it did not come to that.
Error become_program(const InstancePlan& plan, const Command& command, int output) {
  ::setsid();
  default_signals();
  if (plan.isolation == Isolation::kPlain) {
    if (Status tied = os::die_with_parent(); !tied) return tied.error();
  }
  const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) (void)!::write(score, kOutOfMemoryScore.data(), kOutOfMemoryScore.size());
  if (Status connected = connect_descriptors(output); !connected) {
    return connected.error();
  }
  apply_limits(plan.limits);
  const Status dropped = plan.isolation == Isolation::kPlain ? os::forbid_new_privileges()
                                                             : os::drop_to_container_privileges();
  if (!dropped) return dropped.error();
  if (::chdir(command.directory.c_str()) != 0) {
    return errno_error(errno, "cannot enter " + command.directory);
  }
  return errno_error(execute(command), "cannot start " + command.argv.front());
}

}  // namespace

std::string environment_value(const std::vector<std::string>& environment,
                              std::string_view name) {
  const std::string start = std::string(name) + "=";
  for (auto entry = environment.rbegin(); entry != environment.rend(); ++entry) {
    if (entry->starts_with(start)) return entry->substr(start.size());
  }
  return {};
}

Result<pid_t> start_program(const InstancePlan& plan, const Command& command, int output) {
  if (command.argv.empty()) return failure(ErrorCode::kInvalidArgument, "no program is named");
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_failure(errno, "pipe");
  const os::UniqueFd report(ends[0]);
  os::UniqueFd child_report(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return errno_failure(errno, "cannot start " + command.argv.front() + ": fork");
  if (child == 0) {
    // In place of the control channel, which is no business of the program.
    if (::dup3(child_report.get(), kReport, O_CLOEXEC) < 0) ::_exit(126);
    const Error error = become_program(plan, command, output);
    const std::string text = error.message.substr(0, kMostErrorBytes);
    (void)!::write(kReport, text.data(), text.size());
    ::_exit(127);
  }
  child_report.reset();
  std::array<char, kMostErrorBytes> text{};
  ssize_t size = 0;
  while ((size = ::read(report.get(), text.data(), text.size())) < 0 && errno == EINTR) {
  }
  if (size <= 0) return child;   // closed by exec
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return failure(ErrorCode::kNotFound, std::string(text.data(), static_cast<std::size_t>(size)));
}

}  // namespace evener::sandbox
