// Seams of the engine that fail or die on request.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "training/backends/scripted/scripted.h"
#include "training/store/store.h"

namespace evener::simulation {

// The engine's process dies here. Only the simulation catches it.
struct Crash {};

enum class Fault {
  kNone,
  kFailBefore,   // an error, nothing done
  kFailAfter,    // an error, though it was done
  kCrashBefore,
  kCrashAfter,
};

// Asked before each call that can go wrong.
using FaultSource = std::function<Fault()>;

class FaultyStore final : public store::Store {
 public:
  FaultyStore(store::Store& inner, FaultSource faults)
      : inner_(inner), faults_(std::move(faults)) {}

  Result<std::vector<Status>> commit(std::span<const jobs::JobEvent> events) override;
  Result<jobs::TrainingJob> find(const std::string& name) override { return inner_.find(name); }
  Result<std::vector<jobs::TrainingJob>> list(const store::ListFilter& filter) override {
    return inner_.list(filter);
  }
  Result<jobs::JobPage> page(const jobs::JobQuery& query) override { return inner_.page(query); }
  Result<std::vector<jobs::TrainingJob>> active() override { return inner_.active(); }
  Result<std::vector<store::StoredEvent>> events_after(std::int64_t row,
                                                       std::size_t limit) override;
  Result<std::vector<store::StoredEvent>> events_of(const std::string& job, std::int64_t row,
                                                    std::size_t limit) override {
    return inner_.events_of(job, row, limit);
  }
  Result<std::int64_t> last_row() override { return inner_.last_row(); }

 private:
  store::Store& inner_;
  FaultSource faults_;
};

// What one engine sees of the machine's backend, which lives on when the engine dies.
class BorrowedBackend final : public backends::Backend {
 public:
  BorrowedBackend(backends::ScriptedBackend& inner, FaultSource faults,
                  std::set<std::string>& released)
      : inner_(inner), faults_(std::move(faults)), released_(released) {}

  Status start(const jobs::TrainingJob& job) override;
  Status adopt(const jobs::TrainingJob& job) override { return inner_.adopt(job); }
  void stop(const std::string& job, backends::StopMode mode) override;
  Status release(const jobs::TrainingJob& job) override;

 private:
  backends::ScriptedBackend& inner_;
  FaultSource faults_;
  std::set<std::string>& released_;
};

}  // namespace evener::simulation
