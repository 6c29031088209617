// A cluster in a box: the instances of one job as isolated hosts on one private network.
//
// Used by:  backends/local (in the supervisor).
// Threads:  create() while the process has one thread (it clones without exec); all other calls
//           from one thread. wait() may be interrupted by its descriptors only.
// Fails:    kUnsupported when the machine refuses namespaces (use Isolation::kPlain); kNoSpace,
//           kPermissionDenied, ... from the kernel, naming the host and the step.
// User:     without root, create() moves the calling process into a new user namespace in which it
//           is root; its files still belong to the user, and it can read and remove those that
//           programs made under subordinate ids. It stays there after a failure.
// Life:     each instance's init dies with the supervisor's main thread (PR_SET_PDEATHSIG), and
//           with it everything in its PID namespace; the network dies with its last member.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"
#include "training/metrics/metrics.h"

namespace evener::sandbox {

enum class Isolation {
  kNamespaces,   // mount, UTS, PID, IPC, network; in a user namespace when not root
  kPlain,        // processes on 127.x addresses, no /opt/ml; for machines that refuse namespaces
};

// A TCP service of the host that jobs may reach as <kHostName>:<port>.
struct HostService {
  std::uint16_t port = 0;            // seen by the job
  std::string target_host;           // on the host, e.g. 127.0.0.1
  std::uint16_t target_port = 0;
};
inline constexpr std::string_view kHostName = "host.evener.internal";
inline constexpr std::string_view kInterfaceName = "eth0";

struct InstanceOptions {
  std::string host;                  // "algo-1"; also its host name
  int cpu_weight = 1;                // vCPUs of its type
  std::optional<double> cpu_quota;   // CPUs; none: weight only
  int visible_cpus = 1;              // affinity and /sys/devices/system/cpu/online
  std::uint64_t memory_limit_bytes = 0;   // 0: none
  std::uint64_t pids_limit = 4096;
};

struct SandboxOptions {
  std::string job;
  std::filesystem::path folder;      // <job>/instances; <folder>/<host>/ belongs to the instance
  Isolation isolation = Isolation::kNamespaces;
  std::vector<InstanceOptions> instances;
  bool reach_outside = true;         // user-mode networking where it works
  std::vector<HostService> host_services;
  std::vector<std::string> masked_paths;
};

// Binds and overlays for one instance, made inside it in this order after its root.
struct Mount {
  enum class Kind { kBind, kReadOnlyBind, kOverlay };
  Kind kind = Kind::kBind;
  std::filesystem::path target;      // inside the instance; made if missing below /opt/ml
  std::filesystem::path source = {}; // kBind*: on the machine
  std::filesystem::path lower = {}, upper = {}, work = {};   // kOverlay
};

struct Command {
  std::vector<std::string> argv;     // argv[0] is looked up in the PATH of `environment`
  std::vector<std::string> environment;
  std::string directory = "/";
};

struct HostEvent {
  enum class Kind {
    kExited,        // the command of run() ended
    kStartFailed,   // it could not be executed; `text` says why
    kInstanceLost,  // the instance's init itself is gone
    kNoticed,       // of no host: `text` is for the user, as notices() before the first run()
  };
  Kind kind = Kind::kExited;
  std::string host;
  int exit_code = 0;                 // 128 + signal when a signal ended it
  int signal = 0;
  bool out_of_memory = false;
  std::string text;
};

class Sandbox {
 public:
  // Network, cgroups, and one waiting init per instance. All or nothing.
  static Result<std::unique_ptr<Sandbox>> create(const SandboxOptions& options);
  virtual ~Sandbox() = default;      // kills what runs and removes all that create() made

  // What could not be had and does not matter to every job ("no memory limits: ..."), as far as
  // create() knows; what is seen later comes as events.
  virtual const std::vector<std::string>& notices() const = 0;
  virtual bool overlay_possible() const = 0;
  virtual std::string address(const std::string& host) const = 0;
  // The folder that is /opt/ml inside the instance: <folder>/<host>/ml.
  virtual std::filesystem::path ml_folder(const std::string& host) const = 0;
  // Where user code finds /opt/ml: "/opt/ml", or ml_folder() under kPlain.
  virtual std::string ml_path(const std::string& host) const = 0;

  // Makes the instance's root and mounts; once per host, before run().
  virtual Status mount(const std::string& host, const std::vector<Mount>& mounts) = 0;
  // Makes what is mounted at `target` read-only for all that runs from now on; nothing under
  // kPlain. Only while nothing runs on the host.
  virtual Status make_read_only(const std::string& host, const std::string& target) = 0;
  // Starts a command as a child of the instance's init; `output` gets stdout and stderr. One at a
  // time per host; everything left over when it ends is killed before the next run() or the end.
  virtual Status run(const std::string& host, const Command& command, os::UniqueFd output) = 0;
  // To the command's process (SIGTERM reaches the user's program, as PID 1 would get it).
  virtual Status signal(const std::string& host, int signal) = 0;
  // SIGKILL to everything in the instance; a kExited event follows.
  virtual Status kill(const std::string& host) = 0;

  // Readable when next_event() has something; for the supervisor's poll loop.
  virtual int event_fd() const = 0;
  virtual Result<std::optional<HostEvent>> next_event(std::chrono::milliseconds timeout) = 0;

  virtual metrics::Counters counters(const std::string& host) = 0;
};

// Removes cgroups, mounts and processes that a supervisor of `job` that was killed may have left.
Status remove_leftovers(const std::string& job, const std::filesystem::path& folder);
// The same after a supervisor that ended in order: at most empty cgroups are left, so that nothing
// has to be looked for among the machine's processes.
Status remove_groups(const std::string& job, const std::filesystem::path& folder);

// What this machine allows, for `evener doctor` and for choosing an isolation.
struct Ability {
  std::string name;                  // "user namespaces", "cgroup cpu", "overlay", ...
  bool works = false;
  std::string detail;                // version, path, or the error
  std::string fix;                   // what to do where it does not
};
std::vector<Ability> probe_abilities();
Isolation best_isolation();

}  // namespace evener::sandbox
