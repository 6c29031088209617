#include "http/sigv4/authorization.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace evener::http {
namespace {

tl::unexpected<Error> incomplete(const std::string& text) {
  return failure(ErrorCode::kPermissionDenied, "IncompleteSignature: " + text);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "20261130T101112Z"; what is read must be spelled as we would spell it.
std::optional<WallTime> parse_amz_date(std::string_view text) {
  if (text.size() != 16) return std::nullopt;
  const auto year = number(text.substr(0, 4)), month = number(text.substr(4, 2)),
             day = number(text.substr(6, 2)), hours = number(text.substr(9, 2)),
             minutes = number(text.substr(11, 2)), seconds = number(text.substr(13, 2));
  if (!year || !month || !day || !hours || !minutes || !seconds) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const WallTime time = std::chrono::sys_days(date) + std::chrono::hours(*hours) +
                        std::chrono::minutes(*minutes) + std::chrono::seconds(*seconds);
  if (amz_date(time) != text) return std::nullopt;
  return time;
}

const std::string* value_of(const QueryPairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return &value;
  }
  return nullptr;
}

Status read_credential(std::string_view text, Authorization& into) {
  Parts parts(text, '/');
  std::array<std::string_view, 5> found;
  for (std::string_view& part : found) part = parts.next().value_or("");
  if (parts.next() || found[4] != "aws4_request" ||
      std::any_of(found.begin(), found.end(), [](const auto& part) { return part.empty(); })) {
    return incomplete(
        "Credential must have exactly 5 slash-delimited elements, e.g. "
        "keyid/date/region/service/aws4_request");
  }
  into.credential = text;
  into.key_id = found[0];
  into.scope = text.substr(found[0].size() + 1);
  into.day = found[1];
  into.region = found[2];
  into.service = found[3];
  return ok();
}

Status read_signed_names(std::string_view text, Authorization& into) {
  const bool has_upper =
      std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  std::string_view before;
  Parts names(text, ';');
  while (const auto name = names.next()) {
    if (has_upper || *name <= before)
      return incomplete("SignedHeaders must name each header once, in lower case and in order");
    before = *name;
  }
  into.signed_names = text;
  return ok();
}

Status read_date(std::string_view text, Authorization& into) {
  const auto time = parse_amz_date(text);
  if (!time) {
    return incomplete("Date must be in ISO-8601 'basic format', e.g. 20110909T233600Z, in the "
                      "header or query parameter X-Amz-Date");
  }
  into.date = text;
  into.signed_at = *time;
  return ok();
}

// "AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...", in any order.
Status read_header(std::string_view text, Authorization& into) {
  if (text.substr(0, kAlgorithmName.size()) != kAlgorithmName) {
    return incomplete("Authorization header requires the algorithm AWS4-HMAC-SHA256");
  }
  constexpr std::array<std::string_view, 3> kNames = {"Credential", "SignedHeaders", "Signature"};
  std::array<std::optional<std::string_view>, kNames.size()> found;
  std::size_t count = 0;
  Parts parts(text.substr(kAlgorithmName.size()), ',');
  while (const auto part = parts.next()) {
    const std::string_view pair = trimmed(*part);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      return incomplete("Authorization header holds a part that is not a key=value pair");
    }
    ++count;
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (pair.substr(0, equals) == kNames[i]) found[i] = pair.substr(equals + 1);
  }
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (!found[i] || count != kNames.size()) {
      return incomplete("Authorization header requires '" + std::string(kNames[i]) +
                        "' parameter, once");
    }
  }
  RETURN_IF_ERROR(read_credential(*found[0], into));
  into.signature = *found[2];
  return read_signed_names(*found[1], into);
}

Status read_presigned(Authorization& into) {
  for (const std::string name : {"X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires",
                                 "X-Amz-SignedHeaders", "X-Amz-Signature"}) {
    const auto count = std::count_if(into.query.begin(), into.query.end(),
                                     [&](const auto& pair) { return pair.first == name; });
    if (count != 1) return incomplete("The query requires '" + name + "', once");
  }
  if (*value_of(into.query, "X-Amz-Algorithm") != kAlgorithmName) {
    return incomplete("X-Amz-Algorithm must be AWS4-HMAC-SHA256");
  }
  const auto valid = number(*value_of(into.query, "X-Amz-Expires"));
  if (!valid || std::chrono::seconds(*valid) > kLongestPresign) {
    return incomplete("X-Amz-Expires must be a number of seconds of at most a week");
  }
  into.valid = std::chrono::seconds(*valid);
  into.signature = *value_of(into.query, "X-Amz-Signature");
  std::erase_if(into.query, [](const auto& pair) { return pair.first == "X-Amz-Signature"; });
  if (const auto* token = value_of(into.query, "X-Amz-Security-Token")) {
    into.security_token = *token;
  }
  RETURN_IF_ERROR(read_credential(*value_of(into.query, "X-Amz-Credential"), into));
  RETURN_IF_ERROR(read_signed_names(*value_of(into.query, "X-Amz-SignedHeaders"), into));
  return read_date(*value_of(into.query, "X-Amz-Date"), into);
}

}  // namespace

Result<Authorization> read_authorization(const Request& request) {
  Authorization read;
  read.query = query_pairs(request.query);
  const auto header = request.headers.find("Authorization");
  if (value_of(read.query, "X-Amz-Algorithm") != nullptr) {
    if (header) return incomplete("Only one of header and query may hold a signature");
    read.form = Form::kPresigned;
    RETURN_IF_ERROR(read_presigned(read));
    return read;
  }
  if (!header) {
    return failure(ErrorCode::kPermissionDenied,
                   "MissingAuthenticationToken: Missing Authentication Token");
  }
  const auto& all = request.headers.all();
  if (std::count_if(all.begin(), all.end(), [](const Header& one) {
        return same_name(one.name, "Authorization");
      }) != 1) {
    return incomplete("There may be one Authorization header");
  }
  RETURN_IF_ERROR(read_header(*header, read));
  RETURN_IF_ERROR(read_date(request.headers.find("X-Amz-Date").value_or(""), read));
  read.security_token = request.headers.find("X-Amz-Security-Token").value_or("");
  return read;
}

}  // namespace evener::http
