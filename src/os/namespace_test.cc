#include "os/namespace.h"

#include <gtest/gtest.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "os/namespace_mounts.h"
#include "os/namespace_privileges.h"
#include "os/temporary_folder_test.h"

namespace evener::os {
namespace {

template <class Body>
Result<int> in_child(std::uint64_t flags, Body body) {
  Result<ClonedProcess> child = clone_process(flags);
  if (!child) return tl::unexpected<Error>(child.error());
  if (child->pid == 0) ::_exit(body());
  return reap(child->pidfd.get());
}

TEST(Namespace, AnExitCodeAndASignalComeBack) {
  EXPECT_EQ(in_child(0, [] { return 7; }).value_or(-1), 7);
  EXPECT_EQ(in_child(0, [] { ::kill(::getpid(), SIGKILL); return 0; }).value_or(-1), 137);
}

TEST(Namespace, AUserBecomesRootOfItsOwnNamespaceAndMounts) {
  const Result<int> code = in_child(0, [] {
    if (::geteuid() == 0 && (::setresgid(65534, 65534, 65534) != 0 ||
                             ::setresuid(65534, 65534, 65534) != 0)) {
      return 1;
    }
    ::prctl(PR_SET_DUMPABLE, 1);   // the change of user closed /proc/self to this process
    if (!enter_new_user_namespace()) return 2;
    if (::geteuid() != 0 || !may_administer()) return 3;
    const Result<int> inner = in_child(CLONE_NEWNS, [] {
      return make_mounts_private() && make_file_system("tmpfs", {}, {}) ? 0 : 1;
    });
    return inner.value_or(-1) == 0 ? 0 : 4;
  });
  ASSERT_TRUE(code);
  if (*code == 2) GTEST_SKIP() << "this machine refuses user namespaces";
  EXPECT_EQ(*code, 0);
}

TEST(Namespace, APathWithinARootCannotLeaveItThroughALink) {
  const TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  std::filesystem::create_directory(folder / "inner");
  std::filesystem::create_symlink("/inner", folder / "absolute");
  std::filesystem::create_symlink("../../../../inner", folder / "relative");
  struct stat wanted{};
  ASSERT_EQ(::stat((folder / "inner").c_str(), &wanted), 0);
  {
    const UniqueFd root(::open(folder.c_str(), O_PATH | O_CLOEXEC));
    for (const char* name : {"/absolute", "/relative", "/inner"}) {
      const Result<UniqueFd> found = open_in_root(root.get(), name);
      ASSERT_TRUE(found) << name;
      struct stat status{};
      ASSERT_EQ(::fstat(found->get(), &status), 0);
      EXPECT_EQ(status.st_ino, wanted.st_ino) << name;
    }
    EXPECT_TRUE(make_folder_in_root(root.get(), "/absolute/a/b"));
    EXPECT_TRUE(std::filesystem::is_directory(folder / "inner/a/b"));
    EXPECT_FALSE(open_in_root(root.get(), "/missing"));
  }
}

TEST(Namespace, AContainersRootMayOwnFilesAndNotMount) {
  if (!may_administer()) GTEST_SKIP() << "needs capabilities that it can drop";
  EXPECT_EQ(in_child(CLONE_NEWNS, [] {
              if (!make_mounts_private() || !drop_to_container_privileges()) return 1;
              if (may_administer()) return 2;
              return make_file_system("tmpfs", {}, {}) ? 3 : 0;
            }).value_or(-1),
            0);
}

}  // namespace
}  // namespace evener::os
