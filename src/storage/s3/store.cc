#include <algorithm>

#include "storage/s3/download.h"
#include "storage/s3/listing.h"
#include "storage/s3/part_memory.h"
#include "storage/s3/reading.h"
#include "storage/s3/s3.h"
#include "storage/s3/upload.h"
#include "storage/s3/xml.h"

namespace evener::storage {
namespace {

constexpr std::string_view kFirstRegion = "us-east-1";   // its buckets name no location

Status check_bucket(const Uri& uri) {
  if (uri.scheme == "s3" && !uri.bucket.empty()) return ok();
  return failure(ErrorCode::kInvalidArgument, to_string(uri) + " is not in an S3 bucket");
}

Status check_object(const Uri& uri) {
  RETURN_IF_ERROR(check_bucket(uri));
  if (!uri.key.empty() && !uri.key.ends_with('/')) return ok();
  return failure(ErrorCode::kInvalidArgument, to_string(uri) + " names a folder, not an object");
}

class S3StoreOverHttp final : public S3Store {
 public:
  S3StoreOverHttp(S3Options options, S3Parts parts)
      : requests_(std::move(options), std::move(parts)), memory_(kPartMemoryBytes) {}

  Result<std::vector<StoredObject>> list(const Uri& prefix) override {
    RETURN_IF_ERROR(check_bucket(prefix));
    return list_objects(requests_, prefix);
  }

  Result<std::unique_ptr<os::ReadableFile>> open(const Uri& object) override {
    RETURN_IF_ERROR(check_object(object));
    return open_object(requests_, object);
  }

  Status read_listed(const Uri& object, const Listed& listed, std::uint64_t offset,
                     std::span<std::byte> buffer) override {
    RETURN_IF_ERROR(check_object(object));
    if (offset > listed.size || buffer.size() > listed.size - offset)
      return failure(ErrorCode::kInvalidArgument, to_string(object) + " has no such bytes");
    std::size_t filled = 0;
    const auto sink = [&](std::span<const std::byte> bytes) {
      std::ranges::copy(bytes, buffer.begin() + static_cast<std::ptrdiff_t>(filled));
      filled += bytes.size();
      return ok();
    };
    return read_range(requests_, object,
                      {.first = offset, .length = buffer.size(), .etag = std::string(listed.version)},
                      sink, {});
  }

  Result<std::unique_ptr<os::WritableFile>> create(const Uri& object) override {
    RETURN_IF_ERROR(check_object(object));
    return write_object(requests_, memory_, object, IfThere::kReplace);
  }

  Result<std::unique_ptr<os::WritableFile>> create_new(const Uri& object) override {
    RETURN_IF_ERROR(check_object(object));
    return write_object(requests_, memory_, object, IfThere::kRefuse);
  }

  Status fetch(const Uri& object, os::FileSystem& files, const os::fs::path& target,
               const FetchOptions& options) override {
    RETURN_IF_ERROR(check_object(object));
    return fetch_object(requests_, object, files, target, options);
  }

  Status remove(const Uri& object) override {
    RETURN_IF_ERROR(check_object(object));
    auto answer = requests_.send({.method = "DELETE", .bucket = object.bucket, .key = object.key});
    if (answer || answer.error().code == ErrorCode::kNotFound) return ok();
    return tl::unexpected(std::move(answer.error()));
  }

  std::optional<os::fs::path> local_folder(const Uri&) override { return std::nullopt; }

  Result<std::string> presigned_get(const Uri& object, std::chrono::seconds valid) override {
    RETURN_IF_ERROR(check_object(object));
    return requests_.presign(object.bucket, object.key, valid);
  }

  Status make_bucket(const std::string& bucket) override {
    auto access = requests_.access();
    if (!access) return tl::unexpected(std::move(access.error()));
    S3Request put{.method = "PUT", .bucket = bucket};
    if (access->region != kFirstRegion) put.body = bucket_text(access->region);
    auto answer = requests_.send(put);
    if (answer) return ok();
    if (answer.error().code != ErrorCode::kAlreadyExists)
      return tl::unexpected(std::move(answer.error()));
    // It is there; whether it is ours, a look into it tells.
    S3Request look{.bucket = bucket};
    look.query = {{"list-type", "2"}, {"max-keys", "1"}};
    auto seen = requests_.send(look);
    return seen ? ok() : Status(tl::unexpected(std::move(seen.error())));
  }

 private:
  Requests requests_;
  PartMemory memory_;
};

}  // namespace

std::unique_ptr<S3Store> make_s3_store(S3Options options, S3Parts parts) {
  return std::make_unique<S3StoreOverHttp>(std::move(options), std::move(parts));
}

}  // namespace evener::storage
