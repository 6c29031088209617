// What of this machine the jobs of a server reach as host.evener.internal: its API and its object
// store, each on its own port.
//
// Used by:  serve.
// Threads:  pure functions.
// Fails:    never; an object store elsewhere is none, since jobs reach it as it is.
#pragma once

#include <string>
#include <vector>

#include "evener/listen_address.h"
#include "training/sandbox/sandbox.h"

namespace evener::app {

// `listening` with the port it got; `s3_endpoint` a URL or "".
std::vector<sandbox::HostService> host_services(const ListenAddress& listening,
                                                const std::string& s3_endpoint);

}  // namespace evener::app
