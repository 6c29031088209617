#include "training/backends/local/supervisor/host_outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace evener::backends {
namespace {

// Fewer switches between a program that prints much and the log's thread; where the system's
// limit refuses, the default size stays.
constexpr int kPipeBytes = 1 << 20;

}  // namespace

Result<HostOutputs> HostOutputs::open(const std::vector<std::string>& hosts,
                                      logs::LogWriter& logs) {
  HostOutputs outputs;
  for (const std::string& host : hosts) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno_failure(errno, "pipe for the log of " + host);
    os::UniqueFd reading(ends[0]);
    os::UniqueFd writing(ends[1]);
    ::fcntl(writing.get(), F_SETPIPE_SZ, kPipeBytes);
    RETURN_IF_ERROR(logs.add_host(host, std::move(reading)));
    outputs.ends_.emplace(host, std::move(writing));
  }
  return outputs;
}

Result<os::UniqueFd> HostOutputs::share(const std::string& host) const {
  os::UniqueFd copy(::fcntl(ends_.at(host).get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return errno_failure(errno, "share the log pipe of " + host);
  return copy;
}

os::UniqueFd HostOutputs::hand_over(const std::string& host) {
  const auto found = ends_.find(host);
  if (found == ends_.end()) return os::UniqueFd();
  os::UniqueFd end = std::move(found->second);
  ends_.erase(found);
  return end;
}

}  // namespace evener::backends
