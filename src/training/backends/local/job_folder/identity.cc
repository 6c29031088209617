#include "training/backends/local/job_folder/identity.h"

#include <charconv>
#include <string>
#include <string_view>

#include "os/process.h"

namespace evener::backends {

Status write_identity(os::FileSystem& files, const std::filesystem::path& path, pid_t pid) {
  auto start = os::process_start_time(pid);
  if (!start) return tl::unexpected<Error>(start.error());
  const auto boot = os::boot_id();
  if (!boot) return tl::unexpected<Error>(boot.error());
  return os::write_text(files, path,
                        std::to_string(pid) + " " + std::to_string(*start) + " " + *boot + "\n");
}

Result<std::optional<SupervisorIdentity>> read_identity(os::FileSystem& files,
                                                        const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxIdentityBytes = 256;
  auto text = os::read_text(files, path, kMaxIdentityBytes);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return std::optional<SupervisorIdentity>();
    return tl::unexpected<Error>(text.error());
  }
  SupervisorIdentity identity;
  const char* end = text->data() + text->size();
  const auto pid = std::from_chars(text->data(), end, identity.pid);
  if (pid.ec != std::errc() || pid.ptr == end || *pid.ptr != ' ' || identity.pid <= 0) {
    return failure(ErrorCode::kCorrupt, path.string() + " holds no process");
  }
  const auto start = std::from_chars(pid.ptr + 1, end, identity.start_time);
  if (start.ec != std::errc()) {
    return failure(ErrorCode::kCorrupt, path.string() + " holds no start time");
  }
  if (start.ptr != end && *start.ptr == ' ') {
    const std::string_view rest(start.ptr + 1, end);
    identity.boot = rest.substr(0, rest.find('\n'));
  }
  return std::optional<SupervisorIdentity>(identity);
}

std::optional<os::UniqueFd> open_supervisor(const SupervisorIdentity& identity) {
  if (!identity.boot.empty()) {
    const auto boot = os::boot_id();
    if (boot && *boot != identity.boot) return std::nullopt;
  }
  auto pidfd = os::open_pidfd(identity.pid);
  if (!pidfd) return std::nullopt;
  // Looked at after the pidfd is held: the pid cannot change hands any more.
  auto start = os::process_start_time(identity.pid);
  if (!start || *start != identity.start_time) return std::nullopt;
  if (os::pidfd_ended(pidfd->get())) return std::nullopt;
  return std::move(*pidfd);
}

}  // namespace evener::backends
