// The jobs of a home, with everything imported that supervisors wrote while no engine ran. Jobs that
// are still active get an engine in the background: whoever looks after a job takes it over.
//
// Used by:  job_source (jobs ...), train, jobs upload.
// Threads:  one.
// Fails:    see job_source.h.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "evener/home.h"
#include "evener/job_source.h"
#include "os/file_system.h"

namespace evener::app {

struct OpenedHome {
  Home home;
  std::unique_ptr<os::FileSystem> files;
  std::unique_ptr<store::Store> store;
};
// For commands that look at jobs.
Result<OpenedHome> open_home_jobs(const SharedOptions& options, const Clock& clock);

Result<std::unique_ptr<JobSource>> open_local_jobs(const SharedOptions& options, const Clock& clock);

// Whose engine carries out a stop: one that runs here or is waited for, or any, in the background if
// need be.
enum class Engines { kHere, kAny };
struct LocalJobsOptions {
  Engines engines = Engines::kAny;
  // How a feed rests.
  std::function<void()> rest{};
};
std::unique_ptr<JobSource> make_local_jobs(OpenedHome home, const Clock& clock,
                                           LocalJobsOptions options);

}  // namespace evener::app
