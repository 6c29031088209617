// The three operations. Private to control_plane/cloudwatch.
//
// Used by:  cloudwatch.cc.
// Threads:  one Store per thread; otherwise pure but for the files they read.
// Fails:    with AWS's errors.
#pragma once

#include "base/clock.h"
#include "base/document.h"
#include "control_plane/cloudwatch/cloudwatch.h"
#include "training/store/store.h"

namespace evener::control_plane {

// Inputs that satisfy the service's model.
Result<document::Value> get_metric_statistics(store::Store& store, const document::Value& input,
                                              const CloudWatchOptions& options);
Result<document::Value> get_metric_data(store::Store& store, const document::Value& input,
                                        const CloudWatchOptions& options);
Result<document::Value> list_metrics(store::Store& store, const document::Value& input,
                                     WallTime now, const CloudWatchOptions& options);

}  // namespace evener::control_plane
