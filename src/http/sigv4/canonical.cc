#include "http/sigv4/canonical.h"

#include <algorithm>
#include <cstdint>

namespace evener::http {
namespace {

// Without white space around it and with single spaces inside.
void append_folded(std::string& out, std::string_view value) {
  const bool plain = value.find('\t') == std::string_view::npos &&
                     value.find("  ") == std::string_view::npos && !value.starts_with(' ') &&
                     !value.ends_with(' ');
  if (plain) {
    out.append(value);
    return;
  }
  bool space = false;
  const std::size_t start = out.size();
  for (const char c : value) {
    if (c == ' ' || c == '\t') {
      space = true;
      continue;
    }
    if (space && out.size() > start) out.push_back(' ');
    space = false;
    out.push_back(c);
  }
}

// All headers of that name, in their order, with commas between.
void append_header(std::string& out, const Headers& headers, std::string_view name) {
  out.append(name).push_back(':');
  bool first = true;
  for (const Header& header : headers.all()) {
    if (!same_name(header.name, name)) continue;
    if (!first) out.push_back(',');
    append_folded(out, header.value);
    first = false;
  }
  out.push_back('\n');
}

// RFC 3986, section 5.2.4; an empty path is "/".
std::string without_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  std::size_t at = 0;
  while (at <= path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (!part.empty() && part != ".") {
      kept.push_back(part);
    }
    at = end + 1;
  }
  std::string out;
  for (const std::string_view part : kept) out.append("/").append(part);
  if (out.empty() || (!path.empty() && path.back() == '/')) out.push_back('/');
  return out;
}

void append_digits(std::string& out, std::int64_t number, std::size_t width) {
  const std::size_t start = out.size();
  out.append(width, '0');
  for (std::size_t at = start + width; at-- > start; number /= 10)
    out[at] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

std::optional<std::string_view> Parts::next() {
  if (!rest_) return std::nullopt;
  const std::size_t end = rest_->find(separator_);
  const std::string_view part = rest_->substr(0, end);
  if (end == std::string_view::npos) {
    rest_.reset();
  } else {
    rest_->remove_prefix(end + 1);
  }
  return part;
}

std::string amz_date(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  std::string out;
  append_digits(out, static_cast<int>(date.year()), 4);
  append_digits(out, static_cast<unsigned>(date.month()), 2);
  append_digits(out, static_cast<unsigned>(date.day()), 2);
  out.push_back('T');
  append_digits(out, clock.hours().count(), 2);
  append_digits(out, clock.minutes().count(), 2);
  append_digits(out, clock.seconds().count(), 2);
  return out + 'Z';
}

std::string scope_text(std::string_view day, const SigningScope& scope) {
  std::string out(day);
  return out.append("/").append(scope.region).append("/").append(scope.service).append(
      "/aws4_request");
}

QueryPairs query_pairs(std::string_view query) {
  QueryPairs pairs;
  std::size_t at = 0;
  while (at < query.size()) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::string_view part = query.substr(at, end - at);
    at = end + 1;
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    pairs.emplace_back(percent_decode(part.substr(0, equals)),
                       percent_decode(part.substr(std::min(equals + 1, part.size()))));
  }
  return pairs;
}

std::string canonical_query(const QueryPairs& pairs) {
  QueryPairs encoded;
  encoded.reserve(pairs.size());
  for (const auto& [name, value] : pairs) {
    encoded.emplace_back(percent_encode(name, Slash::kEncoded),
                         percent_encode(value, Slash::kEncoded));
  }
  std::sort(encoded.begin(), encoded.end());
  std::string out;
  for (const auto& [name, value] : encoded) {
    if (!out.empty()) out.push_back('&');
    out.append(name).append("=").append(value);
  }
  return out;
}

std::string canonical_path(std::string_view path, std::string_view service) {
  if (service == "s3") return path.empty() ? "/" : std::string(path);
  return percent_encode(without_dot_segments(path), Slash::kKept);
}

std::string canonical_request(const CanonicalParts& parts) {
  std::string out;
  out.reserve(1024);
  out.append(parts.request.method).append("\n");
  out.append(canonical_path(parts.request.path, parts.service)).append("\n");
  out.append(parts.query).append("\n");
  Parts names(parts.signed_names, ';');
  while (const auto name = names.next()) append_header(out, parts.request.headers, *name);
  out.append("\n").append(parts.signed_names).append("\n").append(parts.payload_hash);
  return out;
}

Digest signing_key(std::string_view secret, std::string_view scope_text) {
  Parts parts(scope_text, '/');
  Digest key = hmac_sha256("AWS4" + std::string(secret), parts.next().value_or(""));
  while (const auto part = parts.next()) key = hmac_sha256(view_of(key), *part);
  return key;
}

std::string signature(const Digest& key, std::string_view date, std::string_view scope_text,
                      std::string_view canonical_request) {
  std::string text;
  text.reserve(256);
  text.append(kAlgorithmName).append("\n").append(date).append("\n").append(scope_text);
  text.append("\n").append(sha256_hex(canonical_request));
  return to_hex(hmac_sha256(view_of(key), text));
}

}  // namespace evener::http
