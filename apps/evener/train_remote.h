// `evener train --server`: the request is checked and completed here, and runs there.
//
// Used by:  train.
// Threads:  those of train_view.
// Fails:    answers the process's exit code; errors are reported.
#pragma once

#include <string>

#include "evener/options.h"

namespace evener::app {

int run_train_on(const std::string& server, const TrainOptions& options);

}  // namespace evener::app
