// The pieces that a signature is made of: canonical request, string to sign, signing key.
//
// Used by:  sigv4, to sign and to verify.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "http/http.h"
#include "http/sigv4/digest.h"
#include "http/sigv4/sigv4.h"

namespace evener::http {

inline constexpr std::string_view kAlgorithmName = "AWS4-HMAC-SHA256";

std::string lower_case(std::string_view text);

// The parts of a text between separators, in their order; an empty text is one empty part.
class Parts {
 public:
  Parts(std::string_view text, char separator) : rest_(text), separator_(separator) {}
  std::optional<std::string_view> next();   // nothing after the last

 private:
  std::optional<std::string_view> rest_;
  const char separator_;
};

// The seconds of `time` as "20261130T101112Z"; the day is its first eight letters.
std::string amz_date(WallTime time);
// "20261130/us-west-2/sagemaker/aws4_request".
std::string scope_text(std::string_view day, const SigningScope& scope);

// Names and values of a query, decoded, in their order.
using QueryPairs = std::vector<std::pair<std::string, std::string>>;
QueryPairs query_pairs(std::string_view query);
std::string canonical_query(const QueryPairs& pairs);

// S3 takes a path as it is; the other services resolve "." and ".." and encode once more.
std::string canonical_path(std::string_view path, std::string_view service);

struct CanonicalParts {
  const Request& request;
  std::string_view service;
  std::string query;                             // canonical_query()
  std::string_view signed_names;                 // "host;x-amz-date": in lower case, in order
  std::string_view payload_hash;
};
std::string canonical_request(const CanonicalParts& parts);

// Of a scope_text().
Digest signing_key(std::string_view secret, std::string_view scope_text);
std::string signature(const Digest& key, std::string_view date, std::string_view scope_text,
                      std::string_view canonical_request);

}  // namespace evener::http
