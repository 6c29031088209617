// A real S3 server of our own: SeaweedFS as a child process, looked after until we end.
//
// Used by:  apps (`evener up`).
// Threads:  one of its own watches the child; the rest from any thread.
// Fails:    start() when the folder cannot be written, another server has it (kUnavailable), or the
//           program is missing. Later trouble is in status(): the server is started again, with
//           pauses that grow. The child ends with us, also when we are killed.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "http/sigv4/sigv4.h"
#include "os/file_system.h"
#include "storage/s3/s3.h"

namespace evener::storage {

struct S3ServerOptions {
  std::string program;               // path of `weed`
  os::fs::path folder;               // data, keys, log; of mode 0700
  std::string bucket;                // made when the server is up
  // Written for read_access() whenever the server has come up, of mode 0600: where it is now and
  // `key`.
  os::fs::path access_file;
  http::AccessKey key;               // may do everything
  http::AccessKey read_only_key{};   // without an id: there is none
  std::string path = "/usr/bin:/bin";  // PATH of the child
};

enum class S3ServerState { kStarting, kReady, kWaiting, kStopped };
std::string_view to_string(S3ServerState state);
Result<S3ServerState> s3_server_state_from(std::string_view text);

struct S3ServerStatus {
  S3ServerState state = S3ServerState::kStarting;
  std::string trouble{};             // of the last end, if it was not ready since
  int starts = 0;
};

// Besides S3 the child listens on ports of its own on loopback, where it obeys nobody but itself:
// seaweed_lock.h. `random` is used from the server's thread too.
class S3Server {
 public:
  static Result<std::unique_ptr<S3Server>> start(S3ServerOptions options, os::FileSystem& files,
                                                 const Clock& clock, Random& random);
  virtual ~S3Server() = default;     // stops it: SIGTERM, after some seconds SIGKILL
  virtual S3ServerStatus status() const = 0;
  // Endpoint and key; the endpoint is "" before the first kReady.
  virtual S3Access access() const = 0;
  // Until it is ready once, or `limit` is over: kTimedOut with what is wrong.
  virtual Status wait_ready(std::chrono::milliseconds limit) = 0;
};

}  // namespace evener::storage
