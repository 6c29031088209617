#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/file_system_real.h"
#include "os/unique_fd.h"

namespace evener::os::real {
namespace {

class RealReadableFile final : public ReadableFile {
 public:
  RealReadableFile(UniqueFd fd, fs::path path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<FileStat> stat() const override {
    struct stat raw {};
    if (::fstat(fd_.get(), &raw) != 0) return errno_failure(errno, attempt("stat", path_));
    return to_file_stat(raw);
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> buffer) const override {
    while (true) {
      const ssize_t got =
          ::pread(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return errno_failure(errno, attempt("read", path_));
    }
  }

  Result<std::vector<Extent>> extents() const override {
    auto whole = stat();
    if (!whole) return tl::unexpected(std::move(whole.error()));
    std::vector<Extent> found;
    RETURN_IF_ERROR(for_each_extent(fd_.get(), whole->size, path_, [&](Extent extent) {
      found.push_back(extent);
      return ok();
    }));
    return found;
  }

 private:
  UniqueFd fd_;
  fs::path path_;
};

class RealWritableFile final : public WritableFile {
 public:
  RealWritableFile(UniqueFd fd, fs::path path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Status append(std::span<const std::byte> bytes) override {
    return write_all(fd_.get(), bytes.data(), bytes.size(), path_);
  }
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    return write_all_at(fd_.get(), offset, bytes, path_);
  }
  Status sync() override {
    if (::fdatasync(fd_.get()) != 0) return errno_failure(errno, attempt("sync", path_));
    return ok();
  }
  Status close() override {
    if (!fd_) return ok();
    if (::close(fd_.release()) != 0) return errno_failure(errno, attempt("close", path_));
    return ok();
  }

 private:
  UniqueFd fd_;
  fs::path path_;
};

}  // namespace

Result<std::unique_ptr<ReadableFile>> open_readable(const fs::path& path) {
  // O_NONBLOCK: a FIFO without a writer must not hold us; regular files do not heed it.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return errno_failure(errno, attempt("open", path));
  struct stat raw {};
  if (::fstat(fd.get(), &raw) != 0) return errno_failure(errno, attempt("stat", path));
  if (S_ISDIR(raw.st_mode)) return errno_failure(EISDIR, attempt("open", path));
  if (!S_ISREG(raw.st_mode))
    return failure(ErrorCode::kInvalidArgument, attempt("open", path) + ": not a regular file");
  return std::make_unique<RealReadableFile>(std::move(fd), path);
}

Result<std::unique_ptr<WritableFile>> open_writable(const fs::path& path, OpenFor purpose) {
  const int how = purpose == OpenFor::kAppend ? O_APPEND : O_TRUNC;
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | how, 0644));
  if (!fd) return errno_failure(errno, attempt("create", path));
  return std::make_unique<RealWritableFile>(std::move(fd), path);
}

Status for_each_extent(int fd, std::uint64_t size, const fs::path& path,
                       const std::function<Status(Extent)>& visit) {
  std::uint64_t offset = 0;
  while (offset < size) {
    const off_t data = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0) {
      if (errno == ENXIO) return ok();  // only a hole is left
      // A file system without holes answers EINVAL.
      if (errno == EINVAL || errno == EOPNOTSUPP) return visit({offset, size - offset});
      return errno_failure(errno, attempt("seek", path));
    }
    const auto start = static_cast<std::uint64_t>(data);
    if (start >= size) return ok();
    const off_t hole = ::lseek(fd, data, SEEK_HOLE);
    if (hole < 0) return errno_failure(errno, attempt("seek", path));
    const std::uint64_t end = std::min(static_cast<std::uint64_t>(hole), size);
    if (end <= start) return ok();  // the file shrank meanwhile
    RETURN_IF_ERROR(visit({start, end - start}));
    offset = end;
  }
  return ok();
}

Status write_all(int fd, const void* data, std::size_t size, const fs::path& path) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(fd, next, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno_failure(errno, attempt("write", path));
    }
    next += written;
    size -= static_cast<std::size_t>(written);
  }
  return ok();
}

Status write_all_at(int fd, std::uint64_t offset, std::span<const std::byte> bytes,
                    const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno_failure(errno, attempt("write", path));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return ok();
}

}  // namespace evener::os::real
