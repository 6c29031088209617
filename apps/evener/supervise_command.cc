#include "evener/commands.h"
#include "training/backends/local/supervisor/supervisor.h"

namespace evener::app {

int run_supervise(const std::filesystem::path& job_folder) {
  return backends::run_supervisor(job_folder, SystemClock());
}

}  // namespace evener::app
