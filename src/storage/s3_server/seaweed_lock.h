// What keeps other users of the machine out of SeaweedFS's own ports, which ask for no key of S3:
// tokens for its HTTP, and a certificate that its parts show each other on gRPC.
//
// Used by:  s3_server.
// Threads:  functions.
// Fails:    kIo when no key can be made, or the files cannot be written.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "os/file_system.h"

namespace evener::storage {

// Both PEM; signed by itself, for 127.0.0.1.
struct OwnCertificate {
  std::string certificate;
  std::string private_key;
};
Result<OwnCertificate> make_own_certificate();

// Writes a new certificate and key into `folder`, the key of mode 0600. Answers the variables that
// lock the server which gets them.
Result<std::vector<std::string>> make_seaweed_lock(os::FileSystem& files, Random& random,
                                                   const os::fs::path& folder);

}  // namespace evener::storage
