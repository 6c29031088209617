// Stores to read from: each belongs to one thread at a time, and a request takes one for itself.
//
// Used by:  control_plane/{sagemaker,logs,cloudwatch,evener}; apps own them.
// Threads:  take() from any.
// Fails:    take() with the store's error when another has to be opened and cannot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "training/store/store.h"

namespace evener::control_plane {

class Stores {
 public:
  explicit Stores(std::filesystem::path home) : home_(std::move(home)) {}

  struct Reader {
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::ChangeFeed> feed;
    std::int64_t seen_version = -1;       // of the feed, for who looks for changes
  };
  // Goes back when it is destroyed.
  class Lease {
   public:
    Lease(Stores& stores, Reader reader) : stores_(&stores), reader_(std::move(reader)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (reader_.store) stores_->give_back(std::move(reader_));
    }
    store::Store& operator*() { return *reader_.store; }
    store::Store* operator->() { return reader_.store.get(); }
    Reader& reader() { return reader_; }

   private:
    Stores* stores_;
    Reader reader_;
  };
  Result<Lease> take();

 private:
  void give_back(Reader reader);

  const std::filesystem::path home_;
  Mutex mutex_;
  std::vector<Reader> idle_ GUARDED_BY(mutex_);
};

// Where a page of jobs ended, as the token of an operation that lists what belongs to jobs: `start`
// tells the operations' tokens apart. Nothing for a text that page_token() did not make.
std::string page_token(std::string_view start, const jobs::PageKey& key);
std::optional<jobs::PageKey> page_key_from(std::string_view start, std::string_view token);

}  // namespace evener::control_plane
