#include "evener/run_home.h"

#include "evener/isolation.h"

namespace evener::app {

Result<RunHome> open_run_home(const SharedOptions& options, const std::string& isolation) {
  auto home = open_home(options.home);
  if (!home) return tl::unexpected(home.error());
  auto files = os::make_real_file_system();
  auto chosen = choose_isolation(isolation, *home, *files);
  if (!chosen) return tl::unexpected(chosen.error());
  return RunHome{std::move(*home), std::move(files), *chosen};
}

}  // namespace evener::app
