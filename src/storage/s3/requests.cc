#include "storage/s3/requests.h"

#include <algorithm>

#include "storage/s3/xml.h"

namespace evener::storage {
namespace {

constexpr int kMostRedirects = 3;
constexpr std::uint64_t kExpectFromBytes = 1u << 20;    // a refusal is cheaper than the body
// A failure that goes away by the first repetition is nobody's business.
constexpr int kFailuresUntilTrouble = 2;

std::string query_text(Query query) {
  std::ranges::sort(query);
  std::string text;
  for (const auto& [name, value] : query) {
    if (!text.empty()) text += '&';
    text += http::percent_encode(name, http::Slash::kEncoded);
    text += "=" + http::percent_encode(value, http::Slash::kEncoded);
  }
  return text;
}

bool is_transient(int status) {
  return status == 500 || status == 502 || status == 503 || status == 504 || status == 429 ||
         status == 408;
}

bool is_transient(const std::string& code) {
  return code == "SlowDown" || code == "RequestTimeout" || code == "InternalError" ||
         code == "ServiceUnavailable" || code == "OperationAborted" ||
         code == "ConditionalRequestConflict" || code == "BadDigest" ||
         code == "XAmzContentChecksumMismatch";
}

// A part of a transfer that broke off, not a refusal.
bool is_transient(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kTimedOut ||
         code == ErrorCode::kCorrupt;
}

ErrorCode code_of(int status) {
  if (status == 404) return ErrorCode::kNotFound;
  if (status == 401 || status == 403) return ErrorCode::kPermissionDenied;
  if (status == 409 || status == 412) return ErrorCode::kAlreadyExists;
  if (status == 507) return ErrorCode::kNoSpace;
  if (is_transient(status)) return ErrorCode::kUnavailable;
  return ErrorCode::kInvalidArgument;
}

std::string refusal_text(const S3Refusal& refusal, int status) {
  if (refusal.code.empty()) return "HTTP " + std::to_string(status);
  return refusal.message.empty() ? refusal.code : refusal.code + ": " + refusal.message;
}

// A bucket itself is named without a slash after it.
std::string path_to(const Route& route, const std::string& key) {
  if (key.empty() && route.path_start.size() > 1) {
    return route.path_start.substr(0, route.path_start.size() - 1);
  }
  return route.path_start + http::percent_encode(key, http::Slash::kKept);
}

std::string header_of(const http::Response& response, std::string_view name) {
  return std::string(response.headers.find(name).value_or(""));
}

}  // namespace

std::string place_of(const S3Request& request) {
  return request.method + " " + to_string(Uri{"s3", request.bucket, request.key});
}

Requests::Requests(S3Options options, S3Parts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      slots_(static_cast<std::ptrdiff_t>(std::max<std::size_t>(options_.connections, 1))) {}

Result<S3Access> Requests::access() {
  {
    MutexLock lock(mutex_);
    if (access_) return *access_;
  }
  auto fresh = options_.access();
  if (!fresh) return fresh;
  MutexLock lock(mutex_);
  access_ = *fresh;
  return fresh;
}

Result<Route> Requests::route(const std::string& bucket) {
  auto known = access();
  if (!known) return tl::unexpected(std::move(known.error()));
  {
    MutexLock lock(mutex_);
    if (const auto moved = moved_.find(bucket); moved != moved_.end()) return moved->second;
  }
  return route_to(*known, bucket, known->region);
}

http::Exchange Requests::exchange_of(const S3Request& request, const Route& route,
                                     const S3Access& access, const std::stop_token& stop) {
  http::Exchange exchange;
  exchange.origin = route.origin;
  exchange.request.method = request.method;
  exchange.request.path = path_to(route, request.key);
  exchange.request.query = query_text(request.query);
  exchange.request.headers = request.headers;
  exchange.request.headers.set("Host", route.host);
  exchange.request.body = request.body;
  exchange.source = request.source;
  exchange.on_headers = request.on_headers;
  exchange.sink = request.sink;
  exchange.stop = stop;
  const bool streamed = static_cast<bool>(request.source.read);
  if (streamed && request.source.length >= kExpectFromBytes) exchange.expect = http::Expect::kContinue;
  if (access.key.id.empty()) return exchange;
  const std::string hash =
      streamed ? std::string(http::kUnsignedPayload) : http::sha256_hex(request.body);
  http::sign(exchange.request, access.key, {.region = route.region, .service = "s3"}, hash,
             parts_.clock.wall_now());
  return exchange;
}

std::optional<Route> Requests::redirect(const S3Request& request, const Route& route,
                                        const http::Response& response) {
  const S3Refusal refusal = parse_refusal(response.body);
  std::string region = header_of(response, "x-amz-bucket-region");
  if (region.empty()) region = refusal.region;
  std::optional<Route> target;
  if (response.status == 301 || response.status == 307 || response.status == 308) {
    target = redirected(route, request.bucket, header_of(response, "Location"), refusal.endpoint);
    if (!target && !region.empty()) {
      const auto known = access();
      if (known && known->endpoint.empty()) {
        if (auto other = route_to(*known, request.bucket, region)) target = std::move(*other);
      }
    }
  } else if ((response.status == 400 || response.status == 403) && !region.empty() &&
             region != route.region) {
    target = route;      // signed for the wrong region
  }
  if (!target) return std::nullopt;
  if (!region.empty()) target->region = region;
  if (response.status != 307) {
    MutexLock lock(mutex_);
    moved_.insert_or_assign(request.bucket, *target);
  }
  return target;
}

Requests::Reply Requests::judge(const S3Request& request, const Route& route,
                                Result<http::Response> answer) {
  if (!answer) {
    const bool again = is_transient(answer.error().code);
    return {.tried = {.answer = std::move(answer), .again = again}, .elsewhere = {}};
  }
  if (answer->status >= 200 && answer->status < 300) {
    return {.tried = {.answer = std::move(answer)}, .elsewhere = {}};
  }
  auto elsewhere = redirect(request, route, *answer);
  const S3Refusal refusal = parse_refusal(answer->body);
  const int status = answer->status;
  Tried tried{.answer = failure(code_of(status), place_of(request) + ": " +
                                                     refusal_text(refusal, status))};
  tried.again = is_transient(status) || is_transient(refusal.code);
  if (status == 429 || refusal.code == "SlowDown") tried.pace = Pace::kSlowDown;
  return {.tried = std::move(tried), .elsewhere = std::move(elsewhere)};
}

Tried Requests::try_once(const S3Request& request) {
  auto known = access();
  if (!known) {
    // But for an access that cannot be: the file may be written later, or anew.
    const bool again = known.error().code != ErrorCode::kInvalidArgument;
    return {.answer = tl::unexpected(std::move(known.error())), .again = again};
  }
  auto first = route(request.bucket);
  if (!first) return {.answer = tl::unexpected(std::move(first.error()))};
  Route target = std::move(*first);
  const EitherStop either(request.stop, options_.stop);
  for (int redirects = 0;; ++redirects) {
    const http::Exchange exchange = exchange_of(request, target, *known, either.token());
    slots_.acquire();
    auto answer = parts_.client.send(exchange);
    slots_.release();
    Reply reply = judge(request, target, std::move(answer));
    if (!reply.elsewhere) return std::move(reply.tried);
    if (redirects == kMostRedirects) {
      return {.answer = failure(ErrorCode::kUnavailable, place_of(request) +
                                                             ": redirected too often")};
    }
    target = std::move(*reply.elsewhere);
  }
}

bool Requests::wait(Patience& patience, const Tried& tried, const std::stop_token& stop) {
  const EitherStop either(stop, options_.stop);
  if (!tried.again || either.token().stop_requested()) return false;
  const auto delay = patience.failed(tried.pace, parts_.random.next());
  if (!delay) return false;
  if (patience.failures() >= kFailuresUntilTrouble) say_trouble(tried.answer.error().message);
  if (!parts_.pause(*delay, either.token())) return false;
  MutexLock lock(mutex_);
  access_.reset();
  moved_.clear();
  return true;
}

void Requests::say_trouble(const std::string& why) {
  {
    MutexLock lock(mutex_);
    if (in_trouble_) return;
    in_trouble_ = true;
  }
  if (options_.trouble) options_.trouble(why);
}

void Requests::succeeded() {
  {
    MutexLock lock(mutex_);
    if (!in_trouble_) return;
    in_trouble_ = false;
  }
  if (options_.trouble) options_.trouble("");
}

Result<http::Response> Requests::send(const S3Request& request) {
  int tries = 0;
  return send(request, tries);
}

Result<http::Response> Requests::send(const S3Request& request, int& tries) {
  Patience left = patience();
  while (true) {
    Tried tried = try_once(request);
    ++tries;
    if (tried.answer) succeeded();
    if (tried.answer || !wait(left, tried, request.stop)) {
      if (!tried.answer && stopped(request.stop))
        return failure(ErrorCode::kCancelled, place_of(request) + ": stopped on request");
      return std::move(tried.answer);
    }
  }
}

Result<std::string> Requests::presign(const std::string& bucket, const std::string& key,
                                      std::chrono::seconds valid) {
  auto known = access();
  if (!known) return tl::unexpected(std::move(known.error()));
  auto target = route(bucket);
  if (!target) return tl::unexpected(std::move(target.error()));
  http::Request request;
  request.path = path_to(*target, key);
  request.headers.set("Host", target->host);
  const std::string query = http::presign(request, known->key,
                                          {.region = target->region, .service = "s3"},
                                          parts_.clock.wall_now(), valid);
  return target->origin + request.path + "?" + query;
}

}  // namespace evener::storage
