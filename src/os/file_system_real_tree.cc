// Removal of a tree that may have been left, or is still changed, by someone hostile: no path is
// walked twice, no symlink is followed, no mount is entered.
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "os/file_system_real.h"
#include "os/unique_fd.h"

namespace evener::os::real {
namespace {

// Folders below this depth are moved up to the root of the tree first, so that neither the stack
// nor the descriptors depend on how deep a job nests.
constexpr int kMaxDepth = 100;
constexpr std::size_t kNamesAtOnce = 1000;

Error busy_mount(const fs::path& path) {
  return {ErrorCode::kUnavailable,
          attempt("remove tree", path) + ": a file system is mounted there"};
}

int open_within(int parent, const char* name, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
  const long fd = ::syscall(SYS_openat2, parent, name, &how, sizeof how);
  return static_cast<int>(fd);
}

// Adds read, write and search for the owner, by the descriptor's own inode.
void open_up(int path_fd) {
  char link[40];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", path_fd);
  (void)::chmod(link, 0700);
}

// -1 with errno; EXDEV if `name` is on another mount.
int open_folder(int parent, const char* name) {
  const int fd = open_within(parent, name, O_RDONLY);
  if (fd >= 0) {
    struct stat raw {};
    if (::fstat(fd, &raw) == 0 && (raw.st_mode & 0700u) != 0700u) (void)::fchmod(fd, 0700);
    return fd;
  }
  if (errno != EACCES) return fd;
  const UniqueFd unreadable(open_within(parent, name, O_PATH));
  if (!unreadable) return -1;
  open_up(unreadable.get());
  return open_within(unreadable.get(), ".", O_RDONLY);
}

class TreeRemoval {
 public:
  explicit TreeRemoval(const fs::path& root) : root_(root) {}

  Status remove_entry(int parent, const char* name, int depth) {
    if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return ok();
    // Linux says EISDIR; EPERM is what POSIX allows for a folder.
    if (errno != EISDIR && errno != EPERM) return failed(name, errno);
    return remove_folder(parent, name, depth);
  }

 private:
  Status remove_folder(int parent, const char* name, int depth) {
    UniqueFd folder(open_folder(parent, name));
    if (!folder) {
      if (errno == ENOENT) return ok();
      if (errno == EXDEV) return tl::unexpected(busy_mount(root_ / name));
      return failed(name, errno);
    }
    if (depth == 0) root_fd_ = folder.get();
    if (depth >= kMaxDepth) return move_up(parent, name);
    RETURN_IF_ERROR(empty_folder(std::move(folder), depth));
    if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return ok();
    if (errno == EBUSY) return tl::unexpected(busy_mount(root_ / name));
    return failed(name, errno);
  }

  Status empty_folder(UniqueFd folder, int depth) {
    const int fd = folder.get();
    DIR* raw = ::fdopendir(fd);
    if (raw == nullptr) return failed(".", errno);
    (void)folder.release();
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(raw, ::closedir);
    while (true) {
      // Read, remove, and read again from the start: what a removal does to an open listing
      // differs between file systems.
      std::vector<std::string> names = some_names(raw);
      if (names.empty()) return ok();
      for (const std::string& name : names)
        RETURN_IF_ERROR(remove_entry(fd, name.c_str(), depth + 1));
      ::rewinddir(raw);
    }
  }

  static std::vector<std::string> some_names(DIR* stream) {
    std::vector<std::string> names;
    while (names.size() < kNamesAtOnce) {
      const dirent* entry = ::readdir(stream);
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    return names;
  }

  // The root's listing is read until nothing is left, so the folder is met again there.
  Status move_up(int parent, const char* name) {
    constexpr int kAttempts = 1000;
    for (int attempt_index = 0; attempt_index < kAttempts; ++attempt_index) {
      const std::string target = ".deep-" + std::to_string(moved_++);
      if (::renameat(parent, name, root_fd_, target.c_str()) == 0) return ok();
      if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) break;
    }
    return failed(name, errno);
  }

  Status failed(const char* name, int error) const {
    return errno_failure(error, attempt("remove tree", root_) + " at " + name);
  }

  const fs::path& root_;
  int root_fd_ = -1;
  std::uint64_t moved_ = 0;
};

}  // namespace

Status remove_tree(const fs::path& path) {
  const fs::path plain = path.has_filename() ? path : path.parent_path();  // "a/b/" is a/b
  const std::string name = plain.filename().string();
  if (name.empty() || name == "." || name == "..")
    return failure(ErrorCode::kInvalidArgument, attempt("remove tree", path) + ": not a name");
  const fs::path parent = plain.has_parent_path() ? plain.parent_path() : fs::path(".");
  const UniqueFd parent_fd(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!parent_fd) {
    if (errno == ENOENT || errno == ENOTDIR) return ok();
    return errno_failure(errno, attempt("open", parent));
  }
  return TreeRemoval(plain).remove_entry(parent_fd.get(), name.c_str(), 0);
}

}  // namespace evener::os::real
