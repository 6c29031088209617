// The front of the control plane: who may ask, what is asked, and the answer in the client's form.
// A job runs code, so every request is signed with a key of the home, and requests that a web page
// can make a browser send are refused before anything is looked up.
//
// Used by:  apps (`evener serve`): its handler goes into the HTTP server.
// Threads:  the handler may run on several threads at once; operations answer from any.
// Fails:    every request gets a response; what goes wrong is AWS's error in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "control_plane/keys/keys.h"
#include "control_plane/operations/operations.h"
#include "http/server/server.h"

namespace evener::control_plane {

enum class Signatures { kRequired, kIgnored };
// Where a Host header may name any IP address, or loopback ones alone. A web page that rebinds its
// name to our address cannot change the name in its Host header.
enum class HostAddresses { kLoopback, kAny };

struct FrontOptions {
  std::vector<Key> keys{};
  Signatures signatures = Signatures::kRequired;
  HostAddresses addresses = HostAddresses::kLoopback;
  std::vector<std::string> host_names{"localhost"};   // also with any port
  std::string region = "us-east-1";                   // of callers who are not asked
};

// `clock` and `random` outlive the handler and may be shared between threads.
http::OnRequest make_front(FrontOptions options, std::vector<Operation> operations,
                         const Clock& clock, Random& random);

}  // namespace evener::control_plane
