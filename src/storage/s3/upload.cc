#include "storage/s3/upload.h"

#include <algorithm>
#include <cstring>

#include "storage/s3/checksum.h"
#include "storage/s3/download.h"
#include "storage/s3/encoding.h"
#include "storage/s3/multipart.h"

namespace evener::storage {
namespace {

// The first part is kept here until it is known whether a second follows.
class ObjectWriting final : public os::WritableFile {
 public:
  ObjectWriting(Requests& requests, PartMemory& memory, Uri object, IfThere if_there)
      : requests_(requests), memory_(memory), object_(std::move(object)), if_there_(if_there) {}
  ObjectWriting(const ObjectWriting&) = delete;
  ObjectWriting& operator=(const ObjectWriting&) = delete;
  ~ObjectWriting() override { drop_buffer(); }

  Status append(std::span<const std::byte> bytes) override {
    if (closed_) return failure(ErrorCode::kIo, "write " + to_string(object_) + ": it is closed");
    while (!bytes.empty()) {
      if (failed_) return tl::unexpected<Error>(*failed_);
      Status ready = make_room(bytes.size());
      if (!ready) {
        failed_ = ready.error();
        return ready;
      }
      const std::size_t count = std::min(bytes.size(), limit_ - bytes_.size());
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
      bytes = bytes.subspan(count);
    }
    return ok();
  }

  Status write_at(std::uint64_t, std::span<const std::byte>) override {
    return failure(ErrorCode::kUnsupported, to_string(object_) + ": objects are written in order");
  }

  Status sync() override { return ok(); }

  Status close() override {
    if (closed_) return ok();
    closed_ = true;
    if (failed_) return tl::unexpected<Error>(*failed_);
    if (!upload_) {
      Status put = put_at_once();
      drop_buffer();
      return put;
    }
    Status ended = hand_over();
    if (ended) ended = upload_->complete(if_there_);
    upload_.reset();
    return ended;
  }

 private:
  // Afterwards at least one byte fits.
  Status make_room(std::size_t wanted) {
    if (bytes_.size() < limit_ &&
        (taken_ > 0 || bytes_.size() + wanted <= kSmallObjectBytes)) {
      return ok();
    }
    if (taken_ == 0) {
      take_buffer(1);
      return ok();
    }
    if (!upload_) {
      auto begun = MultipartUpload::begin(requests_, memory_, object_);
      if (!begun) return tl::unexpected(std::move(begun.error()));
      upload_ = std::move(*begun);
    }
    RETURN_IF_ERROR(hand_over());
    take_buffer(upload_->next_number());
    return ok();
  }

  Status hand_over() {
    taken_ = 0;
    return upload_->add(std::exchange(bytes_, {}));
  }

  void take_buffer(std::size_t part_number) {
    taken_ = part_bytes(part_number);
    limit_ = taken_;
    auto buffer = memory_.take(taken_);
    buffer.insert(buffer.end(), bytes_.begin(), bytes_.end());
    bytes_ = std::move(buffer);
  }

  void drop_buffer() {
    if (taken_ > 0) memory_.give_back(std::move(bytes_), taken_);
    taken_ = 0;
    bytes_ = {};
  }

  Status put_at_once() {
    S3Request put{.method = "PUT", .bucket = object_.bucket, .key = object_.key};
    put.headers.set("x-amz-checksum-crc32", base64_of_crc(crc32(0, bytes_)));
    if (if_there_ == IfThere::kRefuse) put.headers.set("If-None-Match", "*");
    put.source = {.length = bytes_.size(),
                  .read = [this](std::uint64_t offset, std::span<std::byte> buffer) {
                    // An empty object has no bytes to point at.
                    if (!buffer.empty())
                      std::memcpy(buffer.data(), bytes_.data() + offset, buffer.size());
                    return ok();
                  }};
    int tries = 0;
    auto answer = requests_.send(put, tries);
    if (answer) return ok();
    // The answer to an earlier try may be what was lost: then the object is ours.
    if (tries > 1 && answer.error().code == ErrorCode::kAlreadyExists) {
      const auto facts = look_up(requests_, object_, {});
      if (facts && facts->etag.find(md5_hex(bytes_)) != std::string::npos) return ok();
    }
    return tl::unexpected(std::move(answer.error()));
  }

  Requests& requests_;
  PartMemory& memory_;
  const Uri object_;
  const IfThere if_there_;
  std::vector<std::byte> bytes_;
  std::size_t limit_ = kSmallObjectBytes;      // of bytes_
  std::size_t taken_ = 0;                      // of the store's memory
  std::unique_ptr<MultipartUpload> upload_;
  std::optional<Error> failed_;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<os::WritableFile> write_object(Requests& requests, PartMemory& memory,
                                               const Uri& object, IfThere if_there) {
  return std::make_unique<ObjectWriting>(requests, memory, object, if_there);
}

}  // namespace evener::storage
