// The loop that joins store, scheduling and a backend: take events, commit, decide, carry out.
//
// Used by:  apps (the seat of `evener train` and `evener serve`), control_plane, simulation.
// Threads:  step() and run() on one thread; post(), commit() and wake() from any, but commit() not
//           from what it calls.
// Fails:    make_engine() with the store's error. A commit that fails is tried again until it succeeds or
//           the engine is stopped; no event is dropped meanwhile.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

#include "base/clock.h"
#include "base/result.h"
#include "training/backends/backends.h"
#include "training/scheduling/scheduling.h"
#include "training/store/store.h"

namespace evener::engine {

struct EngineOptions {
  scheduling::Cluster cluster;
  // Sees every committed event, in order, on the engine's thread, after it is durable.
  std::function<void(const jobs::JobEvent&, const jobs::TrainingJob&)> observer;
};

// Takes one answer per event, in order; or why none of them was committed, or may not have been.
using CommitAnswer = std::function<void(Result<std::vector<Status>>)>;

class Engine {
 public:
  virtual ~Engine() = default;
  // Entry for a backend's events; see backends::EventSink.
  virtual void post(jobs::JobEvent event) = 0;
  // Makes a request's events durable together with all that waits, and then calls `done` once on the
  // engine's thread. A refused event is a value in the answer. An error as a whole: the store
  // refuses just now, the engine ends, or too many wait ("ThrottlingException: ..."; on the
  // caller's thread).
  virtual void commit(std::vector<jobs::JobEvent> events, CommitAnswer done) = 0;
  // Makes a waiting run() look at once for events that other processes committed.
  virtual void wake() = 0;
  // One turn: what was posted and what others committed, then decisions. Waits at most `wait` for
  // something to do. Answers whether anything happened.
  virtual Result<bool> step(std::chrono::milliseconds wait) = 0;
  // Turns until `stop`. Jobs go on: stopping the program is not stopping the jobs.
  virtual void run(std::stop_token stop) = 0;
  virtual std::size_t active_jobs() const = 0;
};

// Adopts the active jobs of the store through `backend`. The caller holds the home's lock.
// `backend` is attached after construction because its sink is Engine::post.
Result<std::unique_ptr<Engine>> make_engine(
    EngineOptions options, store::Store& store, const Clock& clock,
    const std::function<Result<std::unique_ptr<backends::Backend>>(backends::EventSink)>&
        make_backend);

}  // namespace evener::engine
