// The table of a running job, as lines of text. Pure: what is drawn depends on the job, the last
// samples and the width alone.
//
// Used by:  the live view.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "training/jobs/jobs.h"
#include "training/metrics/metrics.h"

namespace evener::app {

struct LiveState {
  std::map<std::string, metrics::Sample> last_samples;   // by host
  std::map<std::string, metrics::Progress> progress;     // by phase
  double machine_cpus = 0;                               // 0: not known
};

// Hosts beyond `max_rows` are counted in a last line.
std::vector<std::string> render_live_table(const jobs::TrainingJob& job, const LiveState& state,
                                           WallTime now, std::size_t width, std::size_t max_rows);

// "████▌     " of `cells` cells for a fraction between 0 and 1.
std::string bar(double fraction, std::size_t cells);

}  // namespace evener::app
