#include <algorithm>

#include "http/sigv4/canonical.h"
#include "http/sigv4/sigv4.h"

namespace evener::http {
namespace {

// A proxy, or the library that sends, may change or add these on the way.
constexpr std::string_view kUnsigned[] = {
    "authorization", "connection", "content-length", "expect",           "proxy-authorization",
    "te",            "trailer",    "transfer-encoding", "upgrade",       "user-agent",
    "x-amzn-trace-id"};

// "host;x-amz-date".
std::string names_to_sign(const Headers& headers) {
  std::vector<std::string> names;
  for (const Header& header : headers.all()) {
    std::string name = lower_case(header.name);
    if (std::find(std::begin(kUnsigned), std::end(kUnsigned), name) == std::end(kUnsigned)) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string joined;
  for (const std::string& name : names) {
    if (!joined.empty()) joined.push_back(';');
    joined.append(name);
  }
  return joined;
}

}  // namespace

void sign(Request& request, const AccessKey& key, const SigningScope& scope,
          std::string_view payload_hash, WallTime now) {
  const std::string date = amz_date(now);
  request.headers.set("X-Amz-Date", date);
  if (scope.service == "s3") request.headers.set("X-Amz-Content-Sha256", payload_hash);
  if (!key.session_token.empty()) {
    request.headers.set("X-Amz-Security-Token", key.session_token);
  }
  const std::string names = names_to_sign(request.headers);
  const std::string scope_of_key = scope_text(date.substr(0, 8), scope);
  std::string query = canonical_query(query_pairs(request.query));
  const std::string canonical = canonical_request({.request = request,
                                                   .service = scope.service,
                                                   .query = std::move(query),
                                                   .signed_names = names,
                                                   .payload_hash = payload_hash});
  std::string text(kAlgorithmName);
  text.append(" Credential=").append(key.id).append("/").append(scope_of_key);
  text.append(", SignedHeaders=").append(names).append(", Signature=");
  text.append(signature(signing_key(key.secret, scope_of_key), date, scope_of_key, canonical));
  request.headers.set("Authorization", text);
}

std::string presign(const Request& request, const AccessKey& key, const SigningScope& scope,
                    WallTime now, std::chrono::seconds valid) {
  const std::string date = amz_date(now);
  const std::string scope_of_key = scope_text(date.substr(0, 8), scope);
  const std::string names = names_to_sign(request.headers);
  QueryPairs pairs = query_pairs(request.query);
  pairs.emplace_back("X-Amz-Algorithm", kAlgorithmName);
  pairs.emplace_back("X-Amz-Credential", key.id + "/" + scope_of_key);
  pairs.emplace_back("X-Amz-Date", date);
  pairs.emplace_back("X-Amz-Expires", std::to_string(valid.count()));
  pairs.emplace_back("X-Amz-SignedHeaders", names);
  if (!key.session_token.empty()) pairs.emplace_back("X-Amz-Security-Token", key.session_token);
  std::string query = canonical_query(pairs);
  const std::string hash =
      scope.service == "s3" ? std::string(kUnsignedPayload) : sha256_hex(request.body);
  const std::string canonical = canonical_request({.request = request,
                                                   .service = scope.service,
                                                   .query = query,
                                                   .signed_names = names,
                                                   .payload_hash = hash});
  query += "&X-Amz-Signature=";
  query += signature(signing_key(key.secret, scope_of_key), date, scope_of_key, canonical);
  return query;
}

}  // namespace evener::http
