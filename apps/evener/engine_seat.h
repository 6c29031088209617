// The seat of the engine of one home: whoever holds the home's lock runs the engine for all of
// its jobs. A process that finds the seat taken waits for it and moves in when it is left.
//
// Used by:  train, engine, serve, jobs (to import what supervisors wrote while no engine ran).
// Threads:  one thread tries for the lock and then runs the engine; one listens for wake-ups.
//           Both end in the destructor. wake() may be called from any thread.
// Fails:    start() when the store or the backend cannot be opened.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "evener/home.h"
#include "os/file_system.h"
#include "os/socket.h"
#include "training/backends/local/job_folder/job_folder.h"
#include "training/engine/engine.h"
#include "training/sandbox/sandbox.h"

namespace evener::app {

struct SeatOptions {
  Home home;
  sandbox::Isolation isolation = sandbox::Isolation::kNamespaces;
  // Under a server jobs wait for the next one, however long.
  backends::EngineKind kind = backends::EngineKind::kEmbedded;
  std::vector<sandbox::HostService> host_services = {};   // that its jobs reach
  // As the engine's, while this process has the seat.
  std::function<void(const jobs::JobEvent&, const jobs::TrainingJob&)> observer = {};
};

class EngineSeat {
 public:
  // Takes the seat at once if it is free; else keeps trying in the background.
  static Result<std::unique_ptr<EngineSeat>> start(SeatOptions options, os::FileSystem& files,
                                                   const Clock& clock);
  ~EngineSeat();
  EngineSeat(const EngineSeat&) = delete;
  EngineSeat& operator=(const EngineSeat&) = delete;

  bool taken() const { return taken_.load(); }
  // Once the seat is taken; as long as this lives.
  engine::Engine& engine() { return *engine_; }

 private:
  EngineSeat(SeatOptions options, os::FileSystem& files, const Clock& clock);
  Result<bool> try_take();
  void hold(std::stop_token stop);
  void listen(std::stop_token stop);

  const SeatOptions options_;
  os::FileSystem& files_;
  const Clock& clock_;
  std::atomic<bool> taken_{false};
  std::optional<os::FileLock> lock_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
  std::jthread listener_;
  std::jthread holder_;
};

// Tells the engine of `home`, in whichever process it runs, to look for new events. Without an
// engine nothing happens.
void wake_engine(const Home& home);

// Removes what an engine that was killed left in the home, if there is no other by now.
void clear_seat(const Home& home, os::FileSystem& files);

// Makes sure that the home has an engine: one that is there, or one in the background from now on.
enum class Attended { kBefore, kNow };
Result<Attended> attend(const Home& home);

// Starts `evener engine` in the background: it carries on until no job of the home is active. One
// is enough for a home: a second one leaves at once, so this may be called at any time.
Status start_background_engine(const Home& home, sandbox::Isolation isolation);

// What the machine has for jobs: CPUs this process may use, memory, NVIDIA devices.
scheduling::Cluster machine_cluster();

}  // namespace evener::app
