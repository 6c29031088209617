// The operating system as SQLite sees it, with every write counted, so that a test can let the
// n-th one fail or be the process's last.
//
// Used by:  tests.
// Threads:  one process at a time.
// Fails:    as the fate of a write says.
#pragma once

#include <functional>

namespace evener::store {

// What happens at a write, truncation or sync.
enum class WriteFate {
  kGoesWell,
  kDiskFull,
  kFails,
  kDiesBefore,   // the process ends, nothing written
  kDiesHalfway,  // the process ends with half of the bytes written
  kLosesPower,   // nothing that was written since a file's last sync is on the disk
  kTearsPower,   // as kLosesPower, but every second of those writes is there, to its half
};

// Makes all files that SQLite opens from here on ask `fate` before each write. For the whole
// process until removed; one at a time.
class CountingVfs {
 public:
  explicit CountingVfs(std::function<WriteFate()> fate);
  ~CountingVfs();
  CountingVfs(const CountingVfs&) = delete;
  CountingVfs& operator=(const CountingVfs&) = delete;
};

}  // namespace evener::store
