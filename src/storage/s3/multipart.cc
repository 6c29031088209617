#include "storage/s3/multipart.h"

#include <algorithm>
#include <cstring>

#include "storage/s3/checksum.h"
#include "storage/s3/download.h"
#include "storage/s3/encoding.h"
#include "storage/s3/orphans.h"

namespace evener::storage {
namespace {

constexpr std::size_t kPartsUntilGrowth = 2'000;

std::string plain_etag(std::string_view etag) {
  if (etag.size() > 1 && etag.starts_with('"') && etag.ends_with('"'))
    etag = etag.substr(1, etag.size() - 2);
  return std::string(etag);
}

}  // namespace

std::size_t part_bytes(std::size_t part_number) {
  const auto first = static_cast<std::size_t>(kPartBytes);
  if (part_number <= kPartsUntilGrowth) return first;
  return part_number <= 2 * kPartsUntilGrowth ? 2 * first : 3 * first;
}

Result<std::unique_ptr<MultipartUpload>> MultipartUpload::begin(Requests& requests,
                                                                PartMemory& memory,
                                                                const Uri& object) {
  remove_orphans(requests, object, requests.clock().wall_now() - kOrphanAge);
  S3Request request{.method = "POST", .bucket = object.bucket, .key = object.key};
  request.query = {{"uploads", ""}};
  request.headers = {{"x-amz-checksum-algorithm", "CRC32"},
                     {"x-amz-checksum-type", "FULL_OBJECT"}};
  auto answer = requests.send(request);
  if (!answer) return tl::unexpected(std::move(answer.error()));
  auto id = parse_upload_id(answer->body);
  if (!id) return failure_in(place_of(request), std::move(id.error()));
  return std::unique_ptr<MultipartUpload>(
      new MultipartUpload(requests, memory, object, std::move(*id)));
}

MultipartUpload::~MultipartUpload() {
  if (!completed_) stop_.request_stop();
  end_threads();
  if (completed_) return;
  // Once: a server that is away would hold us, and the next upload of this object tries again.
  (void)requests_.try_once(request("DELETE"));
}

S3Request MultipartUpload::request(std::string method) const {
  S3Request request{.method = std::move(method), .bucket = object_.bucket, .key = object_.key};
  request.query = {{"uploadId", id_}};
  return request;
}

Status MultipartUpload::add(std::vector<std::byte> bytes) {
  if (added_ == kMostParts) {
    memory_.give_back(std::move(bytes), part_bytes(added_ + 1));
    return failure(ErrorCode::kLimitExceeded, to_string(object_) + ": too large to be streamed");
  }
  bool thread_wanted = false;
  {
    MutexLock lock(mutex_);
    if (error_) {
      memory_.give_back(std::move(bytes), part_bytes(added_ + 1));
      return tl::unexpected<Error>(*error_);
    }
    waiting_.push_back({.number = ++added_, .bytes = std::move(bytes)});
    thread_wanted = waiting_.size() > idle_ && threads_.size() < kPartSenders;
  }
  if (thread_wanted) threads_.emplace_back([this] { send_parts(); });
  changed_.notify_all();
  return ok();
}

void MultipartUpload::send_parts() {
  while (true) {
    Part part;
    {
      MutexLock lock(mutex_);
      ++idle_;
      changed_.wait(mutex_, [&] { return closing_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) return;
      part = std::move(waiting_.front());
      waiting_.pop_front();
    }
    auto sent = send(part);
    memory_.give_back(std::move(part.bytes), part_bytes(part.number));
    MutexLock lock(mutex_);
    if (!sent) {
      if (!error_) error_ = std::move(sent.error());
      stop_.request_stop();
      continue;
    }
    if (sent_.size() < part.number) sent_.resize(part.number);
    sent_[part.number - 1] = std::move(*sent);
  }
}

Result<MultipartUpload::Sent> MultipartUpload::send(const Part& part) {
  if (stop_.stop_requested()) return failure(ErrorCode::kCancelled, "the upload was given up");
  Sent sent{.answer = {}, .crc = crc32(0, part.bytes), .bytes = part.bytes.size()};
  sent.answer.crc32 = base64_of_crc(sent.crc);
  S3Request put = request("PUT");
  put.query.emplace_back("partNumber", std::to_string(part.number));
  put.headers.set("x-amz-checksum-crc32", sent.answer.crc32);
  put.source = {.length = part.bytes.size(),
                .read = [&](std::uint64_t offset, std::span<std::byte> buffer) {
                  std::memcpy(buffer.data(), part.bytes.data() + offset, buffer.size());
                  return ok();
                }};
  put.stop = stop_.get_token();
  auto answer = requests_.send(put);
  if (!answer) return tl::unexpected(std::move(answer.error()));
  sent.answer.etag = answer->headers.find("ETag").value_or("");
  if (sent.answer.etag.empty())
    return failure(ErrorCode::kCorrupt, place_of(put) + ": the answer has no ETag");
  return sent;
}

void MultipartUpload::end_threads() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

Status MultipartUpload::complete(IfThere if_there) {
  end_threads();
  {
    MutexLock lock(mutex_);
    if (error_) return tl::unexpected<Error>(*error_);
  }
  Status finished = finish(if_there);
  completed_ = finished.has_value();
  return finished;
}

std::uint32_t MultipartUpload::whole_crc() const {
  std::uint32_t whole = sent_.front().crc;
  for (std::size_t i = 1; i < sent_.size(); ++i)
    whole = join_crc32(whole, sent_[i].crc, sent_[i].bytes);
  return whole;
}

Status MultipartUpload::finish(IfThere if_there) {
  std::vector<UploadedPart> parts;
  for (const Sent& sent : sent_) parts.push_back(sent.answer);
  S3Request post = request("POST");
  post.body = complete_upload_text(parts);
  post.headers = {{"Content-Type", "application/xml"},
                  {"x-amz-checksum-type", "FULL_OBJECT"},
                  {"x-amz-checksum-crc32", base64_of_crc(whole_crc())}};
  if (if_there == IfThere::kRefuse) post.headers.set("If-None-Match", "*");
  Patience patience = requests_.patience();
  for (int tries = 1;; ++tries) {
    Tried tried = requests_.try_once(post);
    if (tried.answer) {
      // The server may say 200 before it knows, and then an error.
      const S3Refusal refusal = parse_refusal(tried.answer->body);
      if (refusal.code.empty()) return ok();
      tried = {.answer = failure(ErrorCode::kUnavailable, place_of(post) + ": " + refusal.code +
                                                              ": " + refusal.message),
               .again = true};
    }
    const ErrorCode code = tried.answer.error().code;
    // The answer to an earlier try may be what was lost.
    if (tries > 1 && (code == ErrorCode::kNotFound || code == ErrorCode::kAlreadyExists)) {
      const auto there = is_complete();
      if (there && *there) return ok();
    }
    if (!requests_.wait(patience, tried, {})) return tl::unexpected(std::move(tried.answer.error()));
  }
}

// Whether the object that is there now is this one: by the digest over the parts' digests.
Result<bool> MultipartUpload::is_complete() const {
  auto facts = look_up(requests_, object_, {});
  if (!facts) return tl::unexpected(std::move(facts.error()));
  std::string digests;
  for (const Sent& sent : sent_) digests += from_hex(plain_etag(sent.answer.etag)).value_or("");
  const std::string etag = md5_hex(std::as_bytes(std::span(digests))) + "-" +
                           std::to_string(sent_.size());
  return plain_etag(facts->etag) == etag;
}

}  // namespace evener::storage
