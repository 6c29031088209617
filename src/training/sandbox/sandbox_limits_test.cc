// Limits, ends that nobody planned, and what is left afterwards.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "os/cgroup.h"
#include "training/sandbox/limits.h"
#include "training/sandbox/process_tree.h"
#include "training/sandbox/sandbox_lab_test.h"

namespace evener::sandbox {
namespace {
namespace fs = std::filesystem;

// A zombie is gone, but for the number.
bool alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string skip, name, state;
  return stat >> skip >> name >> state && state != "Z" && state != "X";
}

bool has_controller(os::Controller controller) {
  return os::find_cgroup_layout(os::read_cgroup_facts(), "/").roots.contains(controller);
}

std::vector<fs::path> groups_named(const std::string& part) {
  std::vector<fs::path> found;
  for (const auto& [controller, root] :
       os::find_cgroup_layout(os::read_cgroup_facts(), "/").roots) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "evener", error)) {
      if (entry.path().string().find(part) != std::string::npos) found.push_back(entry.path());
    }
  }
  return found;
}

TEST(SandboxLimits, AForkBombMeetsTheLimitAndIsEnded) {
  if (!has_controller(os::Controller::kPids)) GTEST_SKIP() << "no pids controller to use";
  check(Who::kRoot, [](Lab& lab) -> std::string {
    SandboxOptions options = Lab::options(2);
    options.instances[0].pids_limit = 40;
    if (std::string error = lab.start(options); !error.empty()) return error;
    lab.begin("algo-1", "b() { b & b & wait; }; echo up; b 2>/dev/null; sleep 1000");
    if (!lab.await_output("algo-1", "up")) return "not up";
    // The other host is as free as before.
    if (lab.run("algo-2", "true & true & wait; exit 6").exit_code != 6) return "algo-2 suffers";
    (void)lab.sandbox().kill("algo-1");
    lab.next();
    lab.run("algo-1", "ls -d /proc/[0-9]* | wc -l");
    return std::stoi(lab.output("algo-1")) <= 4 ? "" : "left: " + lab.output("algo-1");
  });
}

TEST(SandboxLimits, RunningOutOfMemoryIsToldFromOtherKills) {
  if (!has_controller(os::Controller::kMemory)) GTEST_SKIP() << "no memory controller to use";
  check(Who::kRoot, [](Lab& lab) -> std::string {
    SandboxOptions options = Lab::options(1);
    options.instances[0].memory_limit_bytes = 100U << 20;
    if (std::string error = lab.start(options); !error.empty()) return error;
    HostEvent event = lab.run("algo-1", "kill -9 $$");
    if (event.exit_code != 137 || event.out_of_memory) return "a plain kill looks like memory";
    event = lab.run("algo-1", "exec python3 -c 'b=bytearray(300<<20)'");
    if (event.exit_code != 137 || !event.out_of_memory) return "not out of memory";
    event = lab.run("algo-1", "python3 -c 'b=bytearray(300<<20)'; exit 3");
    if (event.exit_code != 3 || !event.out_of_memory) return "a child's end is not seen";
    return lab.run("algo-1", "exit 9").out_of_memory ? "an old kill counts again" : "";
  });
}

TEST(SandboxLimits, AQuotaIsWrittenAndGroupsAreGoneAtTheEnd) {
  if (!has_controller(os::Controller::kCpu)) GTEST_SKIP() << "no cpu controller to use";
  check(Who::kRoot, [](Lab& lab) -> std::string {
    SandboxOptions options = Lab::options(2);
    options.instances[1].cpu_quota = 0.5;
    if (std::string error = lab.start(options); !error.empty()) return error;
    lab.run("algo-2", "cat /proc/self/cgroup");
    const std::string part = options.job;
    if (lab.output("algo-2").find(part) == std::string::npos) return "not in its group";
    if (groups_named(part).empty()) return "no group";
    lab.end();
    return groups_named(part).empty() ? "" : "a group is left";
  });
}

TEST(SandboxLimits, AUserWithoutGroupsIsToldSoAndHeldByProcessLimits) {
  check(Who::kUser, [](Lab& lab) -> std::string {
    if (has_controller(os::Controller::kMemory)) return "skip: groups are delegated to the user";
    SandboxOptions options = Lab::options(1);
    options.instances[0].memory_limit_bytes = 200U << 20;
    options.instances[0].pids_limit = 77;
    if (std::string error = lab.start(options); !error.empty()) return error;
    if (lab.sandbox().notices().empty()) return "no notice";
    const HostEvent event =
        lab.run("algo-1", "ulimit -p; ulimit -d; python3 -c 'b=bytearray(300<<20)' 2>/dev/null");
    return event.exit_code == 0 ? "memory without limit"
                                : differ("limits", lab.output("algo-1"), "77\n204800\n");
  });
}

