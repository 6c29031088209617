#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "os/unique_fd.h"
#include "training/metrics/metrics.h"

namespace evener::metrics {
namespace {

constexpr std::size_t kMaxFiles = 1000;
constexpr std::size_t kMaxEntries = 100'000;          // looked at for the names of files
constexpr std::uint64_t kMaxTotalBytes = 64ull << 20;  // of all files together
constexpr std::size_t kMaxLineBytes = 64u << 10;       // longer lines are passed over
constexpr std::size_t kReadBytes = 256u << 10;
constexpr double kMaxSeconds = 1e9;                    // of one value

struct Sums {
  std::optional<double> wait;
  std::optional<double> step;
};

void add_value(std::optional<double>& sum, double value) { sum = sum.value_or(0) + value; }

void add_line(std::string_view line, Sums& sums) {
  if (line.size() > kMaxLineBytes) return;
  // Most lines are other metrics: told apart without parsing them.
  if (line.find("input_wait_seconds") == std::string_view::npos &&
      line.find("step_seconds") == std::string_view::npos)
    return;
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) return;
  const auto name = object.find("MetricName");
  const auto value = object.find("Value");
  if (name == object.end() || !name->is_string() || value == object.end() || !value->is_number())
    return;
  const auto seconds = value->get<double>();
  if (!std::isfinite(seconds) || seconds < 0 || seconds > kMaxSeconds) return;
  if (name->get_ref<const std::string&>() == "input_wait_seconds") add_value(sums.wait, seconds);
  if (name->get_ref<const std::string&>() == "step_seconds") add_value(sums.step, seconds);
}

// Reads a file's lines as long as `budget` bytes are left.
void add_file(int file, std::uint64_t& budget, Sums& sums) {
  std::string held;
  std::string bytes(kReadBytes, '\0');
  while (budget > 0) {
    const ssize_t got = ::read(file, bytes.data(), std::min<std::uint64_t>(bytes.size(), budget));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    budget -= static_cast<std::uint64_t>(got);
    std::string_view rest(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      held.append(rest.substr(0, end));
      add_line(held, sums);
      held.clear();
      rest.remove_prefix(end + 1);
    }
    // One byte over the limit is kept, so that the line's rest does not look like a line.
    held.append(rest.substr(0, kMaxLineBytes + 1 - std::min(held.size(), kMaxLineBytes + 1)));
  }
  add_line(held, sums);
}

// The last three parts of the path (output/metrics/sagemaker) are the program's to replace, so
// they must be folders, not links out of its reach.
os::UniqueFd open_folder(const std::filesystem::path& folder) {
  std::vector<std::string> parts;
  std::filesystem::path base = folder.lexically_normal();
  if (!base.has_filename()) base = base.parent_path();
  for (int i = 0; i < 3 && base.has_relative_path(); ++i) {
    parts.insert(parts.begin(), base.filename().string());
    base = base.parent_path();
  }
  if (base.empty()) base = ".";
  os::UniqueFd fd(::open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const std::string& part : parts) {
    if (!fd) return fd;
    fd = os::UniqueFd(::openat(fd.get(), part.c_str(),
                               O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  }
  return fd;
}

// Names that end in .json, sorted, at most kMaxFiles.
std::vector<std::string> json_files(os::UniqueFd folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder.get()), ::closedir);
  if (!entries) return names;
  (void)folder.release();  // closedir closes it
  for (std::size_t seen = 0; seen < kMaxEntries && names.size() < kMaxFiles; ++seen) {
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name.ends_with(".json")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::optional<double> input_wait_fraction(const std::filesystem::path& metrics_folder) {
  const os::UniqueFd folder = open_folder(metrics_folder);
  if (!folder) return std::nullopt;
  Sums sums;
  std::uint64_t budget = kMaxTotalBytes;
  for (const std::string& name :
       json_files(os::UniqueFd(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)))) {
    const os::UniqueFd file(::openat(folder.get(), name.c_str(),
                                     O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    struct stat stat {};
    if (!file || ::fstat(file.get(), &stat) != 0 || !S_ISREG(stat.st_mode)) continue;
    add_file(file.get(), budget, sums);
  }
  if (!sums.wait || !sums.step || *sums.step <= 0) return std::nullopt;
  return std::clamp(*sums.wait / *sums.step, 0.0, 1.0);
}

}  // namespace evener::metrics
