// A reader of a feed for Python: waits without Python's lock, gives dicts of arrays.
//
// Used by:  module.cc.
// Threads:  any; one waits for a batch at a time, the others wait for their turn.
// Fails:    evener.data.DataError; KeyboardInterrupt ends a wait.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "data/client/client.h"
#include "native/arrays.h"

namespace evener::python {

class Reader {
 public:
  Reader(const data::client::ReaderOptions& options, ArrayKind kind);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // None at the end of the last epoch.
  nanobind::object next();
  void close();
  bool closed() const { return closed_; }
  nanobind::tuple position() const;
  nanobind::dict statistics() const;
  nanobind::dict feed() const;

 private:
  Result<std::unique_ptr<data::client::Reader>> open(data::client::ReaderOptions options) const;
  Result<std::unique_ptr<data::client::Reader>> open_once(
      const data::client::ReaderOptions& options) const;
  struct Taken {
    Result<std::optional<data::client::Batch>> batch;
    std::optional<data::client::FailedUnit> failed;
  };
  // Nothing when it is time to look for signals.
  std::optional<Taken> take();
  void check_process() const;

  SystemClock clock_;
  std::unique_ptr<data::client::Reader> reader_;
  std::unique_ptr<ArrayMaker> maker_;
  std::timed_mutex turn_;                   // held by the thread that is in next()
  std::atomic<bool> closed_{false};
  int process_;
};

}  // namespace evener::python
