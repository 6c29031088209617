// The store of a home as the `evener jobs` commands see it: with everything imported that
// supervisors wrote while no engine ran. Jobs that are still active get an engine in the
// background: whoever looks after a job takes it over.
//
// Used by:  jobs list, show, logs, stop, delete.
// Threads:  one.
// Fails:    the home's and the store's errors, which are the user's to mend (kExitUsage); kNotFound
//           where the home has no jobs, or no job of that name.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "evener/home.h"
#include "evener/options.h"
#include "os/file_system.h"
#include "training/store/store.h"

namespace evener::app {

struct OpenedJobs {
  Home home;
  std::unique_ptr<os::FileSystem> files;
  std::unique_ptr<store::Store> store;
};
Result<OpenedJobs> open_jobs(const SharedOptions& options, const Clock& clock);

// The job, or what else the user may have meant.
Result<jobs::TrainingJob> find_job(store::Store& store, const std::string& name);

}  // namespace evener::app
