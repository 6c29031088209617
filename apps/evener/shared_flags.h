// Flags that mean the same in several commands.
//
// Used by:  flags.cc, data_flags.cc, data_service_flags.cc.
// Threads:  the main thread, once.
// Fails:    as flags.h. The strings must outlive the parsing.
#pragma once

#include <string>

#include "evener/options.h"

namespace CLI {
class App;
}

namespace evener::app {

void add_json(CLI::App& command, OutputForm& form);
// Of what serves: either both or none.
void add_tls(CLI::App& command, std::string& certificate, std::string& key);

}  // namespace evener::app
