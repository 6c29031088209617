// Ready answers of DescribeTrainingJob, the ones asked for last, and never older than the store as
// the asker finds it, whichever process wrote it. Private to control_plane/sagemaker.
//
// Used by:  sagemaker.cc.
// Threads:  any.
// Fails:    refresh() when the store cannot be read.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/mutex.h"
#include "base/result.h"
#include "control_plane/stores/stores.h"

namespace evener::control_plane {

class JobTexts {
 public:
  explicit JobTexts(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Forgets what has changed since the last time. Answers the row of the last event taken into
  // account: what is read from the store after this call is at least as new.
  Result<std::int64_t> refresh(Stores::Lease& store);
  // nullptr where there is none. Case does not count.
  std::shared_ptr<const std::string> find(const std::string& job);
  // Keeps the answer that was read after refresh() answered `row`, unless it may be old by now.
  void keep(const std::string& job, std::shared_ptr<const std::string> text, std::int64_t row);

 private:
  struct Entry {
    std::string job;
    std::shared_ptr<const std::string> text;
  };
  static std::size_t size_of(const Entry& entry);
  void drop(const std::string& key) REQUIRES(mutex_);

  const std::size_t limit_bytes_;
  Mutex mutex_;
  std::int64_t row_ GUARDED_BY(mutex_) = -1;                       // -1: nothing was asked yet
  std::list<Entry> entries_ GUARDED_BY(mutex_);                    // the last one used is first
  std::unordered_map<std::string, std::list<Entry>::iterator> places_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace evener::control_plane
