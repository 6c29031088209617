#include "training/logs/index_search.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "os/unique_fd.h"
#include "training/logs/log_file.h"

namespace evener::logs {

template <class Earlier>
IndexEntry IndexSearch::last(const Earlier& earlier) const {
  const os::UniqueFd index(::open(index_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat stat {};
  if (!index || ::fstat(index.get(), &stat) != 0) return {};
  std::uint64_t low = 0;  // entries before `low` are earlier, those from `high` on are not
  std::uint64_t high = static_cast<std::uint64_t>(stat.st_size) / kIndexEntryBytes;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto entry = read_entry(index.get(), middle);
    if (entry && earlier(*entry)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return {};
  const auto entry = read_entry(index.get(), low - 1);
  return entry && earlier(*entry) && entry_holds(log_, *entry) ? *entry : IndexEntry{};
}

IndexEntry IndexSearch::last_before_time(std::int64_t millis) const {
  return last([&](const IndexEntry& entry) { return entry.millis < millis; });
}

IndexEntry IndexSearch::last_before_offset(std::uint64_t offset) const {
  return last([&](const IndexEntry& entry) { return entry.offset < offset; });
}

}  // namespace evener::logs
