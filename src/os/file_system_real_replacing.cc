#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "base/ids.h"
#include "os/file_system_real.h"
#include "os/unique_fd.h"

namespace evener::os::real {
namespace {

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// A name beside `path` that no one else uses. Hidden, so that listings for people skip it.
fs::path temporary_beside(const fs::path& path) {
  constexpr std::size_t kSuffixLength = 10;
  constexpr std::size_t kKeptNameBytes = 200;  // names are at most 255 bytes
  SystemRandom random;
  const std::string name = path.filename().string().substr(0, kKeptNameBytes);
  return folder_of(path) / ("." + name + ".tmp-" + random_suffix(random, kSuffixLength));
}

class UnpublishedFile final : public WritableFile {
 public:
  // `temporary` is empty while the file has no name at all.
  UnpublishedFile(UniqueFd fd, fs::path path, fs::path temporary, WhenTaken when_taken)
      : fd_(std::move(fd)),
        path_(std::move(path)),
        temporary_(std::move(temporary)),
        when_taken_(when_taken) {}
  UnpublishedFile(const UnpublishedFile&) = delete;
  UnpublishedFile& operator=(const UnpublishedFile&) = delete;
  ~UnpublishedFile() override { drop_name(); }

  Status append(std::span<const std::byte> bytes) override {
    Status written = write_all(fd_.get(), bytes.data(), bytes.size(), path_);
    if (!written) failed_ = true;
    return written;
  }

  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    Status written = write_all_at(fd_.get(), offset, bytes, path_);
    if (!written) failed_ = true;
    return written;
  }

  Status sync() override {
    if (::fdatasync(fd_.get()) == 0) {
      synced_ = true;
      return ok();
    }
    failed_ = true;
    return errno_failure(errno, attempt("sync", path_));
  }

  Status close() override {
    if (!fd_) return ok();
    Status published = failed_ ? Status(failure(ErrorCode::kIo, attempt("close", path_) +
                                                                    ": a write failed before"))
                               : publish();
    if (published && synced_) published = sync_name();
    const int closed = ::close(fd_.release());
    if (published && closed != 0) published = errno_failure(errno, attempt("close", path_));
    drop_name();
    return published;
  }

 private:
  Status publish() {
    if (when_taken_ == WhenTaken::kRefuse) {
      // link() does not replace, whichever name the file has now.
      const bool linked = temporary_.empty() ? link_to(path_)
                                             : ::link(temporary_.c_str(), path_.c_str()) == 0;
      if (linked) return ok();
      return errno_failure(errno, attempt("create", path_));
    }
    if (temporary_.empty() && link_to(path_)) return ok();
    if (temporary_.empty()) {
      // linkat() does not replace; rename() does.
      if (errno != EEXIST) return errno_failure(errno, attempt("create", path_));
      const fs::path beside = temporary_beside(path_);
      if (!link_to(beside)) return errno_failure(errno, attempt("create", beside));
      temporary_ = beside;
    }
    if (::rename(temporary_.c_str(), path_.c_str()) != 0)
      return errno_failure(errno, attempt("rename", temporary_) + " to " + path_.string());
    temporary_.clear();
    return ok();
  }

  // Whoever synced the bytes means that they are found again after a loss of power.
  Status sync_name() const {
    const UniqueFd folder(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder && ::fsync(folder.get()) == 0) return ok();
    return errno_failure(errno, attempt("sync the folder of", path_));
  }

  bool link_to(const fs::path& name) const {
    char link[40];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd_.get());
    return ::linkat(AT_FDCWD, link, AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }

  void drop_name() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
  }

  UniqueFd fd_;
  fs::path path_;
  fs::path temporary_;
  WhenTaken when_taken_;
  std::atomic<bool> failed_{false};
  bool synced_ = false;
};

}  // namespace

Result<std::unique_ptr<WritableFile>> open_unpublished(const fs::path& path, WhenTaken when_taken,
                                                       std::uint32_t mode) {
  if (!path.has_filename()) return errno_failure(EISDIR, attempt("create", path));
  // A file without a name gets one through /proc.
  if (::access("/proc/self/fd", X_OK) == 0) {
    UniqueFd unnamed(::open(folder_of(path).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode));
    if (unnamed) return std::make_unique<UnpublishedFile>(std::move(unnamed), path, fs::path(), when_taken);
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
      return errno_failure(errno, attempt("create", path));
  }
  fs::path temporary = temporary_beside(path);
  UniqueFd named(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!named) return errno_failure(errno, attempt("create", temporary));
  return std::make_unique<UnpublishedFile>(std::move(named), path, std::move(temporary), when_taken);
}

}  // namespace evener::os::real
