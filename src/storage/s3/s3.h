// Objects of an S3 endpoint: AWS, SeaweedFS, any other that speaks its protocol.
//
// Used by:  apps, which add it to a StoreSet; storage/s3_server for its bucket.
// Threads:  a store may be shared. Transfers of large objects have threads of their own while they
//           last; at most S3Options::connections requests run at a time, and at most
//           kPartMemoryBytes of parts are held, whatever the sizes. A thread that holds more than
//           three files of create() open with more than kSmallObjectBytes each may wait for ever.
// Fails:    as the seam says; what a server refuses is kNotFound, kPermissionDenied or
//           kInvalidArgument with its own code and text. kUnavailable and kTimedOut come only after
//           RetryLimits::patience. kCorrupt: a checksum differs, or an object changed while it was
//           read.
// Source:   Amazon S3 API Reference.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <map>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "http/client/client.h"
#include "http/sigv4/sigv4.h"
#include "os/file_system.h"
#include "storage/storage.h"

namespace evener::storage {

enum class Addressing {
  kPath,      // endpoint/bucket/key
  kVirtual,   // bucket.endpoint/key
};
std::string_view to_string(Addressing addressing);
Result<Addressing> addressing_from(std::string_view text);

// Where the objects are and what opens them.
struct S3Access {
  std::string endpoint{};                     // "http://127.0.0.1:8333"; "": AWS by its region
  std::string region = "us-east-1";
  http::AccessKey key{};                      // without an id: requests are not signed
  Addressing addressing = Addressing::kPath;
  std::string ca_file{};
  std::chrono::seconds patience{900};         // RetryLimits::patience of a job's transfers
};

// From the variables that AWS's own clients read: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL,
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION,
// AWS_CA_BUNDLE, and EVENER_S3_ADDRESSING (path | virtual) and EVENER_S3_PATIENCE_SECONDS. Nothing
// without key and endpoint.
Result<std::optional<S3Access>> access_from(const std::map<std::string, std::string>& environment);

// A file of mode 0600. What others may read is refused.
Status write_access(os::FileSystem& files, const os::fs::path& path, const S3Access& access);
Result<S3Access> read_access(os::FileSystem& files, const os::fs::path& path);

struct RetryLimits {
  std::chrono::milliseconds first_delay{100};
  std::chrono::milliseconds longest_delay{10'000};
  std::chrono::milliseconds patience{60'000};    // without a success, since the first failure
};

inline constexpr std::size_t kSmallObjectBytes = 256u << 10;
inline constexpr std::uint64_t kPartBytes = 8ull << 20;        // of ranges and first parts
inline constexpr std::size_t kPartMemoryBytes = 32u << 20;

// Waits; false when asked to stop before the time is over.
using Pause = std::function<bool(std::chrono::milliseconds, const std::stop_token&)>;
Pause real_pause();

struct S3Options {
  // Asked at first and after each failure: an endpoint may have moved, a token may be new.
  std::function<Result<S3Access>()> access{};
  std::size_t connections = 8;
  RetryLimits retry{};
  // Told when requests begin to fail and are tried again, with why; with "" once one succeeds.
  std::function<void(const std::string& why)> trouble{};
  // Gives up all that is going on and to come, with kCancelled.
  std::stop_token stop{};
};

struct S3Parts {
  http::Client& client;
  const Clock& clock;
  Random& random;                                // shared between threads
  Pause pause;
};

class S3Store : public ObjectStore {
 public:
  virtual Result<std::string> presigned_get(const Uri& object, std::chrono::seconds valid) = 0;
  // No error if we own it already.
  virtual Status make_bucket(const std::string& bucket) = 0;
};
std::unique_ptr<S3Store> make_s3_store(S3Options options, S3Parts parts);

}  // namespace evener::storage
