#include <algorithm>
#include <map>
#include <optional>

#include "base/mutex.h"
#include "http/sigv4/authorization.h"
#include "http/sigv4/canonical.h"
#include "http/sigv4/sigv4.h"

namespace evener::http {
namespace {

// A signing key belongs to a credential: key, day, region, service; of what was never verified
// none is kept.
constexpr std::size_t kCachedSigningKeys = 1'024;
constexpr std::string_view kAwsPrefix = "x-amz-";

tl::unexpected<Error> invalid(const std::string& text) {
  return failure(ErrorCode::kPermissionDenied, "InvalidSignatureException: " + text);
}

tl::unexpected<Error> mismatch() {
  return invalid(
      "The request signature we calculated does not match the signature you provided. Check your "
      "AWS Secret Access Key and signing method. Consult the service documentation for details.");
}

tl::unexpected<Error> expired(const Authorization& read, WallTime now,
                              std::chrono::seconds allowed) {
  return invalid("Signature expired: " + std::string(read.date) + " is now earlier than " +
                 amz_date(now - allowed) + " (" + amz_date(now) + " - " +
                 (allowed == kClockSkew ? "15 min" : std::to_string(allowed.count()) + " s") +
                 ".)");
}

Status check_time(const Authorization& read, WallTime now) {
  if (read.signed_at > now + kClockSkew) {
    return invalid("Signature not yet current: " + std::string(read.date) + " is still later than " +
                   amz_date(now + kClockSkew) + " (" + amz_date(now) + " + 15 min.)");
  }
  const std::chrono::seconds allowed = read.form == Form::kPresigned ? read.valid : kClockSkew;
  if (read.signed_at < now - allowed) return expired(read, now, allowed);
  return ok();
}

// What a program may act on must be signed, and must be there once: of two headers of a name
// one could be signed and the other be read.
Status check_signed_headers(const Request& request, const Authorization& read) {
  const auto is_signed = [&](std::string_view name) {
    Parts names(read.signed_names, ';');
    for (auto one = names.next(); one; one = names.next())
      if (same_name(*one, name)) return true;
    return false;
  };
  if (!is_signed("host")) {
    return invalid("'Host' must be a 'SignedHeader' in the AWS Authorization.");
  }
  const auto& all = request.headers.all();
  for (auto header = all.begin(); header != all.end(); ++header) {
    const std::string_view name = header->name;
    if (!same_name(name, "host") && !same_name(name.substr(0, kAwsPrefix.size()), kAwsPrefix))
      continue;
    if (!is_signed(name)) {
      return invalid("There is a header that is not signed: " + lower_case(name));
    }
    if (std::any_of(all.begin(), header,
                    [&](const Header& before) { return same_name(before.name, name); })) {
      return invalid("There is more than one header " + lower_case(name));
    }
  }
  return ok();
}

// The hash of the body, checked against what the request says.
Result<std::string> payload_hash(const Request& request, const Authorization& read) {
  const auto stated = request.headers.find("X-Amz-Content-Sha256");
  if (read.form == Form::kPresigned && read.service == "s3" &&
      stated.value_or(kUnsignedPayload) == kUnsignedPayload) {
    return std::string(kUnsignedPayload);
  }
  std::string hash = sha256_hex(request.body);
  if (stated && *stated != hash) {
    return invalid(
        "The provided 'x-amz-content-sha256' header does not match what was computed.");
  }
  return hash;
}

}  // namespace

struct Verifier::State {
  const AccessKey* key_of(std::string_view id) const {
    const auto found = std::find_if(keys.begin(), keys.end(),
                                    [&](const AccessKey& key) { return key.id == id; });
    return found == keys.end() ? nullptr : &*found;
  }
  std::optional<Digest> cached(std::string_view credential) {
    const MutexLock lock(mutex);
    const auto found = signing_keys.find(credential);
    if (found == signing_keys.end()) return std::nullopt;
    return found->second;
  }
  void keep(std::string_view credential, const Digest& digest) {
    const MutexLock lock(mutex);
    if (signing_keys.size() >= kCachedSigningKeys) signing_keys.clear();
    signing_keys.insert_or_assign(std::string(credential), digest);
  }

  std::vector<AccessKey> keys;
  Mutex mutex;
  std::map<std::string, Digest, std::less<>> signing_keys GUARDED_BY(mutex);
};

Verifier::Verifier(std::vector<AccessKey> keys) : state_(std::make_unique<State>()) {
  state_->keys = std::move(keys);
}
Verifier::~Verifier() = default;

Result<Caller> Verifier::verify(const Request& request, WallTime now) const {
  const auto read = read_authorization(request);
  if (!read) return tl::unexpected(read.error());
  const AccessKey* key = state_->key_of(read->key_id);
  if (key == nullptr || !equal_in_constant_time(key->session_token, read->security_token)) {
    return failure(ErrorCode::kPermissionDenied,
                   "UnrecognizedClientException: The security token included in the request is "
                   "invalid.");
  }
  if (read->day != read->date.substr(0, 8)) {
    return invalid(
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP.");
  }
  RETURN_IF_ERROR(check_time(*read, now));
  RETURN_IF_ERROR(check_signed_headers(request, *read));
  const auto hash = payload_hash(request, *read);
  if (!hash) return tl::unexpected(hash.error());

  const auto cached = state_->cached(read->credential);
  const Digest digest = cached ? *cached : signing_key(key->secret, read->scope);
  const std::string wanted =
      signature(digest, read->date, read->scope,
                canonical_request({.request = request,
                                   .service = read->service,
                                   .query = canonical_query(read->query),
                                   .signed_names = read->signed_names,
                                   .payload_hash = *hash}));
  if (!equal_in_constant_time(wanted, read->signature)) return mismatch();
  if (!cached) state_->keep(read->credential, digest);
  return Caller{std::string(read->key_id), std::string(read->region), std::string(read->service)};
}

}  // namespace evener::http
