#include "training/backends/local/job_folder/job_folder.h"

namespace evener::backends {

JobFolder job_folder(const std::filesystem::path& home, const std::string& job) {
  return JobFolder{home / "jobs" / job};
}

}  // namespace evener::backends
