#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "os/unique_fd.h"
#include "training/metrics/metrics.h"
#include "training/metrics/samples_json.h"

namespace evener::metrics {
namespace {

class FileSampleWriter final : public SampleWriter {
 public:
  FileSampleWriter(os::UniqueFd file, std::uint64_t size, std::uint64_t limit)
      : file_(std::move(file)), size_(size), limit_(limit) {}

  void write(const Sample& sample) override {
    Thinned& host = thinned_[sample.host];
    host.cpu_sum += sample.cpu_percent;
    if (++host.samples < stride()) return;
    Sample mean = sample;
    mean.cpu_percent = host.cpu_sum / host.samples;
    host = {};
    append(to_line(mean));
  }

  void write(const Progress& progress) override { append(to_line(progress)); }

 private:
  struct Thinned {
    int samples = 0;
    double cpu_sum = 0;
  };

  int stride() const {
    if (size_ < limit_ / 2) return 1;
    return size_ < limit_ / 4 * 3 ? 10 : 100;
  }

  void append(const std::string& line) {
    if (size_ + line.size() > limit_) return;
    ssize_t written = 0;
    do {
      written = ::pwrite(file_.get(), line.data(), line.size(), static_cast<off_t>(size_));
    } while (written < 0 && errno == EINTR);
    // A line cut short by a full disk is written over by the next.
    if (written == static_cast<ssize_t>(line.size())) size_ += line.size();
  }

  os::UniqueFd file_;
  std::uint64_t size_;
  std::uint64_t limit_;
  std::map<std::string, Thinned> thinned_;
};

// Where the next line goes: after the last whole one.
std::uint64_t end_of_lines(int file, std::uint64_t size) {
  constexpr std::uint64_t kTailBytes = 64u << 10;  // no line is as long
  const std::uint64_t start = size > kTailBytes ? size - kTailBytes : 0;
  std::string tail(size - start, '\0');
  const ssize_t got = ::pread(file, tail.data(), tail.size(), static_cast<off_t>(start));
  if (got <= 0) return size;
  const std::size_t newline = std::string_view(tail).substr(0, static_cast<std::size_t>(got)).rfind('\n');
  return newline == std::string_view::npos ? start : start + newline + 1;
}

}  // namespace

Result<std::unique_ptr<SampleWriter>> make_sample_writer(const std::filesystem::path& file,
                                                         std::uint64_t limit_bytes) {
  os::UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) return errno_failure(errno, "open " + file.string());
  struct stat stat {};
  if (::fstat(fd.get(), &stat) != 0) return errno_failure(errno, "stat " + file.string());
  const auto size = static_cast<std::uint64_t>(stat.st_size);
  const std::uint64_t end = size == 0 ? 0 : end_of_lines(fd.get(), size);
  if (end < size && ::ftruncate(fd.get(), static_cast<off_t>(end)) != 0)
    return errno_failure(errno, "cut off the torn end of " + file.string());
  return std::make_unique<FileSampleWriter>(std::move(fd), end, limit_bytes);
}

}  // namespace evener::metrics
