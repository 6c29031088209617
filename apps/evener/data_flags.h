// The sub-commands of `evener data` and their flags.
//
// Used by:  flags.cc.
// Threads:  the main thread, once.
// Fails:    as flags.h.
#pragma once

namespace CLI {
class App;
}

namespace evener::app {

// `exit_code` is set by the command that runs.
void add_data(CLI::App& root, int& exit_code);

}  // namespace evener::app
