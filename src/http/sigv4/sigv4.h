// AWS Signature Version 4: signing of requests that we send, verification of those we receive.
//
// Used by:  storage/s3, apps (`--server`) to sign; control_plane to verify.
// Threads:  values and pure functions; a Verifier may be shared.
// Fails:    verify() with kPermissionDenied; the message begins with AWS's error code and ": ".
// Source:   AWS "Signature Version 4 signing process"; its published test suite.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/http.h"

namespace evener::http {

struct AccessKey {
  std::string id;
  std::string secret;
  std::string session_token{};
};

struct SigningScope {
  std::string region;
  std::string service;        // "s3", "sagemaker", "logs", "monitoring", "sts", "iam"
};

inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

// A presigned URL holds for a week at most.
inline constexpr std::chrono::hours kLongestPresign{7 * 24};

std::string sha256_hex(std::string_view bytes);

// Sets X-Amz-Date, X-Amz-Content-Sha256 (s3), X-Amz-Security-Token and Authorization. `request`
// has its Host header; all headers are signed but those that a proxy or the client may change.
// `payload_hash`: sha256_hex(body) or kUnsignedPayload.
void sign(Request& request, const AccessKey& key, const SigningScope& scope,
          std::string_view payload_hash, WallTime now);

// The query of a presigned URL for `request` (method, path, query, Host), its own query included.
std::string presign(const Request& request, const AccessKey& key, const SigningScope& scope,
                    WallTime now, std::chrono::seconds valid);

struct Caller {
  std::string access_key_id;
  std::string region;
  std::string service;
};

// What clocks may differ by; AWS allows as much.
inline constexpr std::chrono::minutes kClockSkew{15};

class Verifier {
 public:
  explicit Verifier(std::vector<AccessKey> keys);
  ~Verifier();
  // Header and query (presigned) form. Compares in constant time. Codes:
  // MissingAuthenticationToken, IncompleteSignature, UnrecognizedClientException,
  // InvalidSignatureException (also for a date out of kClockSkew and a presigned URL that has
  // expired). The body's own hash is always checked, but for presigned S3 URLs. Host and every
  // X-Amz- header must be signed, once each.
  Result<Caller> verify(const Request& request, WallTime now) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evener::http
