#include "training/sandbox/sandbox_lab_test.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace evener::sandbox {
namespace {
constexpr uid_t kNobody = 65534;
constexpr std::chrono::milliseconds kPatience(20'000);

// A process with threads may not enter a user namespace, and the thread sanitizer has one in each.
#if defined(__SANITIZE_THREAD__)
constexpr bool kHasThreads = true;
#else
constexpr bool kHasThreads = false;
#endif
}  // namespace

std::string in_process(Who who, const std::function<std::string()>& body) {
  if (who == Who::kRoot && ::geteuid() != 0) return "skip: not root";
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "pipe failed";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    std::string text;
    if (who == Who::kUser && ::geteuid() == 0 &&
        (::setresgid(kNobody, kNobody, kNobody) != 0 ||
         ::setresuid(kNobody, kNobody, kNobody) != 0)) {
      text = "skip: cannot become another user";
    }
    // The change of user closed /proc/self to this process, which a program started by the user
    // would not see.
    ::prctl(PR_SET_DUMPABLE, 1);
    if (!text.empty()) {
      // Nothing to try.
    } else if (best_isolation() == Isolation::kPlain) {
      text = "skip: this machine refuses namespaces";
    } else {
      text = body();
    }
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t size = 0; (size = ::read(ends[0], chunk.data(), chunk.size())) > 0;) {
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? text : "the test's process was killed: " + text;
}

// A name that a shell or a mount could stumble over.
Lab::Lab() : folder_(temporary_.path() / "evener lab ü") {
  std::filesystem::create_directory(folder_);
}

SandboxOptions Lab::options(int instances) {
  SandboxOptions options;
  options.job = "lab-" + std::to_string(::getpid());
  options.reach_outside = false;
  for (int i = 1; i <= instances; ++i) {
    InstanceOptions instance;
    instance.host = "algo-" + std::to_string(i);
    options.instances.push_back(instance);
  }
  return options;
}

std::string Lab::why_not(const SandboxOptions& options) {
  if (options.isolation == Isolation::kPlain || !kHasThreads || ::geteuid() == 0) return {};
  return "skip: the thread sanitizer keeps a user from making namespaces";
}

std::string Lab::start_unmounted(SandboxOptions options) {
  options.folder = folder_ / "instances";
  if (std::string why = why_not(options); !why.empty()) return why;
  Result<std::unique_ptr<Sandbox>> made = Sandbox::create(options);
  if (!made) return "create: " + made.error().message;
  sandbox_ = std::move(*made);
  return {};
}

std::string Lab::start(SandboxOptions options) {
  const std::vector<InstanceOptions> instances = options.instances;
  if (std::string error = start_unmounted(std::move(options)); !error.empty()) return error;
  for (const InstanceOptions& instance : instances) {
    if (Status mounted = sandbox_->mount(instance.host, {}); !mounted) {
      return "mount: " + mounted.error().message;
    }
  }
  return {};
}

std::string Lab::begin(const std::string& host, const std::string& script) {
  os::UniqueFd out(::open((folder_ / (host + ".out")).c_str(),
                          O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644));
  const Status started = sandbox_->run(
      host, {{"sh", "-c", script}, {"PATH=/usr/bin:/bin:/usr/sbin:/sbin"}, "/"}, std::move(out));
  return started ? "" : "run: " + started.error().message;
}

HostEvent Lab::next() {
  while (true) {
    auto event = sandbox_->next_event(kPatience);
    if (!event || !*event) break;
    if ((*event)->kind != HostEvent::Kind::kNoticed) return **event;
  }
  HostEvent none;
  none.host = "no event";
  none.exit_code = -1;
  return none;
}

HostEvent Lab::run(const std::string& host, const std::string& script) {
  if (std::string error = begin(host, script); !error.empty()) {
    HostEvent none;
    none.text = error;
    none.exit_code = -1;
    return none;
  }
  return next();
}

std::string Lab::output(const std::string& host) const {
  return os::content_of(folder_ / (host + ".out"));
}

bool Lab::await_notice(const std::string& words) {
  while (true) {
    auto event = sandbox_->next_event(kPatience);
    if (!event || !*event) return false;
    if ((*event)->kind == HostEvent::Kind::kNoticed &&
        (*event)->text.find(words) != std::string::npos) {
      return true;
    }
  }
}

bool Lab::await_output(const std::string& host, const std::string& text) const {
  for (int i = 0; i < 2000; ++i) {
    if (output(host).find(text) != std::string::npos) return true;
    ::poll(nullptr, 0, 5);
  }
  return false;
}

std::string differ(const std::string& what, const std::string& got, const std::string& wanted) {
  return got == wanted ? "" : what + ": got '" + got + "', wanted '" + wanted + "'";
}

}  // namespace evener::sandbox
