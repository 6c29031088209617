#include "storage/s3/download.h"

#include <charconv>

namespace evener::storage {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

tl::unexpected<Error> changed(const Uri& object) {
  return failure(ErrorCode::kCorrupt, to_string(object) + " changed while it was read");
}

ObjectFacts facts_of(const http::Headers& headers) {
  return {.size = number(headers.find("Content-Length").value_or("")).value_or(0),
          .etag = std::string(headers.find("ETag").value_or("")),
          .checksum = promised_checksum(headers)};
}

// "bytes 100-199/1000" begins at 100.
bool begins_at(const http::Response& response, std::uint64_t offset) {
  if (response.status != 206) return offset == 0;
  std::string_view range = response.headers.find("Content-Range").value_or("");
  constexpr std::string_view kUnit = "bytes ";
  if (!range.starts_with(kUnit)) return false;
  range.remove_prefix(kUnit.size());
  return number(range.substr(0, range.find('-'))) == offset;
}

// Bytes of one object in order, over as many requests as it takes.
class Reading {
 public:
  Reading(Requests& requests, const Uri& object, const http::BodySink& sink,
          const std::stop_token& stop)
      : requests_(requests), object_(object), sink_(sink), stop_(stop) {}

  std::uint64_t first = 0;
  std::optional<std::uint64_t> length{};                    // unknown: to the end
  std::string etag{};
  std::function<void(const ObjectFacts&)> begin{};

  Status run() {
    Patience patience = requests_.patience();
    while (true) {
      const std::uint64_t before = received_;
      Tried tried = requests_.try_once(next_request());
      if (!sink_status_) return std::move(sink_status_);
      if (tried.answer) {
        requests_.succeeded();
        if (!length) return ok();
      }
      if (length && received_ == *length) return ok();
      if (tried.answer) {
        tried = {.answer = failure(ErrorCode::kCorrupt, to_string(object_) + ": a part is missing"),
                 .again = true};
      }
      if (tried.answer.error().code == ErrorCode::kAlreadyExists) return changed(object_);
      if (received_ > before) patience.progressed();
      if (!requests_.wait(patience, tried, stop_)) return tl::unexpected(give_up(tried));
    }
  }

 private:
  S3Request next_request() {
    S3Request request{.bucket = object_.bucket, .key = object_.key};
    request.stop = stop_;
    const std::uint64_t from = first + received_;
    if (from > 0 || length) {
      const std::string last = length ? std::to_string(first + *length - 1) : "";
      request.headers.set("Range", "bytes=" + std::to_string(from) + "-" + last);
    } else {
      request.headers.set("x-amz-checksum-mode", "ENABLED");
    }
    if (!etag.empty()) request.headers.set("If-Match", etag);
    request.on_headers = [this, from](const http::Response& response) {
      return take_headers(response, from);
    };
    request.sink = [this](std::span<const std::byte> bytes) { return take(bytes); };
    return request;
  }

  Status take_headers(const http::Response& response, std::uint64_t from) {
    if (response.status < 200 || response.status >= 300) return ok();
    if (!begins_at(response, from))
      return failure(ErrorCode::kInvalidArgument, "the server does not serve the range asked for");
    if (begun_) return ok();
    begun_ = true;
    const ObjectFacts facts = facts_of(response.headers);
    if (etag.empty()) etag = facts.etag;
    if (!length && response.headers.find("Content-Length")) length = facts.size;
    if (begin) begin(facts);
    return ok();
  }

  Status take(std::span<const std::byte> bytes) {
    if (length && received_ + bytes.size() > *length)
      return failure(ErrorCode::kCorrupt, "more came than was asked for");
    sink_status_ = sink_(bytes);
    received_ += bytes.size();
    return sink_status_;
  }

  Error give_up(const Tried& tried) const {
    if (requests_.stopped(stop_)) return {ErrorCode::kCancelled, "stopped on request"};
    return tried.answer.error();
  }

  Requests& requests_;
  const Uri& object_;
  const http::BodySink& sink_;
  const std::stop_token& stop_;
  std::uint64_t received_ = 0;
  bool begun_ = false;
  Status sink_status_;         // once the sink has refused
};

}  // namespace

Result<ObjectFacts> look_up(Requests& requests, const Uri& object, const std::stop_token& stop) {
  S3Request request{.method = "HEAD", .bucket = object.bucket, .key = object.key};
  request.headers.set("x-amz-checksum-mode", "ENABLED");
  request.stop = stop;
  auto answer = requests.send(request);
  if (!answer) return tl::unexpected(std::move(answer.error()));
  if (!answer->headers.find("Content-Length"))
    return failure(ErrorCode::kCorrupt, place_of(request) + ": the answer has no length");
  return facts_of(answer->headers);
}

Status read_range(Requests& requests, const Uri& object, const RangeOrder& range,
                  const http::BodySink& sink, const std::stop_token& stop) {
  if (range.length == 0) return ok();
  Reading reading(requests, object, sink, stop);
  reading.first = range.first;
  reading.length = range.length;
  reading.etag = range.etag;
  return reading.run();
}

Status read_whole(Requests& requests, const Uri& object,
                  const std::function<void(const ObjectFacts&)>& begin, const http::BodySink& sink,
                  const std::stop_token& stop) {
  Reading reading(requests, object, sink, stop);
  reading.begin = begin;
  return reading.run();
}

}  // namespace evener::storage
