// What a user's program may do as root inside an instance: what a container's root may.
//
// Used by:  sandbox (in the child that becomes the program).
// Threads:  the calling one.
// Fails:    with the code of errno.
#pragma once

#include "base/result.h"

namespace evener::os {

// Keeps CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE,
// NET_RAW, SYS_CHROOT, SETFCAP and AUDIT_WRITE, drops all others from every set for good, and
// forbids gaining any by exec.
Status drop_to_container_privileges();
// Whether this thread has CAP_SYS_ADMIN in its user namespace.
bool may_administer();

// Only forbids gaining privileges by exec.
Status forbid_new_privileges();

}  // namespace evener::os
