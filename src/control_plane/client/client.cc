#include "control_plane/client/client.h"

#include <algorithm>
#include <array>
#include <utility>

namespace evener::control_plane {
namespace {

constexpr std::chrono::milliseconds kFirstDelay{200};
constexpr std::chrono::milliseconds kLongestDelay{5'000};
// Of one exchange: the longest that a server lets wait, and what a slow one needs.
constexpr std::chrono::milliseconds kTimeLimit{60'000};
// As much as the HTTP client keeps.
constexpr document::ReadLimits kAnswer{
    .bytes = 64u << 20, .values = 1'000'000, .nul = document::Nul::kTaken};

struct Meaning {
  std::string_view code;        // its beginning
  ErrorCode means;
};
constexpr std::array kMeanings{
    Meaning{"ResourceNotFound", ErrorCode::kNotFound},
    Meaning{"ResourceInUse", ErrorCode::kAlreadyExists},
    Meaning{"ResourceLimitExceeded", ErrorCode::kLimitExceeded},
    Meaning{"AccessDenied", ErrorCode::kPermissionDenied},
    Meaning{"UnrecognizedClient", ErrorCode::kPermissionDenied},
    Meaning{"InvalidSignature", ErrorCode::kPermissionDenied},
    Meaning{"IncompleteSignature", ErrorCode::kPermissionDenied},
    Meaning{"MissingAuthenticationToken", ErrorCode::kPermissionDenied},
    Meaning{"ExpiredToken", ErrorCode::kPermissionDenied},
    Meaning{"Throttling", ErrorCode::kUnavailable},
    Meaning{"ServiceUnavailable", ErrorCode::kUnavailable},
    Meaning{"UnknownOperation", ErrorCode::kUnsupported},
    Meaning{"ValidationException", ErrorCode::kInvalidArgument},
    Meaning{"SerializationException", ErrorCode::kInvalidArgument},
    Meaning{"ConflictException", ErrorCode::kInvalidArgument},
};

// Only what a control plane says has a request's id and a type.
Error error_of(const http::Response& response) {
  const auto body = document::read(response.body, kAnswer);
  const std::string_view type = body ? body->text_at("__type") : "";
  if (type.empty() || !response.headers.find("x-amzn-requestid")) {
    if (response.status >= 502 && response.status <= 504)
      return {ErrorCode::kUnavailable, "HTTP status " + std::to_string(response.status)};
    return {ErrorCode::kCorrupt,
            "HTTP status " + std::to_string(response.status) + " is no answer of a control plane"};
  }
  const std::string_view code = type.substr(type.rfind('#') + 1);   // npos + 1 == 0
  const std::string_view lower = body->text_at("message");
  const std::string text(lower.empty() ? body->text_at("Message") : lower);
  const auto meaning = std::ranges::find_if(
      kMeanings, [&](const Meaning& one) { return code.starts_with(one.code); });
  if (meaning != kMeanings.end()) return {meaning->means, text};
  return {ErrorCode::kInternal, std::string(code) + (text.empty() ? "" : ": " + text)};
}

bool may_pass(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kTimedOut;
}

std::string target_of(wire::Service service, std::string_view operation) {
  return (service == wire::Service::kEvener ? "Evener." : "SageMaker.") + std::string(operation);
}

}  // namespace

Result<std::string> server_url(std::string_view text) {
  const auto wrong = [&] {
    return failure(ErrorCode::kInvalidArgument,
                   "'" + std::string(text) +
                       "' is no address of a server; use http://HOST:PORT, as evener serve prints it");
  };
  const std::string_view scheme = text.starts_with("https://") ? "https://" : "http://";
  if (!text.starts_with(scheme)) return wrong();
  std::string_view host = text.substr(scheme.size());
  while (host.ends_with('/')) host.remove_suffix(1);
  if (host.empty() || host.find_first_of("/?#@ \t\r\n\\") != std::string_view::npos) return wrong();
  return std::string(scheme) + std::string(host);
}

Result<document::Value> ServerClient::ask_once(const http::Request& request,
                                               http::Resend resend) const {
  const auto response = http_.send({.origin = options_.url, .request = request, .resend = resend,
                                    .time_limit = kTimeLimit});
  if (!response && response.error().code == ErrorCode::kCorrupt)   // it broke off
    return failure(ErrorCode::kUnavailable, response.error().message);
  if (!response) return tl::unexpected<Error>(response.error());
  if (response->status != 200) return tl::unexpected<Error>(error_of(*response));
  auto value = document::read(response->body, kAnswer);
  if (!value || value->kind != document::Kind::kObject)
    return failure(ErrorCode::kCorrupt, "what answers is no control plane");
  return value;
}

Answered ServerClient::ask(wire::Service service, std::string_view operation,
                           const document::Value& input) const {
  http::Request request{.method = "POST", .body = document::write(input)};
  request.headers.set("Host", options_.url.substr(options_.url.find("://") + 3));
  request.headers.set("Content-Type", "application/x-amz-json-1.1");
  request.headers.set("X-Amz-Target", target_of(service, operation));
  const auto deadline = clock_.monotonic_now() + options_.patience;
  auto delay = kFirstDelay;
  bool repeated = false;
  // Of what is created `repeated` must tell the truth.
  const auto resend = operation.starts_with("Create") ? http::Resend::kNever : http::Resend::kUnseen;
  while (true) {
    http::Request signed_request = request;
    if (options_.key)
      http::sign(signed_request, *options_.key,
                 {.region = options_.region, .service = std::string(to_string(service))},
                 http::sha256_hex(request.body), clock_.wall_now());
    auto result = ask_once(signed_request, resend);
    const bool again = !result && may_pass(result.error()) && options_.pause &&
                       clock_.monotonic_now() + delay <= deadline;
    if (!again) {
      if (repeated && options_.trouble && (result || !may_pass(result.error()))) options_.trouble("");
      return {.result = std::move(result), .repeated = repeated};
    }
    if (!repeated && options_.trouble) options_.trouble(result.error().message);
    repeated = true;
    options_.pause(delay);
    delay = std::min(delay * 2, kLongestDelay);
  }
}

}  // namespace evener::control_plane
