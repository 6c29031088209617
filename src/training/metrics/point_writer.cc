#include <algorithm>
#include <map>
#include <utility>

#include "training/metrics/line_file.h"
#include "training/metrics/points.h"

namespace evener::metrics {
namespace {

constexpr std::size_t kBufferBytes = 64u << 10;

class FilePointWriter final : public PointWriter {
 public:
  FilePointWriter(std::filesystem::path path, std::uint64_t limit)
      : path_(std::move(path)), limit_(limit) {}
  ~FilePointWriter() override { flush(); }

  Status open() {
    auto file = LineFile::open(path_);
    if (!file) return tl::unexpected(std::move(file.error()));
    file_.emplace(std::move(*file));
    return ok();
  }

  void write(const Point& point) override;
  void flush() override;
  std::uint64_t thinned() const override { return thinned_; }
  std::uint64_t lost() const override { return lost_; }

 private:
  bool is_thinned(const Point& point);
  std::uint64_t size() const { return (file_ ? file_->size() : 0) + buffer_.size(); }

  const std::filesystem::path path_;
  const std::uint64_t limit_;
  std::optional<LineFile> file_;
  std::string buffer_;
  std::uint64_t buffered_ = 0;      // points
  WallTime last_{};
  std::map<std::string, std::int64_t, std::less<>> last_second_;   // by host and metric
  std::uint64_t thinned_ = 0;
  std::uint64_t lost_ = 0;
};

void FilePointWriter::write(const Point& point) {
  Point written = point;
  written.time = last_ = std::max(last_, point.time);
  if (size() >= limit_ / 2 && is_thinned(written)) {
    ++thinned_;
    return;
  }
  const std::string line = to_line(written);
  if (size() + line.size() > limit_) {
    ++lost_;
    return;
  }
  buffer_ += line;
  ++buffered_;
  if (buffer_.size() >= kBufferBytes) flush();
}

bool FilePointWriter::is_thinned(const Point& point) {
  std::string series(point.host);
  series.append(1, ' ').append(point.metric);
  const std::int64_t second = to_millis(point.time) / 1000;
  const auto [place, is_new] = last_second_.try_emplace(std::move(series), second);
  if (is_new) return false;
  return std::exchange(place->second, second) == second;
}

void FilePointWriter::flush() {
  if (buffer_.empty()) return;
  if (!file_) [[maybe_unused]] const Status opened = open();   // tried again with the next points
  if (!file_ || file_->append(buffer_) != LineFile::Appended::kWhole) lost_ += buffered_;
  buffer_.clear();
  buffered_ = 0;
}

}  // namespace

Result<std::unique_ptr<PointWriter>> make_point_writer(const std::filesystem::path& file,
                                                       std::uint64_t limit_bytes) {
  auto writer = std::make_unique<FilePointWriter>(file, limit_bytes);
  std::error_code error;
  if (std::filesystem::exists(file, error)) RETURN_IF_ERROR(writer->open());
  return writer;
}

}  // namespace evener::metrics
