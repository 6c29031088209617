#include "os/namespace.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <pwd.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>

namespace evener::os {
namespace {

struct Range {
  std::string first;
  std::string count;
};

// Lines of /etc/subuid: `name-or-uid:first:count`.
std::optional<Range> subordinate_range(const char* file, const std::string& name, uid_t uid) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string who;
    Range range;
    if (!std::getline(fields, who, ':') || !std::getline(fields, range.first, ':') ||
        !std::getline(fields, range.count)) {
      continue;
    }
    if (who == name || who == std::to_string(uid)) return range;
  }
  return std::nullopt;
}

std::string user_name(uid_t uid) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return {};
  }
  return entry.pw_name;
}

Status write_file(const char* path, const std::string& text) {
  const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), text.data(), text.size()) !=
                   static_cast<ssize_t>(text.size())) {
    return errno_failure(errno, std::string("write ") + path);
  }
  return ok();
}

// Runs newuidmap or newgidmap; they are setuid and check the ranges themselves.
int run_map_program(const char* program, pid_t target, unsigned own, const Range& range) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string pid = std::to_string(target);
    const std::string id = std::to_string(own);
    ::execl(program, program, pid.c_str(), "0", id.c_str(), "1", "1", range.first.c_str(),
            range.count.c_str(), nullptr);
    ::_exit(127);
  }
  int status = -1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// A child that stays in the old user namespace and maps its parent's new one when told.
class RangeMapper {
 public:
  static std::optional<RangeMapper> start(uid_t uid, gid_t gid) {
    constexpr const char* kUidProgram = "/usr/bin/newuidmap";
    constexpr const char* kGidProgram = "/usr/bin/newgidmap";
    if (::access(kUidProgram, X_OK) != 0 || ::access(kGidProgram, X_OK) != 0) return std::nullopt;
    const std::string name = user_name(uid);
    const auto uids = subordinate_range("/etc/subuid", name, uid);
    const auto gids = subordinate_range("/etc/subgid", name, uid);
    std::array<int, 2> go{};
    if (!uids || !gids || ::pipe2(go.data(), O_CLOEXEC) != 0) return std::nullopt;
    UniqueFd wait_end(go[0]);
    UniqueFd go_end(go[1]);
    const pid_t target = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
      go_end.reset();
      char byte = 0;
      if (::read(wait_end.get(), &byte, 1) != 1) ::_exit(1);
      const bool mapped = run_map_program(kUidProgram, target, uid, *uids) == 0 &&
                          run_map_program(kGidProgram, target, gid, *gids) == 0;
      ::_exit(mapped ? 0 : 1);
    }
    if (child < 0) return std::nullopt;
    return RangeMapper(child, std::move(go_end));
  }

  bool map() {
    if (::write(go_.get(), "g", 1) != 1) return false;
    int status = -1;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0;
  }

  void cancel() {
    go_.reset();
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  RangeMapper(pid_t child, UniqueFd go) : child_(child), go_(std::move(go)) {}
  pid_t child_;
  UniqueFd go_;
};

}  // namespace

Result<ClonedProcess> clone_process(std::uint64_t flags) {
  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = flags | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  arguments.exit_signal = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid < 0) return errno_failure(errno, "clone3");
  ClonedProcess result;
  result.pid = static_cast<pid_t>(pid);
  // With CLONE_FILES the child sees its own pidfd too; the parent owns it.
  if (pid > 0) result.pidfd.reset(pidfd);
  return result;
}

Result<IdRange> enter_new_user_namespace() {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  auto mapper = RangeMapper::start(uid, gid);
  if (::unshare(CLONE_NEWUSER) != 0) {
    const int error = errno;
    if (mapper) mapper->cancel();
    return errno_failure(error, "unshare(CLONE_NEWUSER)");
  }
  if (mapper && mapper->map()) return IdRange::kSubordinate;
  // newuidmap refuses whole, so that nothing is mapped yet.
  RETURN_IF_ERROR(write_file("/proc/self/setgroups", "deny"));
  RETURN_IF_ERROR(write_file("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1"));
  RETURN_IF_ERROR(write_file("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1"));
  return IdRange::kSingle;
}

Result<int> reap(int pidfd) {
  siginfo_t info{};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED) != 0) {
    if (errno != EINTR) return errno_failure(errno, "waitid");
  }
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

Status enter_namespace(int descriptor, int kind) {
  if (::setns(descriptor, kind) != 0) return errno_failure(errno, "setns");
  return ok();
}

Status die_with_parent() {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno_failure(errno, "PR_SET_PDEATHSIG");
  return ok();
}

}  // namespace evener::os