// A supervisor that is killed: a child of the test makes the sandbox and is killed.
std::string kill_supervisor(Lab& lab, Isolation isolation) {
  SandboxOptions options = Lab::options(2);
  options.isolation = isolation;
  if (std::string why = Lab::why_not(options); !why.empty()) return why;
  options.reach_outside = true;   // the uplink, where there is one, is a process more
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    if (!lab.start(options).empty()) ::_exit(1);
    lab.begin("algo-1", "setsid sleep 1000 & echo up; exec sleep 1000");
    lab.begin("algo-2", "echo up; trap '' TERM; sleep 1000");
    while (true) ::pause();
  }
  const bool up = lab.await_output("algo-1", "up") && lab.await_output("algo-2", "up");
  const std::vector<pid_t> processes = descendants(supervisor);
  ::kill(supervisor, SIGKILL);
  ::waitpid(supervisor, nullptr, 0);
  if (!up || processes.size() < 5) return "the sandbox did not start";
  for (const pid_t pid : processes) {
    for (int i = 0; i < 1000 && alive(pid); ++i) ::poll(nullptr, 0, 5);
    if (alive(pid)) return "process " + std::to_string(pid) + " is left";
  }
  options.folder = lab.folder() / "instances";
  if (Status removed = remove_leftovers(options.job, options.folder); !removed) {
    return removed.error().message;
  }
  if (Status again = remove_leftovers(options.job, options.folder); !again) {
    return "a second time: " + again.error().message;
  }
  return groups_named(options.job).empty() ? "" : "a group is left";
}

TEST(SandboxLimits, ASupervisorThatIsKilledLeavesNoProcess) {
  check(Who::kRoot, [](Lab& lab) { return kill_supervisor(lab, Isolation::kNamespaces); });
}

TEST(SandboxLimits, ASupervisorOfAUserThatIsKilledLeavesNoProcess) {
  check(Who::kUser, [](Lab& lab) { return kill_supervisor(lab, Isolation::kNamespaces); });
}

TEST(SandboxLimits, APlainSupervisorThatIsKilledLeavesNoProcess) {
  check(Who::kUser, [](Lab& lab) { return kill_supervisor(lab, Isolation::kPlain); });
}

TEST(SandboxPlain, ProgramsRunOnTheirOwnAddressesAndFolders) {
  check(Who::kUser, [](Lab& lab) -> std::string {
    SandboxOptions options = Lab::options(2);
    options.isolation = Isolation::kPlain;
    if (std::string error = lab.start_unmounted(options); !error.empty()) return error;
    Sandbox& sandbox = lab.sandbox();
    if (!sandbox.mount("algo-1", {{.kind = Mount::Kind::kReadOnlyBind,
                                   .target = "/opt/ml/input/data/raw",
                                   .source = "/etc"}})) {
      return "a bind below /opt/ml is refused";
    }
    if (sandbox.overlay_possible()) return "says that overlays work";
    if (sandbox.address("algo-1") == sandbox.address("algo-2")) return "one address";
    if (!sandbox.address("algo-1").starts_with("127.")) return sandbox.address("algo-1");
    const HostEvent event = lab.run(
        "algo-1", "ls '" + sandbox.ml_path("algo-1") + "/input/data/raw/passwd' >/dev/null && "
                  "setsid sleep 1000 & exit 4");
    if (event.exit_code != 4) return "exit " + std::to_string(event.exit_code);
    lab.begin("algo-2", "trap '' TERM; echo up; sleep 1000");
    if (!lab.await_output("algo-2", "up")) return "not up";
    (void)sandbox.kill("algo-2");
    if (lab.next().exit_code != 137) return "not killed";
    return sandbox.notices().empty() ? "no notice" : "";
  });
}

TEST(SandboxPlain, ALostInitTakesItsProgramsAlong) {
  check(Who::kUser, [](Lab& lab) -> std::string {
    SandboxOptions options = Lab::options(1);
    options.isolation = Isolation::kPlain;
    if (std::string error = lab.start(options); !error.empty()) return error;
    lab.begin("algo-1", "setsid sleep 1000 & echo up; exec sleep 1000");
    if (!lab.await_output("algo-1", "up")) return "not up";
    const std::vector<pid_t> processes = descendants(::getpid());
    for (const pid_t pid : processes) {
      std::ifstream name("/proc/" + std::to_string(pid) + "/comm");
      std::string text;
      name >> text;
      if (text == "evener-init") ::kill(pid, SIGKILL);
    }
    if (lab.next().kind != HostEvent::Kind::kInstanceLost) return "not lost";
    for (const pid_t pid : processes) {
      if (alive(pid)) return "a program is left";
    }
    return "";
  });
}

TEST(SandboxLife, ASupervisorWithoutStandardDescriptorsHasWorkingInstances) {
  check(Who::kUser, [](Lab& lab) -> std::string {
    for (int fd = 0; fd < 3; ++fd) ::close(fd);
    if (std::string error = lab.start(Lab::options(1)); !error.empty()) return error;
    const HostEvent event = lab.run("algo-1", "cat; echo said; exit 5");
    return differ("exit", std::to_string(event.exit_code) + lab.output("algo-1"), "5said\n");
  });
}

TEST(SandboxOptions, WhatMakesNoSandboxIsRefused) {
  SandboxOptions options = Lab::options(0);
  options.folder = "/tmp/evener-none";
  EXPECT_FALSE(Sandbox::create(options));
  options = Lab::options(2);
  options.folder = "/tmp/evener-none";
  options.instances[1].host = "algo-1";
  EXPECT_FALSE(Sandbox::create(options));
  options.instances[1].host = "../algo";
  EXPECT_FALSE(Sandbox::create(options));
  EXPECT_FALSE(fs::exists("/tmp/evener-none"));
}

TEST(SandboxAbilities, EachSaysWhatItIsAndHowToGetIt) {
  const std::vector<Ability> abilities = probe_abilities();
  EXPECT_GE(abilities.size(), 10U);
  for (const Ability& ability : abilities) {
    EXPECT_FALSE(ability.name.empty());
    EXPECT_FALSE(ability.detail.empty()) << ability.name;
    EXPECT_EQ(ability.fix.empty(), ability.works) << ability.name;
  }
}

}  // namespace
}  // namespace evener::sandbox
