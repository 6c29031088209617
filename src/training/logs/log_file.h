// The log and the index of one host, as their writer sees them.
//
// Used by:  log_writer.cc, log_reader.cc (paths).
// Threads:  one thread at a time.
// Fails:    open() with the code of errno. Later failures are not errors: records that cannot be
//           written are counted as lost, and a note says so once writing works again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"
#include "training/logs/record.h"

namespace evener::logs {

// Records are gathered up to about this size before they are written.
inline constexpr std::size_t kWriteBytes = 512u << 10;
// Bytes of the disk that lines do not take: what becomes of a job must still be written, or a
// program that prints without end would never be seen to end. Once lines were lost, the next is
// written when twice as much is free, so that a log has few gaps.
inline constexpr std::uint64_t kRoomForEvents = 256u << 10;

std::filesystem::path log_path(const std::filesystem::path& folder, std::string_view host);
std::filesystem::path index_path(const std::filesystem::path& folder, std::string_view host);
// True where a record with the entry's time starts at its offset: from there on nothing is missed.
bool entry_holds(int log, const IndexEntry& entry);
std::optional<IndexEntry> read_entry(int index, std::uint64_t number);
// kInvalidArgument for a name that cannot be part of a file name.
Status check_host_name(std::string_view host);

class LogFile final : public RecordSink {
 public:
  // Creates both files, or continues them: cuts off a torn tail, completes the index and ends a
  // line that was left open.
  static Result<std::unique_ptr<LogFile>> open(const std::filesystem::path& folder,
                                               std::string_view host);

  // Times never decrease: an earlier one is written as the last.
  void add(WallTime time, Mark mark, std::string_view text) override;
  // Hands to the kernel what was added.
  void flush();

  std::uint64_t lost_lines() const { return lost_; }
  // Lines were lost and the file does not say so yet: call flush() again later.
  bool owes_note() const { return unsaid_ > 0; }

 private:
  struct Tail {                        // the last record that is no note
    std::uint64_t offset = 0;
    Mark mark = Mark::kLine;
  };

  LogFile(os::UniqueFd log, os::UniqueFd index) : log_(std::move(log)), index_(std::move(index)) {}
  Status recover();
  IndexEntry recover_index();
  void passed(std::int64_t millis, Mark mark, std::uint64_t offset);
  bool write_owed_note();
  void keep_whole_records(std::size_t written, int error);
  void end_open_line();
  void write_index();

  os::UniqueFd log_;
  os::UniqueFd index_;
  std::string buffer_;                 // records not yet written
  std::vector<IndexEntry> entries_;    // index entries not yet written
  std::uint64_t size_ = 0;             // of the log; buffer_ goes here
  std::uint64_t index_size_ = 0;
  std::uint64_t next_entry_ = 0;       // a record at or after this offset gets an entry
  std::int64_t last_millis_ = 0;
  Tail tail_;                          // as added
  Tail written_tail_;                  // as it stands in the file
  std::uint64_t lost_ = 0;
  std::uint64_t unsaid_ = 0;
  std::int64_t unsaid_millis_ = 0;
  std::string unsaid_reason_;
};

}  // namespace evener::logs
