#include "training/metrics/samples_json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace evener::metrics {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxMillis = 9'999'999'999'999;

// Names are printable by construction; anything else is replaced rather than thrown over.
std::string dump(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<std::uint64_t> count(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::optional<std::string> word(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<WallTime> time_of(const json& object) {
  const auto millis = count(object, "t");
  if (!millis || *millis > static_cast<std::uint64_t>(kMaxMillis)) return std::nullopt;
  return from_millis(static_cast<std::int64_t>(*millis));
}

// What to_line() writes of a sample, read without a document: a day of them has to be read at once.
class QuickLine {
 public:
  explicit QuickLine(std::string_view line) : rest_(line) {}

  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  template <typename Number>
  bool take(Number& number) {
    const auto parsed = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (parsed.ec != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest_.data()));
    return true;
  }
  bool take_word(std::string& word) {
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) return false;
    word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word.find('\\') == std::string::npos;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<Sample> quick_sample(std::string_view text) {
  QuickLine line(text);
  Sample sample;
  std::uint64_t millis = 0;
  const bool read = line.skip(R"({"cpu":)") && line.take(sample.cpu_percent) &&
                    line.skip(R"(,"host":")") && line.take_word(sample.host) &&
                    line.skip(R"(","mem":)") && line.take(sample.memory_bytes) &&
                    line.skip(R"(,"t":)") && line.take(millis) && line.skip("}") && line.at_end();
  if (!read || millis > static_cast<std::uint64_t>(kMaxMillis)) return std::nullopt;
  sample.time = from_millis(static_cast<std::int64_t>(millis));
  return sample;
}

}  // namespace

std::string to_line(const Sample& sample) {
  // Two decimals are more than one second of CPU time can tell.
  const double cpu = std::isfinite(sample.cpu_percent) ? std::round(sample.cpu_percent * 100) / 100 : 0;
  return dump({{"t", to_millis(sample.time)},
               {"host", sample.host},
               {"cpu", cpu},
               {"mem", sample.memory_bytes}});
}

std::string to_line(const Progress& progress) {
  return dump({{"t", to_millis(progress.time)},
               {"phase", progress.phase},
               {"done", progress.done_bytes},
               {"total", progress.total_bytes}});
}

std::variant<std::monostate, Sample, Progress> parse_line(std::string_view line) {
  if (auto sample = quick_sample(line)) return std::move(*sample);
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return {};
  const auto time = time_of(object);
  if (!time) return {};
  if (const auto host = word(object, "host")) {
    const auto cpu = object.find("cpu");
    const auto memory = count(object, "mem");
    if (cpu == object.end() || !cpu->is_number() || !memory) return {};
    return Sample{*time, *host, cpu->get<double>(), *memory};
  }
  const auto phase = word(object, "phase");
  const auto done = count(object, "done");
  const auto total = count(object, "total");
  if (!phase || !done || !total) return {};
  return Progress{*time, *phase, *done, *total};
}

}  // namespace evener::metrics
