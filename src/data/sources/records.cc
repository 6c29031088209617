#include <algorithm>

#include "data/sources/kinds.h"
#include "data/sources/object_table.h"
#include "data/sources/placed.h"

namespace evener::data::sources {
namespace {

class Records final : public Source {
 public:
  Records(Placed placed, ObjectTable files, const Options& options)
      : placed_(std::move(placed)),
        files_(std::move(files)),
        record_bytes_(options.record_bytes),
        header_bytes_(options.header_bytes) {
    Fingerprint print;
    print.add(to_string(Kind::kRecords));
    print.add(record_bytes_);
    print.add(header_bytes_);
    for (std::size_t i = 0; i < files_.count(); ++i) {
      first_.push_back(samples_);
      samples_ += (files_.size(i) - header_bytes_) / record_bytes_;
      print.add(files_.name(i));
      print.add(files_.size(i));
    }
    fingerprint_ = print.take();
  }

  std::uint64_t samples() const override { return samples_; }
  const std::string& fingerprint() const override { return fingerprint_; }
  const std::vector<std::string>& classes() const override { return no_classes_; }
  std::uint64_t label_count() const override { return 0; }
  std::int64_t label(std::uint64_t) const override { return 0; }
  std::string id(std::uint64_t sample) const override {
    const std::size_t file = file_of(sample);
    return std::string(files_.name(file)) + "[" + std::to_string(sample - first_[file]) + "]";
  }

  Status read(std::uint64_t sample, Reading& into) const override {
    const std::size_t file = file_of(sample);
    return placed_.read(files_.name(file), {files_.size(file), files_.version(file)},
                        header_bytes_ + (sample - first_[file]) * record_bytes_,
                        into.take(record_bytes_), into.place);
  }

 private:
  std::size_t file_of(std::uint64_t sample) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(first_, sample) - first_.begin()) - 1;
  }

  const Placed placed_;
  const ObjectTable files_;
  const std::uint64_t record_bytes_;
  const std::uint64_t header_bytes_;
  const std::vector<std::string> no_classes_;
  std::vector<std::uint64_t> first_;     // the first sample of each file
  std::uint64_t samples_ = 0;
  std::string fingerprint_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_records(const Options& options,
                                             const storage::StoreSet& stores) {
  if (options.record_bytes == 0 || options.record_bytes > kMaxSampleBytes)
    return failure(ErrorCode::kInvalidArgument, "a record has 1 to " +
                                                    std::to_string(kMaxSampleBytes) + " bytes");
  auto placed = Placed::at(options.location, stores);
  if (!placed) return tl::unexpected(std::move(placed.error()));
  auto objects = placed->list();
  if (!objects) return tl::unexpected(std::move(objects.error()));
  ObjectTable files;
  std::uint64_t samples = 0;
  for (const storage::StoredObject& object : *objects) {
    if (object.size < options.header_bytes ||
        (object.size - options.header_bytes) % options.record_bytes != 0)
      return failure(ErrorCode::kInvalidArgument,
                     object.uri + " has " + std::to_string(object.size) + " bytes, not " +
                         std::to_string(options.header_bytes) + " and a multiple of " +
                         std::to_string(options.record_bytes));
    const std::uint64_t records = (object.size - options.header_bytes) / options.record_bytes;
    if (records == 0) continue;
    samples += records;
    files.add(object.key, object.size, object.version);
  }
  if (samples == 0) return failure(ErrorCode::kNotFound, placed->text() + ": no record is there");
  if (samples > kMaxSamples)
    return failure(ErrorCode::kLimitExceeded,
                   placed->text() + ": more than " + std::to_string(kMaxSamples) + " records");
  return std::make_unique<Records>(std::move(*placed), std::move(files), options);
}

}  // namespace evener::data::sources
