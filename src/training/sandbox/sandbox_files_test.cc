// Who may write what: mounts that are closed for writing, and files of subordinate ids.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "training/sandbox/sandbox_lab_test.h"

namespace evener::sandbox {
namespace {
namespace fs = std::filesystem;

constexpr uid_t kUser = 65534;
constexpr uid_t kFirstSubordinate = 200'000;

std::string close_a_bind() {
  Lab lab;
  if (std::string error = lab.start_unmounted(Lab::options(1)); !error.empty()) return error;
  const fs::path layer = lab.folder() / "layer";
  fs::create_directory(layer);
  Mount mount;
  mount.target = "/opt/ml/.layer";
  mount.source = layer;
  if (Status mounted = lab.sandbox().mount("algo-1", {mount}); !mounted) {
    return mounted.error().message;
  }
  if (lab.run("algo-1", "echo mine > /opt/ml/.layer/word").exit_code != 0) return "not writable";
  if (Status closed = lab.sandbox().make_read_only("algo-1", "/opt/ml/.layer"); !closed) {
    return closed.error().message;
  }
  if (lab.run("algo-1", "echo again > /opt/ml/.layer/word").exit_code == 0) return "writable";
  if (lab.run("algo-1", "mount -o remount,rw,bind /opt/ml/.layer && echo again "
                        "> /opt/ml/.layer/word").exit_code == 0) {
    return "the program made it writable";
  }
  lab.run("algo-1", "cat /opt/ml/.layer/word");
  return differ("word", lab.output("algo-1"), "mine\n");
}

TEST(SandboxFiles, AMountThatIsClosedIsReadOnlyForProgramsOfRoot) {
  check(Who::kRoot, close_a_bind);
}

TEST(SandboxFiles, AMountThatIsClosedIsReadOnlyForProgramsOfAUser) {
  check(Who::kUser, close_a_bind);
}

// In this process's own mount namespace a user has subordinate ids, whatever the machine says.
std::string become_user_with_subordinate_ids(const fs::path& folder) {
  for (const char* path : {"/etc/subuid", "/etc/subgid", "/usr/bin/newuidmap",
                           "/usr/bin/newgidmap"}) {
    if (::access(path, F_OK) != 0) return std::string("skip: there is no ") + path;
  }
  std::ofstream(folder / "ranges") << kUser << ":" << kFirstSubordinate << ":65536\n";
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return "skip: no mount namespace";
  }
  for (const char* path : {"/etc/subuid", "/etc/subgid"}) {
    if (::mount((folder / "ranges").c_str(), path, nullptr, MS_BIND, nullptr) != 0) {
      return "skip: no bind over " + std::string(path);
    }
  }
  if (::setresgid(kUser, kUser, kUser) != 0 || ::setresuid(kUser, kUser, kUser) != 0) {
    return "skip: cannot become another user";
  }
  ::prctl(PR_SET_DUMPABLE, 1);   // as a program that the user started
  return {};
}

TEST(SandboxFiles, AUsersJobMayGiveFilesToSubordinateIds) {
  const fs::path folder = fs::temp_directory_path() / ("evener-ranges-" +
                                                       std::to_string(::getpid()));
  fs::create_directory(folder);
  const std::string text = in_process(Who::kRoot, [&]() -> std::string {
    if (std::string why = become_user_with_subordinate_ids(folder); !why.empty()) return why;
    Lab lab;
    if (std::string error = lab.start(Lab::options(1)); !error.empty()) return error;
    for (const std::string& notice : lab.sandbox().notices()) {
      if (notice.starts_with("one user per instance")) return notice;
    }
    if (lab.run("algo-1", "echo w > /opt/ml/given && chown 1234:1234 /opt/ml/given && "
                          "stat -c %u:%g /opt/ml/given").exit_code != 0) {
      return "chown failed: " + lab.output("algo-1");
    }
    return differ("owner inside", lab.output("algo-1"), "1234:1234\n");
  });
  fs::remove_all(folder);
  if (text.starts_with("skip: ")) GTEST_SKIP() << text.substr(6);
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace evener::sandbox
