#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/file_system_real.h"
#include "os/unique_fd.h"

namespace evener::os::real {
namespace {

struct CopyEnds {
  int from;
  int to;
  mode_t to_mode;   // as it is; changed only where it has to be, which is a write for each file
  const fs::path& from_path;
  const fs::path& to_path;
};

bool is_unsupported(int error) {
  return error == EXDEV || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP ||
         error == EBADF || error == EPERM || error == ETXTBSY;
}

Status copy_by_buffer(const CopyEnds& ends, Extent extent) {
  constexpr std::size_t kBufferBytes = 256u << 10;
  std::vector<char> buffer(std::min<std::uint64_t>(kBufferBytes, extent.length));
  if (::lseek(ends.to, static_cast<off_t>(extent.offset), SEEK_SET) < 0)
    return errno_failure(errno, attempt("seek", ends.to_path));
  while (extent.length > 0) {
    const auto wanted = std::min<std::uint64_t>(buffer.size(), extent.length);
    const ssize_t got =
        ::pread(ends.from, buffer.data(), wanted, static_cast<off_t>(extent.offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_failure(errno, attempt("read", ends.from_path));
    if (got == 0) return ok();  // the source shrank
    RETURN_IF_ERROR(write_all(ends.to, buffer.data(), static_cast<std::size_t>(got), ends.to_path));
    extent.offset += static_cast<std::uint64_t>(got);
    extent.length -= static_cast<std::uint64_t>(got);
  }
  return ok();
}

Status copy_extent(const CopyEnds& ends, Extent extent) {
  while (extent.length > 0) {
    off_t in = static_cast<off_t>(extent.offset);
    off_t out = in;
    const ssize_t got = ::copy_file_range(ends.from, &in, ends.to, &out, extent.length, 0);
    if (got < 0 && errno == EINTR) continue;
    // Some file systems copy nothing and say 0; reading tells whether the source ended.
    if (got == 0 || (got < 0 && is_unsupported(errno))) return copy_by_buffer(ends, extent);
    if (got < 0)
      return errno_failure(errno, attempt("copy", ends.from_path) + " to " + ends.to_path.string());
    extent.offset += static_cast<std::uint64_t>(got);
    extent.length -= static_cast<std::uint64_t>(got);
  }
  return ok();
}

// For a hole at the end. Not where the size is right: ext4 writes a file that was truncated to
// disk when it is closed, and takes its journal for each call.
Status give_size(const CopyEnds& ends, off_t size) {
  struct stat now {};
  if (::fstat(ends.to, &now) != 0) return errno_failure(errno, attempt("stat", ends.to_path));
  if (now.st_size == size || ::ftruncate(ends.to, size) == 0) return ok();
  return errno_failure(errno, attempt("truncate", ends.to_path));
}

Status fill(const CopyEnds& ends, const struct stat& source) {
  if (::ioctl(ends.to, FICLONE, ends.from) != 0) {
    RETURN_IF_ERROR(for_each_extent(ends.from, static_cast<std::uint64_t>(source.st_size),
                                    ends.from_path,
                                    [&](Extent extent) { return copy_extent(ends, extent); }));
    RETURN_IF_ERROR(give_size(ends, source.st_size));
  }
  // No set-user-id bits: the copy has another owner.
  const mode_t mode = source.st_mode & 0777u;
  if ((ends.to_mode & 07777u) != mode && ::fchmod(ends.to, mode) != 0)
    return errno_failure(errno, attempt("chmod", ends.to_path));
  return ok();
}

}  // namespace

Status copy_regular_file(const fs::path& from, const fs::path& to) {
  const UniqueFd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!source) return errno_failure(errno, attempt("open", from));
  struct stat source_stat {};
  if (::fstat(source.get(), &source_stat) != 0) return errno_failure(errno, attempt("stat", from));
  if (!S_ISREG(source_stat.st_mode))
    return failure(ErrorCode::kInvalidArgument, attempt("copy", from) + ": not a regular file");

  constexpr int kHow = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  UniqueFd target(::open(to.c_str(), kHow, source_stat.st_mode & 0777u));
  if (!target) return errno_failure(errno, attempt("create", to));
  struct stat target_stat {};
  if (::fstat(target.get(), &target_stat) != 0) return errno_failure(errno, attempt("stat", to));
  if (target_stat.st_dev == source_stat.st_dev && target_stat.st_ino == source_stat.st_ino)
    return failure(ErrorCode::kInvalidArgument, attempt("copy", from) + ": onto itself");
  if (target_stat.st_size != 0 && ::ftruncate(target.get(), 0) != 0)
    return errno_failure(errno, attempt("truncate", to));

  Status filled =
      fill({source.get(), target.get(), target_stat.st_mode, from, to}, source_stat);
  if (filled && ::close(target.release()) != 0) filled = errno_failure(errno, attempt("close", to));
  if (!filled) ::unlink(to.c_str());
  return filled;
}

}  // namespace evener::os::real
