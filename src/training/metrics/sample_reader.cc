#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "os/unique_fd.h"
#include "training/metrics/metrics.h"
#include "training/metrics/samples_json.h"

namespace evener::metrics {
namespace {

constexpr std::size_t kReadBytes = 256u << 10;  // longer lines are passed over

// What stands in the file at `offset`, at most kReadBytes.
std::string read_some(int file, std::uint64_t offset) {
  std::string bytes(kReadBytes, '\0');
  ssize_t got = 0;
  do {
    got = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  bytes.resize(static_cast<std::size_t>(got > 0 ? got : 0));
  return bytes;
}

void add_line(std::string_view line, Live& live) {
  auto parsed = parse_line(line);
  if (auto* sample = std::get_if<Sample>(&parsed)) live.samples.push_back(std::move(*sample));
  if (auto* progress = std::get_if<Progress>(&parsed)) live.progress.push_back(std::move(*progress));
}

}  // namespace

Live SampleReader::poll(std::size_t most) {
  Live live;
  const os::UniqueFd file(::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return live;
  while (true) {
    const std::string bytes = read_some(file.get(), offset_);
    std::string_view rest = bytes;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      add_line(rest.substr(0, end), live);
      rest.remove_prefix(end + 1);
    }
    // A torn line waits for its end, unless it is longer than any line can be.
    const std::size_t taken = rest.size() == kReadBytes ? rest.size() : bytes.size() - rest.size();
    offset_ += taken;
    if (taken == 0 || live.samples.size() + live.progress.size() >= most) return live;
  }
}

}  // namespace evener::metrics
