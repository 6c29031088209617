#include "os/namespace_privileges.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>

namespace evener::os {
namespace {

constexpr std::array kKept = {
    CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER,           CAP_FSETID,  CAP_KILL,
    CAP_SETGID, CAP_SETUID,       CAP_SETPCAP,          CAP_NET_RAW, CAP_NET_BIND_SERVICE,
    CAP_SETFCAP, CAP_SYS_CHROOT,  CAP_AUDIT_WRITE};

constexpr std::uint64_t kept_mask() {
  std::uint64_t mask = 0;
  for (const int capability : kKept) mask |= std::uint64_t{1} << capability;
  return mask;
}

}  // namespace

Status drop_to_container_privileges() {
  for (int capability = 0; capability < 64; ++capability) {
    if ((kept_mask() >> capability & 1) != 0) continue;
    // EINVAL: past the last capability of this kernel.
    if (::prctl(PR_CAPBSET_DROP, capability) != 0) {
      if (errno == EINVAL) break;
      return errno_failure(errno, "drop capability " + std::to_string(capability));
    }
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{};
  header.version = _LINUX_CAPABILITY_VERSION_3;
  std::array<__user_cap_data_struct, 2> held{};
  if (::syscall(SYS_capget, &header, held.data()) != 0) return errno_failure(errno, "capget");
  for (std::size_t word = 0; word < held.size(); ++word) {
    const auto keep = static_cast<std::uint32_t>(kept_mask() >> (32 * word));
    held[word].permitted &= keep;
    held[word].effective = held[word].permitted;
    held[word].inheritable = 0;
  }
  if (::syscall(SYS_capset, &header, held.data()) != 0) return errno_failure(errno, "capset");
  return forbid_new_privileges();
}

bool may_administer() {
  __user_cap_header_struct header{};
  header.version = _LINUX_CAPABILITY_VERSION_3;
  std::array<__user_cap_data_struct, 2> held{};
  if (::syscall(SYS_capget, &header, held.data()) != 0) return false;
  return (held[0].effective >> CAP_SYS_ADMIN & 1) != 0;
}

Status forbid_new_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return errno_failure(errno, "PR_SET_NO_NEW_PRIVS");
  }
  return ok();
}

}  // namespace evener::os
