// Whole objects into files: small ones by one request, large ones by ranges at the same time.
#include <algorithm>
#include <atomic>
#include <thread>

#include "base/mutex.h"
#include "storage/s3/download.h"
#include "storage/s3/encoding.h"

namespace evener::storage {
namespace {

// How often an object is read anew that changed meanwhile or arrived damaged.
constexpr int kMostReadings = 3;
constexpr std::uint64_t kLargestRangeBytes = 64ull << 20;
constexpr std::uint64_t kRangesPerConnection = 4;    // so that the last one is not waited for long
constexpr std::size_t kPieceBytes = 512u << 10;
// Larger ones are no cheaper: the kernel then takes memory for the file in larger pieces, which are
// colder.
constexpr std::size_t kWriteBytes = 64u << 10;

Status compare(const Uri& object, const Promised& promised, const std::string& computed) {
  if (promised.text == computed) return ok();
  return failure(ErrorCode::kCorrupt, to_string(object) + ": what arrived has checksum " + computed +
                                          ", but the store says " + promised.text);
}

// What was told of one object's progress: a second reading does not count again.
class Arrivals {
 public:
  explicit Arrivals(const FetchOptions& options) : options_(options) {}
  void begin() { now_ = 0; }
  void add(std::uint64_t bytes) {
    const std::uint64_t now = now_.fetch_add(bytes) + bytes;
    std::uint64_t told = told_.load();
    while (now > told) {
      if (!told_.compare_exchange_weak(told, now)) continue;
      if (options_.arrived) options_.arrived(now - told);
      return;
    }
  }

 private:
  const FetchOptions& options_;
  std::atomic<std::uint64_t> now_{0};
  std::atomic<std::uint64_t> told_{0};
};

// The network brings pieces of some KiB: a file takes larger ones for less. The kernel lets one
// thread write to a file at a time and has the others spin; with `turn` they sleep.
class GatheredWrites {
 public:
  GatheredWrites(os::WritableFile& file, Mutex& turn, std::uint64_t offset)
      : file_(file), turn_(turn), offset_(offset) {}

  Status add(std::span<const std::byte> bytes) {
    if (gathered_.capacity() == 0) gathered_.reserve(kWriteBytes);
    if (gathered_.size() + bytes.size() > kWriteBytes) RETURN_IF_ERROR(flush());
    if (bytes.size() >= kWriteBytes) return write(bytes);
    gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
    return ok();
  }
  Status flush() {
    Status written = write(gathered_);
    gathered_.clear();
    return written;
  }

 private:
  Status write(std::span<const std::byte> bytes) {
    if (bytes.empty()) return ok();
    MutexLock lock(turn_);
    RETURN_IF_ERROR(file_.write_at(offset_, bytes));
    offset_ += bytes.size();
    return ok();
  }

  os::WritableFile& file_;
  Mutex& turn_;
  std::uint64_t offset_;
  std::vector<std::byte> gathered_;
};

Status fetch_at_once(Requests& requests, const Uri& object, os::WritableFile& file,
                     Arrivals& arrivals, const std::stop_token& stop) {
  std::optional<Promised> promised;
  std::optional<Checksum> checksum;
  const auto begin = [&](const ObjectFacts& facts) {
    promised = facts.checksum;
    if (promised) checksum.emplace(promised->kind);
  };
  const auto sink = [&](std::span<const std::byte> bytes) -> Status {
    if (checksum) checksum->add(bytes);
    arrivals.add(bytes.size());
    return file.append(bytes);
  };
  RETURN_IF_ERROR(read_whole(requests, object, begin, sink, stop));
  return promised ? compare(object, *promised, checksum->text()) : ok();
}

// Ranges of one object, each written to its place by whichever thread is free.
class RangedFetch {
 public:
  RangedFetch(Requests& requests, const Uri& object, const ObjectFacts& facts,
              os::WritableFile& file, Arrivals& arrivals)
      : requests_(requests), object_(object), facts_(facts), file_(file), arrivals_(arrivals) {
    const std::uint64_t shares = requests.connections() * kRangesPerConnection;
    range_bytes_ = std::clamp(facts.size / shares, kPartBytes, kLargestRangeBytes);
    ranges_ = (facts.size + range_bytes_ - 1) / range_bytes_;
    crcs_.resize(ranges_);
  }

