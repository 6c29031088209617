#include "storage/s3/fake_s3_test.h"

#include <algorithm>

#include "storage/s3/checksum.h"
#include "storage/s3/encoding.h"
#include "storage/s3/orphans.h"

namespace evener::storage {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string header(const http::Request& request, std::string_view name) {
  return std::string(request.headers.find(name).value_or(""));
}

std::map<std::string, std::string> query_of(const std::string& text) {
  std::map<std::string, std::string> query;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('&', at), text.size());
    const std::string pair = text.substr(at, end - at);
    const auto equals = pair.find('=');
    query[uri_decode(pair.substr(0, equals)).value()] =
        equals == std::string::npos ? "" : uri_decode(pair.substr(equals + 1)).value();
    at = end + 1;
  }
  return query;
}

std::string element(const std::string& name, const std::string& text) {
  return "<" + name + ">" + text + "</" + name + ">";
}

http::Response ok_answer(std::string body = "") {
  return {.status = 200, .headers = {}, .body = std::move(body)};
}

std::string body_of(const http::Exchange& exchange) {
  if (!exchange.source.read) return exchange.request.body;
  std::string body(exchange.source.length, '\0');
  (void)exchange.source.read(0, std::as_writable_bytes(std::span(body.data(), body.size())));
  return body;
}

}  // namespace

http::Response FakeS3::refusal(int status, const std::string& code) {
  return {.status = status,
          .headers = {},
          .body = "<?xml version=\"1.0\"?>" +
                  element("Error", element("Code", code) + element("Message", "as asked for"))};
}

