// One multipart upload: begun, parts sent by threads, completed or given up.
//
// Used by:  upload.
// Threads:  one at a time; its own threads send parts.
// Fails:    add() and complete() with the first error of any part.
#pragma once

#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "storage/s3/part_memory.h"
#include "storage/s3/requests.h"
#include "storage/s3/upload.h"
#include "storage/s3/xml.h"

namespace evener::storage {

inline constexpr std::size_t kMostParts = 10'000;         // S3's own
inline constexpr std::size_t kPartSenders = 3;
inline constexpr std::chrono::hours kOrphanAge{24};

// Parts grow so that 10,000 of them hold some 190 GiB, the most that is streamed to one object.
std::size_t part_bytes(std::size_t part_number);

class MultipartUpload {
 public:
  // Uploads of the same object that were begun kOrphanAge ago and never ended are removed first.
  static Result<std::unique_ptr<MultipartUpload>> begin(Requests& requests, PartMemory& memory,
                                                        const Uri& object);
  ~MultipartUpload();
  MultipartUpload(const MultipartUpload&) = delete;
  MultipartUpload& operator=(const MultipartUpload&) = delete;

  // Takes a buffer that came from PartMemory::take(part_bytes(next_number())).
  Status add(std::vector<std::byte> bytes);
  std::size_t next_number() const { return added_ + 1; }
  Status complete(IfThere if_there);

 private:
  struct Part {
    std::size_t number = 0;
    std::vector<std::byte> bytes;
  };
  struct Sent {
    UploadedPart answer;
    std::uint32_t crc = 0;
    std::uint64_t bytes = 0;
  };
  MultipartUpload(Requests& requests, PartMemory& memory, Uri object, std::string id)
      : requests_(requests), memory_(memory), object_(std::move(object)), id_(std::move(id)) {}

  S3Request request(std::string method) const;
  void send_parts();
  Result<Sent> send(const Part& part);
  void end_threads();
  Status finish(IfThere if_there);
  Result<bool> is_complete() const;
  std::uint32_t whole_crc() const;

  Requests& requests_;
  PartMemory& memory_;
  const Uri object_;
  const std::string id_;
  std::size_t added_ = 0;
  bool completed_ = false;
  std::stop_source stop_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Part> waiting_ GUARDED_BY(mutex_);
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
  bool closing_ GUARDED_BY(mutex_) = false;
  std::optional<Error> error_ GUARDED_BY(mutex_);
  std::vector<Sent> sent_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;      // last: they use the rest
};

}  // namespace evener::storage