  Status run(const std::stop_token& stop) {
    {
      std::stop_callback stop_all(stop, [this] { source_.request_stop(); });
      std::vector<std::jthread> threads;
      const std::size_t wanted = std::min<std::size_t>(requests_.connections(), ranges_);
      for (std::size_t i = 1; i < wanted; ++i) threads.emplace_back([this] { work(); });
      work();
    }
    if (stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped on request");
    MutexLock lock(mutex_);
    if (error_) return tl::unexpected(std::move(*error_));
    return ok();
  }

  // Of the whole object; only for the kinds that can be joined.
  std::uint32_t crc() const {
    std::uint32_t whole = crcs_.front();
    for (std::size_t i = 1; i < ranges_; ++i) {
      whole = facts_.checksum->kind == ChecksumKind::kCrc32c
                  ? join_crc32c(whole, crcs_[i], length_of(i))
                  : join_crc32(whole, crcs_[i], length_of(i));
    }
    return whole;
  }

 private:
  std::uint64_t length_of(std::size_t range) const {
    return std::min(range_bytes_, facts_.size - range * range_bytes_);
  }

  void work() {
    for (std::size_t range = next_++; range < ranges_; range = next_++) {
      if (source_.stop_requested()) return;
      Status got = read_one(range);
      if (got) continue;
      {
        MutexLock lock(mutex_);
        if (!error_) error_ = std::move(got.error());
      }
      source_.request_stop();
    }
  }

  Status read_one(std::size_t range) {
    const std::uint64_t first = range * range_bytes_;
    GatheredWrites writes(file_, turn_, first);
    const bool joined = has_crc();
    Checksum checksum(joined ? facts_.checksum->kind : ChecksumKind::kCrc32);
    const auto sink = [&](std::span<const std::byte> bytes) -> Status {
      if (joined) checksum.add(bytes);
      arrivals_.add(bytes.size());
      return writes.add(bytes);
    };
    const std::stop_token stop = source_.get_token();
    RETURN_IF_ERROR(read_range(
        requests_, object_,
        {.first = first, .length = length_of(range), .etag = facts_.etag}, sink, stop));
    RETURN_IF_ERROR(writes.flush());
    crcs_[range] = checksum.crc();
    return ok();
  }

 public:
  bool has_crc() const {
    return facts_.checksum && (facts_.checksum->kind == ChecksumKind::kCrc32 ||
                               facts_.checksum->kind == ChecksumKind::kCrc32c);
  }

 private:
  Requests& requests_;
  const Uri& object_;
  const ObjectFacts& facts_;
  os::WritableFile& file_;
  Arrivals& arrivals_;
  std::uint64_t range_bytes_ = 0;
  std::size_t ranges_ = 0;
  std::vector<std::uint32_t> crcs_;          // each written by the thread that read it
  std::atomic<std::size_t> next_{0};
  std::stop_source source_;
  Mutex turn_;                               // to write
  Mutex mutex_;
  std::optional<Error> error_ GUARDED_BY(mutex_);
};

Result<std::string> checksum_of_file(os::FileSystem& files, const os::fs::path& path,
                                     ChecksumKind kind) {
  auto file = files.open(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  Checksum checksum(kind);
  std::vector<std::byte> piece(kPieceBytes);
  for (std::uint64_t offset = 0;;) {
    auto got = (*file)->read_at(offset, piece);
    if (!got) return tl::unexpected(std::move(got.error()));
    if (*got == 0) return checksum.text();
    checksum.add(std::span(piece).first(*got));
    offset += *got;
  }
}

Status fetch_ranges(Requests& requests, const Uri& object, os::FileSystem& files,
                    const os::fs::path& target, const FetchOptions& options, Arrivals& arrivals) {
  auto facts = look_up(requests, object, options.stop);
  if (!facts) return tl::unexpected(std::move(facts.error()));
  auto file = files.create(target);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (facts->size <= kPartBytes) {
    RETURN_IF_ERROR(fetch_at_once(requests, object, **file, arrivals, options.stop));
    return (*file)->close();
  }
  RangedFetch ranged(requests, object, *facts, **file, arrivals);
  RETURN_IF_ERROR(ranged.run(options.stop));
  RETURN_IF_ERROR((*file)->close());
  if (!facts->checksum) return ok();
  // Digests cannot be joined from those of the ranges: they are taken from the file.
  auto computed = ranged.has_crc() ? Result<std::string>(base64_of_crc(ranged.crc()))
                                   : checksum_of_file(files, target, facts->checksum->kind);
  if (!computed) return tl::unexpected(std::move(computed.error()));
  return compare(object, *facts->checksum, *computed);
}

Status fetch_small(Requests& requests, const Uri& object, os::FileSystem& files,
                   const os::fs::path& target, const FetchOptions& options, Arrivals& arrivals) {
  auto file = files.create(target);
  if (!file) return tl::unexpected(std::move(file.error()));
  RETURN_IF_ERROR(fetch_at_once(requests, object, **file, arrivals, options.stop));
  return (*file)->close();
}

}  // namespace

Status fetch_object(Requests& requests, const Uri& object, os::FileSystem& files,
                    const os::fs::path& target, const FetchOptions& options) {
  Arrivals arrivals(options);
  const bool small = options.size && *options.size <= kPartBytes;
  for (int readings = 1;; ++readings) {
    arrivals.begin();
    Status fetched = small ? fetch_small(requests, object, files, target, options, arrivals)
                           : fetch_ranges(requests, object, files, target, options, arrivals);
    const bool again = !fetched && fetched.error().code == ErrorCode::kCorrupt;
    if (!again || readings == kMostReadings) return fetched;
  }
}

}  // namespace evener::storage
