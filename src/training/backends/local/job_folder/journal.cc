#include "training/backends/local/job_folder/journal.h"

#include <array>
#include <cstdio>
#include <optional>
#include <utility>

namespace evener::backends {
namespace {

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1u) ? 0xEDB88320u : 0u);
    table[byte] = value;
  }
  return table;
}

// CRC-32 as in gzip and zlib.
std::uint32_t crc32(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_crc_table();
  std::uint32_t value = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    value = kTable[(value ^ static_cast<unsigned char>(byte)) & 0xFFu] ^ (value >> 8);
  }
  return ~value;
}

// Length and checksum, with the blank before the JSON.
std::string record_head(std::string_view json) {
  char head[40];
  std::snprintf(head, sizeof head, "%zu %08x ", json.size(), crc32(json));
  return head;
}

// The JSON of a line without its newline; nothing unless the line is just what would be written.
std::optional<std::string_view> checked_json(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view json = line.substr(second + 1);
  if (line.substr(0, second + 1) != record_head(json)) return std::nullopt;
  return json;
}

bool holds_whole_record(std::string_view bytes) {
  while (true) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return false;
    if (checked_json(bytes.substr(0, end))) return true;
    bytes.remove_prefix(end + 1);
  }
}

tl::unexpected<Error> corrupt(std::size_t record, std::string_view why) {
  return failure(ErrorCode::kCorrupt,
                 "journal record " + std::to_string(record) + ": " + std::string(why));
}

}  // namespace

std::string journal_record(std::string_view json) {
  std::string record = record_head(json);
  record.append(json);
  record.push_back('\n');
  return record;
}

Result<JournalContents> parse_journal(std::string_view bytes) {
  JournalContents contents;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const std::size_t number = contents.events.size() + 1;
    const std::size_t end = rest.find('\n');
    const auto json = end == std::string_view::npos ? std::nullopt
                                                    : checked_json(rest.substr(0, end));
    if (!json) {
      // A crash can leave any bytes behind the last whole record, but never a record after them.
      if (end != std::string_view::npos && holds_whole_record(rest.substr(end + 1))) {
        return corrupt(number, "damaged, though whole records follow");
      }
      contents.torn = true;
      return contents;
    }
    auto event = jobs::event_from_json(*json);
    if (!event) return corrupt(number, event.error().message);
    if (event->journal_position != number) {
      return corrupt(number, "its position is " + std::to_string(event->journal_position));
    }
    contents.events.push_back(std::move(*event));
    rest.remove_prefix(end + 1);
    contents.whole_bytes = bytes.size() - rest.size();
  }
  return contents;
}

Result<JournalContents> read_journal(os::FileSystem& files, const std::filesystem::path& path) {
  auto text = os::read_text(files, path, kMaxJournalBytes);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return JournalContents{};
    return failure_in("read the journal", text.error());
  }
  auto contents = parse_journal(*text);
  if (!contents) return failure_in(path.string(), contents.error());
  return contents;
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::open(os::FileSystem& files,
                                                           const std::filesystem::path& path) {
  auto contents = read_journal(files, path);
  if (!contents) return tl::unexpected<Error>(contents.error());
  std::unique_ptr<JournalWriter> writer(new JournalWriter(files, path));
  if (contents->torn) {
    if (auto cut = files.truncate(path, contents->whole_bytes); !cut) {
      return failure_in("cut the torn end of the journal", cut.error());
    }
  }
  writer->whole_bytes_ = contents->whole_bytes;
  writer->earlier_ = std::move(contents->events);
  auto file = files.open_append(path);
  if (!file) return failure_in("open the journal", file.error());
  writer->file_ = std::move(*file);
  return writer;
}

void JournalWriter::append(std::string_view json, JournalSync sync) {
  pending_ += journal_record(json);
  if (sync == JournalSync::kNow) sync_pending_ = true;
  flush();
}

bool JournalWriter::flush() {
  if (everything_written()) return true;
  if (auto written = write_pending(); !written) {
    trouble_ = written.error().message;
    return false;
  }
  trouble_.clear();
  return true;
}

Status JournalWriter::write_pending() {
  if (!file_) {
    RETURN_IF_ERROR(files_.truncate(path_, whole_bytes_));
    auto file = files_.open_append(path_);
    if (!file) return tl::unexpected<Error>(file.error());
    file_ = std::move(*file);
  }
  if (!pending_.empty()) {
    if (auto written = file_->append(std::as_bytes(std::span(pending_))); !written) {
      file_.reset();
      return written;
    }
    whole_bytes_ += pending_.size();
    unsynced_ += std::exchange(pending_, {});
  }
  return sync_pending_ ? sync_all() : ok();
}

// After a failed sync the kernel may have dropped what it could not write, and the next sync would
// say nothing of it. So all since the last good one is written again.
Status JournalWriter::sync_all() {
  if (auto synced = file_->sync(); !synced) {
    file_.reset();
    whole_bytes_ -= unsynced_.size();
    pending_ = std::exchange(unsynced_, {});
    return synced;
  }
  if (!name_synced_) {
    // A folder that someone has removed keeps nothing, and is waited for by no one.
    Status named = files_.sync_directory(path_.parent_path());
    if (!named && named.error().code != ErrorCode::kNotFound) return named;
  }
  name_synced_ = true;
  unsynced_.clear();
  sync_pending_ = false;
  return ok();
}

}  // namespace evener::backends
