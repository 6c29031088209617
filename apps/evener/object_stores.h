// The object stores that a home's jobs use besides file://: where they are, who may open them, and
// the clients that do.
//
// Used by:  train (keep_object_access), supervise, jobs upload, remote_inputs.
// Threads:  one; the stores that an ObjectStores makes may be shared, and end before it.
// Fails:    kInvalidArgument when an s3:// place is named and no endpoint is known; access files'
//           errors.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "evener/home.h"
#include "os/file_system.h"
#include "storage/s3/s3.h"
#include "training/backends/local/supervisor/supervisor.h"
#include "training/jobs/jobs.h"

namespace evener::app {

// Before a job of this process is made durable: what the environment says of S3 is kept for the
// job in its folder, readable by its owner only. Fails if the job needs a store and neither the
// environment nor the home knows one.
Status keep_object_access(const Home& home, const jobs::JobSpec& spec, os::FileSystem& files);

// The job's own access, else the home's.
Result<storage::S3Access> find_object_access(const std::filesystem::path& job_folder,
                                             os::FileSystem& files);

class ObjectStores {
 public:
  // `access` is asked again after failures.
  std::unique_ptr<storage::S3Store> make(std::function<Result<storage::S3Access>()> access,
                                         const backends::StoreWishes& wishes);

 private:
  SystemClock clock_;
  SystemRandom random_;
  std::vector<std::unique_ptr<http::Client>> clients_;   // one for each store
};

}  // namespace evener::app
