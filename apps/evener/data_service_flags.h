// Flags of dispatcher, worker, run, and of the benchmarks of images and stages.
//
// Used by:  data_flags.cc.
// Threads:  the main thread, once.
// Fails:    as flags.h.
#pragma once

namespace CLI {
class App;
}

namespace evener::app {

void add_data_service(CLI::App& data, int& exit_code);
void add_data_image_benches(CLI::App& bench, int& exit_code);

}  // namespace evener::app
