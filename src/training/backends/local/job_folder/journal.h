// The journal of one job: every fact its supervisor saw, in order, in an append-only file.
//
// Used by:  Recorder (writing, in the supervisor), SupervisorLink (reading after its death).
// Threads:  a JournalWriter belongs to one thread; reading is a function.
// Fails:    reading: kCorrupt when a bad record is followed by a good one, or positions jump; a
//           torn tail is no error. Writing never fails: what the disk refuses stays in memory and
//           is tried again by flush().
// Format:   formats/journal.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "training/jobs/jobs.h"

namespace evener::backends {

inline constexpr std::uint64_t kMaxJournalBytes = 256u << 20;

struct JournalContents {
  std::vector<jobs::JobEvent> events;   // positions 1, 2, 3, ...
  std::uint64_t whole_bytes = 0;        // where the next record belongs
  bool torn = false;                    // bytes follow that are no whole record
};

// One line: length and CRC-32 of `json`, `json`, newline.
std::string journal_record(std::string_view json);
Result<JournalContents> parse_journal(std::string_view bytes);
// An absent file is an empty journal.
Result<JournalContents> read_journal(os::FileSystem& files, const std::filesystem::path& path);

enum class JournalSync {
  kLater,   // in the page cache: survives the process, not the machine
  kNow,     // on the disk, with everything before it
};

class JournalWriter {
 public:
  // Continues behind the last whole record; a torn tail is cut off.
  static Result<std::unique_ptr<JournalWriter>> open(os::FileSystem& files,
                                                     const std::filesystem::path& path);

  // What was there when it was opened.
  const std::vector<jobs::JobEvent>& earlier() const { return earlier_; }
  // Writes one record, or keeps it for flush(). The caller numbers the positions.
  void append(std::string_view json, JournalSync sync);
  // Tries again what is kept; answers whether everything is in the file.
  bool flush();
  bool everything_written() const { return pending_.empty() && !sync_pending_; }
  // Why the last attempt failed.
  const std::string& trouble() const { return trouble_; }

 private:
  JournalWriter(os::FileSystem& files, std::filesystem::path path)
      : files_(files), path_(std::move(path)) {}
  Status write_pending();
  Status sync_all();

  os::FileSystem& files_;
  std::filesystem::path path_;
  std::vector<jobs::JobEvent> earlier_;
  std::unique_ptr<os::WritableFile> file_;   // none after a failure: the tail is unknown then
  std::uint64_t whole_bytes_ = 0;
  std::string pending_;
  std::string unsynced_;       // written since the last sync
  bool sync_pending_ = false;
  bool name_synced_ = false;   // the folder's entry of the file
  std::string trouble_;
};

}  // namespace evener::backends
