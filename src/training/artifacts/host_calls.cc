#include "training/artifacts/host_calls.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>

#include "os/unique_fd.h"

namespace evener::artifacts {

Status make_whiteout(const std::filesystem::path& path) {
  if (::mknod(path.c_str(), S_IFCHR, ::makedev(0, 0)) == 0) return ok();
  if (errno == EPERM || errno == EOPNOTSUPP || errno == EINVAL || errno == ENOENT)
    return failure(ErrorCode::kUnsupported, "whiteouts cannot be made at " + path.string());
  return errno_failure(errno, "hide " + path.string());
}

Status clone_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  const os::UniqueFd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!source) return errno_failure(errno, "open " + from.string());
  const os::UniqueFd target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!target) return errno_failure(errno, "create " + to.string());
  if (::ioctl(target.get(), FICLONE, source.get()) == 0) return ok();
  const int error = errno;
  ::unlink(to.c_str());
  if (error == ENOSPC || error == EDQUOT) return errno_failure(error, "copy " + from.string());
  return failure(ErrorCode::kUnsupported, "the file system does not share blocks");
}

}  // namespace evener::artifacts
