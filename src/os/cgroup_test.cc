#include "os/cgroup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "os/namespace.h"
#include "os/temporary_folder_test.h"

namespace evener::os {
namespace {
namespace fs = std::filesystem;

// A folder with the files that a kernel would show.
class FakeTree : public ::testing::Test {
 protected:
  void put(const fs::path& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::string get(const fs::path& file) {
    std::ifstream in(root_ / file);
    std::string line;
    std::getline(in, line);
    return line;
  }
  void put_v2_group(const fs::path& folder, const std::string& controllers) {
    put(folder / "cgroup.procs", "");
    put(folder / "cgroup.subtree_control", "");
    put(folder / "cgroup.controllers", controllers + "\n");
  }

  TemporaryFolder folder_;
  const fs::path& root_ = folder_.path();
};

// The mount point of a unified tree that this process may use; empty for none.
fs::path mount_of_v2() {
  std::ifstream mounts("/proc/self/mounts");
  std::string line;
  while (std::getline(mounts, line)) {
    std::istringstream words(line);
    std::string device, point, type;
    words >> device >> point >> type;
    if (type == "cgroup2") return point;
  }
  return {};
}

constexpr const char* kV2Mounts =
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

TEST_F(FakeTree, V2LimitsAreWrittenInItsOwnUnits) {
  put_v2_group("sys/fs/cgroup", "cpuset cpu io memory pids");
  const CgroupLayout layout = find_cgroup_layout({kV2Mounts, "0::/user.slice\n"}, root_);
  EXPECT_EQ(layout.version, CgroupVersion::kV2);
  EXPECT_TRUE(layout.missing.empty());
  Cgroup group(layout, "evener/job/algo-1");
  group.create();
  group.set_limits({.cpu_weight = 4, .cpu_quota = 1.5, .memory_bytes = 1 << 30, .pids = 100});
  const fs::path folder = "sys/fs/cgroup/evener/job/algo-1";
  EXPECT_EQ(get(folder / "cpu.weight"), "200");
  EXPECT_EQ(get(folder / "cpu.max"), "150000 100000");
  EXPECT_EQ(get(folder / "memory.max"), "1073741824");
  EXPECT_EQ(get(folder / "memory.swap.max"), "0");
  EXPECT_EQ(get(folder / "pids.max"), "100");
  ASSERT_TRUE(group.attach(4711));
  EXPECT_EQ(get(folder / "cgroup.procs"), "4711");
  EXPECT_TRUE(group.missing().empty());
}

TEST_F(FakeTree, V2ControllersAreEnabledAboveAndNotInTheGroupItself) {
  put_v2_group("sys/fs/cgroup", "cpu memory pids");
  Cgroup group(find_cgroup_layout({kV2Mounts, "0::/\n"}, root_), "evener/job");
  group.create();
  EXPECT_EQ(get("sys/fs/cgroup/cgroup.subtree_control"), "+pids");
  EXPECT_EQ(get("sys/fs/cgroup/evener/cgroup.subtree_control"), "+pids");
  EXPECT_FALSE(fs::exists(root_ / "sys/fs/cgroup/evener/job/cgroup.subtree_control"));
}

TEST_F(FakeTree, V2CountersAreRead) {
  put_v2_group("sys/fs/cgroup", "cpu memory pids");
  Cgroup group(find_cgroup_layout({kV2Mounts, "0::/\n"}, root_), "evener/job");
  group.create();
  const fs::path folder = "sys/fs/cgroup/evener/job";
  put(folder / "cpu.stat", "usage_usec 2500\nuser_usec 2000\nsystem_usec 500\n");
  put(folder / "memory.current", "5000\n");
  put(folder / "memory.peak", "9000\n");
  put(folder / "memory.stat", "anon 3000\ninactive_file 1000\nactive_file 200\n");
  put(folder / "memory.events", "low 0\nhigh 0\nmax 4\noom 1\noom_kill 2\n");
  const CgroupUsage usage = group.usage();
  EXPECT_EQ(usage.cpu_nanos, 2'500'000U);
  EXPECT_EQ(usage.memory_bytes, 4000U);
  EXPECT_EQ(usage.memory_peak_bytes, 9000U);
  EXPECT_EQ(group.out_of_memory_kills(), 2U);
}

TEST_F(FakeTree, V2TakesTheHighestDelegatedGroup) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere: no folder is refused to it";
  put_v2_group("sys/fs/cgroup", "cpu memory pids");
  put_v2_group("sys/fs/cgroup/user/app", "memory pids");
  put_v2_group("sys/fs/cgroup/user/app/scope", "memory pids");
  fs::permissions(root_ / "sys/fs/cgroup", fs::perms::owner_read | fs::perms::owner_exec);
  const CgroupLayout layout = find_cgroup_layout({kV2Mounts, "0::/user/app/scope\n"}, root_);
  EXPECT_EQ(layout.roots.at(Controller::kMemory), root_ / "sys/fs/cgroup/user/app");
  EXPECT_FALSE(layout.roots.contains(Controller::kCpu));
  EXPECT_NE(layout.missing.at(Controller::kCpu).find("no controller cpu"), std::string::npos);
  fs::permissions(root_ / "sys/fs/cgroup", fs::perms::owner_all);
}

TEST_F(FakeTree, CoMountedV1ControllersShareAGroup) {
  fs::create_directories(root_ / "cg/cpu,cpuacct");
  fs::create_directories(root_ / "cg/memory");
  const CgroupLayout layout = find_cgroup_layout(
      {"31 30 0:27 / /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
       "32 30 0:28 / /cg/memory rw shared:9 - cgroup cgroup rw,memory\n"
       "33 30 0:29 / /cg/unified rw - cgroup2 cgroup2 rw\n",
       "4:memory:/\n0::/\n"},
      root_);
  EXPECT_EQ(layout.version, CgroupVersion::kV1);
  EXPECT_EQ(layout.missing.at(Controller::kPids), "not mounted");
  Cgroup group(layout, "evener/job");
  group.create();
  group.set_limits({.cpu_weight = 2, .cpu_quota = 0.5, .memory_bytes = 4096});
  EXPECT_EQ(get("cg/cpu,cpuacct/evener/job/cpu.shares"), "2048");
  EXPECT_EQ(get("cg/cpu,cpuacct/evener/job/cpu.cfs_quota_us"), "50000");
  EXPECT_EQ(get("cg/memory/evener/job/memory.limit_in_bytes"), "4096");
  put("cg/cpu,cpuacct/evener/job/cpuacct.usage", "77\n");
  put("cg/memory/evener/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  EXPECT_EQ(group.usage().cpu_nanos, 77U);
  EXPECT_EQ(group.out_of_memory_kills(), 3U);
  EXPECT_FALSE(group.has(Controller::kPids));
}

TEST(Cgroup, AMachineWithoutGroupsSaysSoForEachController) {
  const CgroupLayout layout = find_cgroup_layout({"", ""}, "/");
  EXPECT_EQ(layout.version, CgroupVersion::kNone);
  EXPECT_EQ(layout.missing.size(), kControllers.size());
  Cgroup group(layout, "evener/job");
  group.create();
  EXPECT_TRUE(group.attach(1));
  EXPECT_EQ(group.usage().cpu_nanos, 0U);
}

TEST(Cgroup, NamesOfControllersAndVersionsComeBack) {
  for (const Controller controller : kControllers) {
    EXPECT_EQ(controller_from_string(to_string(controller)), controller);
  }
  EXPECT_FALSE(controller_from_string("cpuset"));
  for (const auto version : {CgroupVersion::kNone, CgroupVersion::kV1, CgroupVersion::kV2}) {
    EXPECT_EQ(cgroup_version_from_string(to_string(version)), version);
  }
  EXPECT_FALSE(cgroup_version_from_string("v3"));
}

TEST(Cgroup, ARealGroupHoldsAProcessAndGoesAway) {
  const CgroupLayout layout = find_cgroup_layout(read_cgroup_facts(), "/");
  if (layout.roots.empty()) GTEST_SKIP() << "no control group of this machine may be changed";
  Cgroup group(layout, "evener/cgroup-test-" + std::to_string(::getpid()));
  group.create();
  Result<ClonedProcess> child = clone_process(0);
  ASSERT_TRUE(child);
  if (child->pid == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_TRUE(group.attach(child->pid));
  EXPECT_EQ(group.members(), std::vector<pid_t>{child->pid});
  EXPECT_FALSE(group.remove());
  group.kill_members();
  EXPECT_EQ(reap(child->pidfd.get()).value_or(-1), 137);
  EXPECT_TRUE(group.remove());
  EXPECT_TRUE(group.members().empty());
}

// Where the machine has a unified tree, be it without controllers: what needs none is tried there.
TEST(Cgroup, ARealV2GroupHoldsAProcessCountsItsTimeAndEndsIt) {
  const fs::path root = mount_of_v2();
  if (root.empty()) GTEST_SKIP() << "no cgroup2 is mounted";
  CgroupLayout layout;
  layout.version = CgroupVersion::kV2;
  layout.roots[Controller::kCpuAccounting] = root;
  Cgroup group(layout, "evener-test-" + std::to_string(::getpid()) + "/inner");
  group.create();
  if (!group.missing().empty()) GTEST_SKIP() << group.missing().begin()->second;
  Result<ClonedProcess> child = clone_process(0);
  ASSERT_TRUE(child);
  if (child->pid == 0) {
    (void)die_with_parent();
    while (true) (void)::getppid();
  }
  ASSERT_TRUE(group.attach(child->pid));
  EXPECT_EQ(group.members(), std::vector<pid_t>{child->pid});
  for (int i = 0; i < 1000 && group.usage().cpu_nanos == 0; ++i) ::usleep(5'000);
  EXPECT_GT(group.usage().cpu_nanos, 0u);
  const Status full = group.remove();
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kUnavailable);
  group.kill_members();
  EXPECT_EQ(reap(child->pidfd.get()).value_or(0), 128 + SIGKILL);
  Status removed = group.remove();
  for (int i = 0; i < 1000 && !removed; ++i) {
    ::usleep(5'000);
    removed = group.remove();
  }
  EXPECT_TRUE(removed);
}

}  // namespace
}  // namespace evener::os
