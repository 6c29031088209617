#include "control_plane/front/front.h"

#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "control_plane/front/origin.h"
#include "http/sigv4/sigv4.h"

namespace evener::control_plane {
namespace {

std::vector<http::AccessKey> access_keys(const std::vector<Key>& keys) {
  std::vector<http::AccessKey> all;
  all.reserve(keys.size());
  for (const Key& key : keys) all.push_back({.id = key.id, .secret = key.secret});
  return all;
}

// Names of requests, in the form of a UUID: no two of a server's are the same, and those of two
// servers are not, since each begins at a number of chance. They are no secret.
class RequestIds {
 public:
  explicit RequestIds(Random& random) : high_(random.next()), low_(random.next()) {}

  std::string next() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::uint64_t number = count_.fetch_add(1, std::memory_order_relaxed);
    std::string id = "00000000-0000-0000-0000-000000000000";
    std::uint64_t bits = scattered(high_ + number);
    int left = 16;
    for (char& c : id) {
      if (c == '-') continue;
      if (left-- == 0) bits = scattered(low_ + number);
      c = kDigits[bits & 15];
      bits >>= 4;
    }
    return id;
  }

 private:
  // Another number for each; the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
  static std::uint64_t scattered(std::uint64_t number) {
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
  }

  const std::uint64_t high_;
  const std::uint64_t low_;
  std::atomic<std::uint64_t> count_{0};
};

class Front {
 public:
  Front(FrontOptions options, std::vector<Operation> operations, const Clock& clock, Random& random)
      : options_(std::move(options)), verifier_(access_keys(options_.keys)), clock_(clock),
        ids_(random) {
    for (const Key& key : options_.keys) roles_[key.id] = key.role;
    for (Operation& operation : operations) {
      std::string name = key_of(operation.service, operation.name);
      operations_.emplace(std::move(name), std::move(operation));
    }
  }

  void take(const http::Request& request, http::Reply reply) {
    const std::string id = ids_.next();
    wire::Call call = wire::recognize(request);
    if (Status status = check_origin(request, options_); !status)
      return reply(with_status(wire::refusal(call, status.error(), id), 403));
    auto caller = verify(call, request);
    if (!caller) return reply(wire::refusal(call, caller.error(), id));
    const auto operation = choose(call);
    if (!operation) return reply(wire::refusal(call, operation.error(), id));
    if (Status status = permit(*caller, **operation); !status)
      return reply(wire::refusal(call, status.error(), id));
    const auto input = wire::read_input(call, request);
    if (!input) return reply(wire::refusal(call, input.error(), id));
    (*operation)->run(*input, *caller, [call = std::move(call), id, reply = std::move(reply)](Result<wire::Output> output) {
      if (!output) log_failure(call, id, output.error());
      reply(output ? wire::answer(call, std::move(*output), id) : wire::refusal(call, output.error(), id));
    });
  }

 private:
  static std::string key_of(wire::Service service, std::string_view operation) {
    return std::string(to_string(service)) + ":" + std::string(operation);
  }

  static http::Response with_status(http::Response response, int status) {
    response.status = status;
    return response;
  }

  // A failure of ours, not of the request.
  static void log_failure(const wire::Call& call, const std::string& id, const Error& error) {
    if (error.code != ErrorCode::kCorrupt && error.code != ErrorCode::kIo &&
        error.code != ErrorCode::kInternal && error.code != ErrorCode::kNoSpace)
      return;
    log_line(LogLevel::kError, "server", "a request failed",
             {{"operation", call.operation}, {"request", id}, {"error", error.message}});
  }

  Result<Caller> verify(const wire::Call& call, const http::Request& request) const {
    if (options_.signatures == Signatures::kIgnored) return Caller{"", options_.region};
    if (!request.headers.find("authorization"))   // presigned forms are S3's
      return failure(ErrorCode::kPermissionDenied,
                     "MissingAuthenticationTokenException: Request is missing Authentication Token");
    const auto verified = verifier_.verify(request, clock_.wall_now());
    if (!verified) return tl::unexpected<Error>(verified.error());
    if (call.service && verified->service != to_string(*call.service))
      return failure(ErrorCode::kPermissionDenied,
                     "InvalidSignatureException: Credential should be scoped to correct service: '" +
                         std::string(to_string(*call.service)) + "'.");
    return Caller{verified->access_key_id, verified->region};
  }

  Result<const Operation*> choose(const wire::Call& call) const {
    if (call.protocol == wire::Protocol::kNone)
      return failure(ErrorCode::kUnsupported,
                     "UnknownOperationException: this is Evener's control plane; it has no objects "
                     "and no pages. S3 has an address of its own (AWS_ENDPOINT_URL_S3).");
    const auto found = call.service ? operations_.find(key_of(*call.service, call.operation))
                                    : operations_.end();
    if (found != operations_.end()) return &found->second;
    if (call.protocol != wire::Protocol::kQuery)
      return failure(ErrorCode::kUnsupported, "UnknownOperationException: Evener has no operation " +
                                                  (call.operation.empty() ? "of that name"
                                                                          : call.operation));
    return failure(ErrorCode::kUnsupported, "UnknownOperationException: Could not find operation " +
                                                call.operation + " for version " +
                                                (call.service ? call.version : "NO_VERSION"));
  }

  Status permit(const Caller& caller, const Operation& operation) const {
    if (options_.signatures == Signatures::kIgnored || operation.access == Access::kRead) return ok();
    const auto role = roles_.find(caller.access_key_id);
    if (role != roles_.end() && role->second == Role::kFull) return ok();
    return failure(ErrorCode::kPermissionDenied,
                   "AccessDeniedException: the access key " + caller.access_key_id +
                       " is read-only and may not perform " + operation.name);
  }

  const FrontOptions options_;
  const http::Verifier verifier_;
  const Clock& clock_;
  RequestIds ids_;
  std::unordered_map<std::string, Role> roles_;
  std::unordered_map<std::string, Operation> operations_;
};

}  // namespace

http::OnRequest make_front(FrontOptions options, std::vector<Operation> operations,
                         const Clock& clock, Random& random) {
  auto front = std::make_shared<Front>(std::move(options), std::move(operations), clock, random);
  return [front](const http::Request& request, http::Reply reply) {
    front->take(request, std::move(reply));
  };
}

}  // namespace evener::control_plane