Result<http::Response> FakeS3::deliver(const http::Exchange& exchange, http::Response response,
                                       const Fault& fault) {
  if (exchange.request.method == "HEAD") {
    if (exchange.on_headers) RETURN_IF_ERROR(exchange.on_headers(response));
    response.body.clear();
    return response;
  }
  if (!response.headers.find("Content-Length"))
    response.headers.set("Content-Length", std::to_string(response.body.size()));
  if (exchange.on_headers) RETURN_IF_ERROR(exchange.on_headers(response));
  if (fault.damaged && *fault.damaged < response.body.size())
    response.body[*fault.damaged] = static_cast<char>(response.body[*fault.damaged] ^ 1);
  if (!exchange.sink || response.status < 200 || response.status > 299) return response;
  constexpr std::size_t kPiece = 10'000;
  const std::size_t end = std::min(fault.cut_after.value_or(response.body.size()), response.body.size());
  for (std::size_t at = 0; at < end; at += kPiece) {
    if (exchange.stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped");
    const std::string piece = response.body.substr(at, std::min(kPiece, end - at));
    RETURN_IF_ERROR(exchange.sink(bytes_of(piece)));
  }
  if (fault.cut_after) return failure(ErrorCode::kCorrupt, "the connection broke");
  response.body.clear();
  return response;
}

Result<http::Response> FakeS3::send(const http::Exchange& exchange) {
  if (exchange.stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped");
  const Fault wanted = fault ? fault(exchange).value_or(Fault{}) : Fault{};
  {
    MutexLock lock(mutex_);
    log_.push_back(exchange.request.method + " " + exchange.request.path +
                   (exchange.request.query.empty() ? "" : "?" + exchange.request.query));
  }
  if (wanted.before) return tl::unexpected<Error>(*wanted.before);
  if (wanted.answer) return deliver(exchange, *wanted.answer, wanted);
  http::Response response = answer(exchange.request, body_of(exchange));
  if (wanted.after) return tl::unexpected<Error>(*wanted.after);
  return deliver(exchange, std::move(response), wanted);
}

std::optional<std::string> FakeS3::signed_region(const http::Request& request) const {
  // AWS4-HMAC-SHA256 Credential=AKIATEST/20261130/us-east-1/s3/aws4_request, ...
  const std::string authorization = header(request, "Authorization");
  const std::string date = header(request, "X-Amz-Date");
  std::vector<std::string> scope;
  for (std::size_t at = authorization.find('/'); at != std::string::npos && scope.size() < 3;) {
    const auto end = authorization.find('/', at + 1);
    scope.push_back(authorization.substr(at + 1, end - at - 1));
    at = end;
  }
  const auto time = date.size() < 15
                        ? std::nullopt
                        : parse_time(date.substr(0, 4) + "-" + date.substr(4, 2) + "-" +
                                     date.substr(6, 5) + ":" + date.substr(11, 2) + ":" +
                                     date.substr(13, 2));
  if (scope.size() < 3 || !time) return std::nullopt;
  http::Request again = request;
  again.headers = {};
  for (const http::Header& one : request.headers.all()) {
    const bool added = one.name == "Authorization" || one.name == "X-Amz-Date" ||
                       one.name == "X-Amz-Content-Sha256" || one.name == "X-Amz-Security-Token";
    if (!added) again.headers.add(one.name, one.value);
  }
  http::sign(again, key_, {.region = scope[1], .service = "s3"},
             header(request, "X-Amz-Content-Sha256"), *time);
  if (header(again, "Authorization") != authorization) return std::nullopt;
  return scope[1];
}

http::Response FakeS3::answer(const http::Request& request, const std::string& body) {
  MutexLock lock(mutex_);
  const auto signed_for = signed_region(request);
  if (!signed_for) return refusal(403, "SignatureDoesNotMatch");
  if (*signed_for != region) {
    http::Response wrong = refusal(400, "AuthorizationHeaderMalformed");
    wrong.headers.set("x-amz-bucket-region", region);
    return wrong;
  }
  const std::string name = uri_decode(std::string_view(request.path).substr(1)).value();
  const Query query = query_of(request.query);
  const bool bucket = name.find('/') == std::string::npos;
  if (bucket && request.method == "PUT") return ok_answer();
  if (bucket) return query.contains("uploads") ? list_uploads(name, query) : list(name, query);
  if (request.method == "GET" || request.method == "HEAD") return get(request, name);
  if (request.method == "PUT") return put_object(request, name, body, query);
  if (request.method == "POST" && query.contains("uploads")) {
    const std::string id = "upload-" + std::to_string(next_upload_++);
    uploads_[id] = {.key = name, .initiated = "2026-11-30T00:00:00.000Z", .parts = {}};
    return ok_answer(element("InitiateMultipartUploadResult", element("UploadId", id)));
  }
  if (request.method == "POST") return complete(request, name, query, body);
  if (query.contains("uploadId"))
    uploads_.erase(query.at("uploadId"));
  else
    objects_.erase(name);
  return {.status = 204, .headers = {}, .body = {}};
}

http::Response FakeS3::list(const std::string& bucket, Query query) {
  const std::string start = bucket + "/" + query["prefix"];
  std::string from = query.contains("continuation-token") ? query["continuation-token"] : start;
  std::string contents;
  std::size_t count = 0;
  std::string next;
  for (auto at = objects_.lower_bound(from); at != objects_.end(); ++at) {
    if (!at->first.starts_with(start)) break;
    if (count++ == page_size) {
      next = at->first;
      break;
    }
    const std::string key = at->first.substr(bucket.size() + 1);
    contents += element("Contents", element("Key", http::percent_encode(key, http::Slash::kKept)) +
                                        element("Size", std::to_string(at->second.bytes.size())) +
                                        element("ETag", at->second.etag));
  }
  return ok_answer(element(
      "ListBucketResult",
      element("EncodingType", "url") + contents +
          (next.empty() ? element("IsTruncated", "false")
                        : element("IsTruncated", "true") +
                              element("NextContinuationToken", http::percent_encode(next, http::Slash::kKept)))));
}

http::Response FakeS3::list_uploads(const std::string& bucket, Query query) {
  std::string found;
  for (const auto& [id, upload] : uploads_) {
    if (!upload.key.starts_with(bucket + "/" + query["prefix"])) continue;
    found += element("Upload", element("Key", upload.key.substr(bucket.size() + 1)) +
                                   element("UploadId", id) + element("Initiated", upload.initiated));
  }
  return ok_answer(element("ListMultipartUploadsResult", found));
}

http::Response FakeS3::get(const http::Request& request, const std::string& name) {
  const auto found = objects_.find(name);
  if (found == objects_.end()) return refusal(404, "NoSuchKey");
  const Object& object = found->second;
  const std::string wanted = header(request, "If-Match");
  if (!wanted.empty() && wanted != object.etag) return refusal(412, "PreconditionFailed");
  http::Response response = ok_answer(object.bytes);
  response.headers.set("ETag", object.etag);
  const std::string range = header(request, "Range");
  if (!range.empty()) {
    const auto dash = range.find('-');
    const std::size_t first = std::stoull(range.substr(6, dash - 6));
    if (first >= object.bytes.size()) return refusal(416, "InvalidRange");
    const std::size_t last = dash + 1 == range.size() ? object.bytes.size() - 1
                                                      : std::stoull(range.substr(dash + 1));
    response.status = 206;
    response.body = object.bytes.substr(first, last - first + 1);
    response.headers.set("Content-Range", "bytes " + std::to_string(first) + "-" +
                                              std::to_string(last) + "/" +
                                              std::to_string(object.bytes.size()));
  } else if (says_checksums && !header(request, "x-amz-checksum-mode").empty()) {
    response.headers.set("x-amz-checksum-crc32", object.crc32);
  }
  if (request.method == "HEAD")
    response.headers.set("Content-Length", std::to_string(object.bytes.size()));
  return response;
}

http::Response FakeS3::put_object(const http::Request& request, const std::string& name,
                                  const std::string& body, Query query) {
  const std::string crc = base64_of_crc(crc32(0, bytes_of(body)));
  const std::string sent = header(request, "x-amz-checksum-crc32");
  if (!sent.empty() && sent != crc) return refusal(400, "BadDigest");
  Object object{.bytes = body, .etag = "\"" + md5_hex(bytes_of(body)) + "\"", .crc32 = crc};
  http::Response response = ok_answer();
  response.headers.set("ETag", object.etag);
  if (query.contains("uploadId")) {
    const auto upload = uploads_.find(query["uploadId"]);
    if (upload == uploads_.end()) return refusal(404, "NoSuchUpload");
    upload->second.parts[std::stoi(query["partNumber"])] = std::move(object);
    return response;
  }
  if (header(request, "If-None-Match") == "*" && objects_.contains(name))
    return refusal(412, "PreconditionFailed");
  objects_[name] = std::move(object);
  return response;
}

http::Response FakeS3::complete(const http::Request& request, const std::string& name, Query query,
                                const std::string& body) {
  const auto upload = uploads_.find(query["uploadId"]);
  if (upload == uploads_.end()) return refusal(404, "NoSuchUpload");
  if (header(request, "If-None-Match") == "*" && objects_.contains(name))
    return refusal(412, "PreconditionFailed");
  Object object;
  std::string digests;
  for (const auto& [number, part] : upload->second.parts) {
    if (body.find("<PartNumber>" + std::to_string(number) + "<") == std::string::npos)
      return refusal(400, "InvalidPart");
    object.bytes += part.bytes;
    digests += from_hex(part.etag.substr(1, part.etag.size() - 2)).value();
  }
  object.etag = "\"" + md5_hex(bytes_of(digests)) + "-" +
                std::to_string(upload->second.parts.size()) + "\"";
  object.crc32 = base64_of_crc(crc32(0, bytes_of(object.bytes)));
  if (object.crc32 != header(request, "x-amz-checksum-crc32")) return refusal(400, "BadDigest");
  objects_[name] = std::move(object);
  uploads_.erase(upload);
  return ok_answer(element("CompleteMultipartUploadResult", ""));
}

void FakeS3::put(const std::string& bucket_and_key, std::string text) {
  MutexLock lock(mutex_);
  objects_[bucket_and_key] = {.bytes = text,
                              .etag = "\"" + md5_hex(bytes_of(text)) + "\"",
                              .crc32 = base64_of_crc(crc32(0, bytes_of(text)))};
}

std::optional<std::string> FakeS3::text(const std::string& bucket_and_key) {
  MutexLock lock(mutex_);
  const auto found = objects_.find(bucket_and_key);
  if (found == objects_.end()) return std::nullopt;
  return found->second.bytes;
}

std::size_t FakeS3::open_uploads() {
  MutexLock lock(mutex_);
  return uploads_.size();
}

std::vector<std::string> FakeS3::log() {
  MutexLock lock(mutex_);
  return log_;
}

void FakeS3::begin_upload(const std::string& bucket_and_key, const std::string& initiated) {
  MutexLock lock(mutex_);
  uploads_["upload-" + std::to_string(next_upload_++)] = {
      .key = bucket_and_key, .initiated = initiated, .parts = {}};
}

}  // namespace evener::storage
