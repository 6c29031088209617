#include "control_plane/sagemaker/job_texts.h"

#include <algorithm>
#include <utility>

namespace evener::control_plane {
namespace {

constexpr std::size_t kPage = 1000;          // changes read at once
constexpr std::size_t kEntryBytes = 200;     // of an entry besides its texts

std::string key_of(const std::string& job) {
  std::string key = job;
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return key;
}

}  // namespace

std::size_t JobTexts::size_of(const Entry& entry) {
  return entry.job.size() + entry.text->size() + kEntryBytes;
}

Result<std::int64_t> JobTexts::refresh(Stores::Lease& store) {
  Stores::Reader& reader = store.reader();
  const auto version = reader.feed->version();
  if (!version) return tl::unexpected<Error>(version.error());
  std::int64_t row = -1;
  {
    MutexLock lock(mutex_);
    row = row_;
  }
  if (*version == reader.seen_version && row >= 0) return row;
  if (row < 0) {   // nothing is kept: only what comes from now on matters
    const auto last = reader.feed->last_row();
    if (!last) return tl::unexpected<Error>(last.error());
    row = *last;
  }
  std::vector<store::ChangedJob> changes;
  do {
    auto page = reader.feed->after(row, kPage);
    if (!page) return tl::unexpected<Error>(page.error());
    changes = std::move(*page);
    MutexLock lock(mutex_);
    for (const store::ChangedJob& change : changes) {
      drop(key_of(change.job));
      row = change.row;
    }
    row_ = std::max(row_, row);
  } while (changes.size() == kPage);
  reader.seen_version = *version;
  return row;
}

std::shared_ptr<const std::string> JobTexts::find(const std::string& job) {
  MutexLock lock(mutex_);
  const auto place = places_.find(key_of(job));
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->text;
}

void JobTexts::keep(const std::string& job, std::shared_ptr<const std::string> text,
                    std::int64_t row) {
  const std::string key = key_of(job);
  MutexLock lock(mutex_);
  if (row != row_) return;   // an event of this job may have come meanwhile
  drop(key);
  entries_.push_front({key, std::move(text)});
  places_[key] = entries_.begin();
  bytes_ += size_of(entries_.front());
  while (bytes_ > limit_bytes_ && !entries_.empty()) {
    const std::string oldest = entries_.back().job;
    drop(oldest);
  }
}

void JobTexts::drop(const std::string& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return;
  bytes_ -= size_of(*place->second);
  entries_.erase(place->second);
  places_.erase(place);
}

}  // namespace evener::control_plane
