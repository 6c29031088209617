#include "evener/commands.h"
#include "evener/object_stores.h"
#include "training/backends/local/supervisor/supervisor.h"

namespace evener::app {

int run_supervise(const std::filesystem::path& job_folder) {
  const auto files = os::make_real_file_system();
  std::optional<ObjectStores> objects;
  const auto add_stores = [&](storage::StoreSet& stores, const backends::StoreWishes& wishes) {
    objects.emplace();
    stores.add("s3", objects->make([&] { return find_object_access(job_folder, *files); }, wishes));
  };
  SystemRandom random;
  return backends::run_supervisor(job_folder, SystemClock(), random, add_stores);
}

}  // namespace evener::app
