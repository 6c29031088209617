#include "storage/s3/reading.h"

#include <algorithm>
#include <cstring>

namespace evener::storage {
namespace {

class ObjectReading final : public os::ReadableFile {
 public:
  ObjectReading(Requests& requests, Uri object, ObjectFacts facts)
      : requests_(requests), object_(std::move(object)), facts_(std::move(facts)) {}

  Result<os::FileStat> stat() const override {
    os::FileStat stat;
    stat.size = facts_.size;
    stat.allocated = facts_.size;
    stat.mode = 0644;
    return stat;
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> buffer) const override {
    if (offset >= facts_.size || buffer.empty()) return std::size_t{0};
    MutexLock lock(mutex_);
    if (offset < window_start_ || offset >= window_start_ + window_.size())
      RETURN_IF_ERROR(move_window(offset));
    const std::size_t begin = offset - window_start_;
    const std::size_t count = std::min(buffer.size(), window_.size() - begin);
    std::memcpy(buffer.data(), window_.data() + begin, count);
    return count;
  }

  Result<std::vector<os::Extent>> extents() const override {
    return std::vector<os::Extent>{{0, facts_.size}};
  }

 private:
  Status move_window(std::uint64_t offset) const {
    window_.clear();
    window_start_ = offset;
    const std::uint64_t length = std::min(kWindowBytes, facts_.size - offset);
    window_.reserve(length);
    const auto sink = [this](std::span<const std::byte> bytes) {
      window_.insert(window_.end(), bytes.begin(), bytes.end());
      return ok();
    };
    Status read = read_range(requests_, object_,
                             {.first = offset, .length = length, .etag = facts_.etag}, sink, {});
    if (!read) window_.clear();
    return read;
  }

  Requests& requests_;
  const Uri object_;
  const ObjectFacts facts_;
  mutable Mutex mutex_;
  mutable std::uint64_t window_start_ = 0;
  mutable std::vector<std::byte> window_;
};

}  // namespace

Result<std::unique_ptr<os::ReadableFile>> open_object(Requests& requests, const Uri& object) {
  auto facts = look_up(requests, object, {});
  if (!facts) return tl::unexpected(std::move(facts.error()));
  return std::make_unique<ObjectReading>(requests, object, std::move(*facts));
}

}  // namespace evener::storage
