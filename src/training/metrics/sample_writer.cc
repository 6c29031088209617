#include <map>

#include "training/metrics/line_file.h"
#include "training/metrics/metrics.h"
#include "training/metrics/samples_json.h"

namespace evener::metrics {
namespace {

class FileSampleWriter final : public SampleWriter {
 public:
  FileSampleWriter(LineFile file, std::uint64_t limit) : file_(std::move(file)), limit_(limit) {}

  void write(const Sample& sample) override {
    Thinned& host = thinned_[sample.host];
    host.cpu_sum += sample.cpu_percent;
    if (++host.samples < stride()) return;
    Sample mean = sample;
    mean.cpu_percent = host.cpu_sum / host.samples;
    host = {};
    append(to_line(mean));
  }

  void write(const Progress& progress) override { append(to_line(progress)); }

 private:
  struct Thinned {
    int samples = 0;
    double cpu_sum = 0;
  };

  int stride() const {
    if (file_.size() < limit_ / 2) return 1;
    return file_.size() < limit_ / 4 * 3 ? 10 : 100;
  }

  void append(const std::string& line) {
    if (file_.size() + line.size() <= limit_) file_.append(line);
  }

  LineFile file_;
  std::uint64_t limit_;
  std::map<std::string, Thinned> thinned_;
};

}  // namespace

Result<std::unique_ptr<SampleWriter>> make_sample_writer(const std::filesystem::path& file,
                                                         std::uint64_t limit_bytes) {
  auto lines = LineFile::open(file);
  if (!lines) return tl::unexpected(std::move(lines.error()));
  return std::make_unique<FileSampleWriter>(std::move(*lines), limit_bytes);
}

}  // namespace evener::metrics
