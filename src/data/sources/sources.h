// Where samples come from: an indexed set of byte strings with labels, in a store of objects.
//
//   images    files below a folder; classes from its sub-folders, or an index file with labels
//   shards    tar files in WebDataset's form: members that share a key are one sample
//   records   files of records of one size, one after another
//
// Used by:  data/pipeline; apps (bench).
// Threads:  open() blocks, and has threads of its own while it lasts; a Source may be shared, a
//           Reading belongs to one thread at a time.
// Fails:    open: kInvalidArgument (what is there has not that form, with its place), kNotFound,
//           kLimitExceeded, kCancelled, the store's errors. read: kLimitExceeded for a sample over
//           kMaxSampleBytes; kCorrupt when size or version of the object are not those of the index;
//           the store's errors.
// Source:   WebDataset's naming of members; POSIX.1-2001 pax and GNU tar for the shards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/storage.h"

namespace evener::data::sources {

inline constexpr std::uint64_t kMaxSamples = 1ull << 32;
inline constexpr std::uint64_t kMaxSampleBytes = 256u << 20;
inline constexpr std::uint64_t kMaxIndexBytes = 4ull << 30;   // of a CSV or JSON-lines file
inline constexpr std::size_t kMaxClasses = 1'000'000;
inline constexpr std::size_t kMaxNameBytes = 4096;            // of a file or member
inline constexpr std::size_t kMaxLabelBytes = 256;

enum class Kind { kImages, kShards, kRecords };
std::string_view to_string(Kind kind);                        // "images", "shards", "records"
std::optional<Kind> kind_from(std::string_view text);

// Whether each sample must have a label.
enum class Labels { kNeeded, kUnused };

struct Options {
  Kind kind = Kind::kImages;
  std::string location;                 // URI of a folder, a prefix or one object
  std::string index{};                  // images: URI of a .csv, .jsonl or .ndjson file; "": none
  Labels labels = Labels::kNeeded;
  std::uint64_t record_bytes = 0;       // records: of each
  std::uint64_t header_bytes = 0;       // records: before the first of each file
};

// One sample's bytes. Kept from sample to sample, so that its memory is used again.
struct Reading {
  std::vector<std::byte> memory{};      // grows only
  std::size_t size = 0;
  storage::Uri place{};
  std::span<const std::byte> bytes() const { return std::span(memory).first(size); }
  std::span<std::byte> take(std::size_t bytes) {
    if (memory.size() < bytes) memory.resize(bytes);
    size = bytes;
    return std::span(memory).first(bytes);
  }
};

class Source {
 public:
  virtual ~Source() = default;
  virtual std::uint64_t samples() const = 0;
  // SHA-256 over names, sizes and labels in order. The time of the last write is not in it: copies
  // of a data set on two machines are the same data set. read() looks at times.
  virtual const std::string& fingerprint() const = 0;
  // Names of the labels 0, 1, ...; none where labels are numbers already.
  virtual const std::vector<std::string>& classes() const = 0;
  virtual std::int64_t label(std::uint64_t sample) const = 0;   // 0 without labels
  // The largest label and one more.
  virtual std::uint64_t label_count() const = 0;
  virtual std::string id(std::uint64_t sample) const = 0;       // "cats/1.jpg", "a.tar:17", "x.bin[3]"
  virtual Status read(std::uint64_t sample, Reading& into) const = 0;
};

// `stores` stay alive as long as the source.
Result<std::unique_ptr<Source>> open(const Options& options, const storage::StoreSet& stores,
                                     const std::stop_token& stop = {});

}  // namespace evener::data::sources
