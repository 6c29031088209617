// Compiles the pipelines of feeds beside everything else: an index of a large data set takes time.
//
// Used by:  worker.cc.
// Threads:  prepare() from any; one thread of its own compiles and calls `ready`.
// Fails:    what fails is told through `ready`.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/result.h"
#include "data/pipeline/pipeline.h"
#include "data/transport/transport.h"

namespace evener::data::worker {

class Preparation {
 public:
  using Compiled = Result<std::shared_ptr<const pipeline::Program>>;
  using OnReady = std::function<void(const transport::Feed&, Compiled)>;

  Preparation(const storage::StoreSet& stores, OnReady ready);
  // Each is answered by one `ready`, in order.
  void prepare(transport::Feed feed);
  // Programs are kept for the feeds that have them; a feed that ended needs none.
  void forget(std::uint32_t feed);

 private:
  void run(const std::stop_token& stop);
  Compiled compile(const transport::Feed& feed, const std::stop_token& stop);

  struct Kept {
    std::string fingerprint;
    std::shared_ptr<const pipeline::Program> program;
  };
  const storage::StoreSet& stores_;
  const OnReady ready_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<transport::Feed> waiting_ GUARDED_BY(mutex_);
  std::map<std::uint32_t, Kept> kept_ GUARDED_BY(mutex_);
  std::jthread thread_;          // last: it uses all of the above
};

}  // namespace evener::data::worker
