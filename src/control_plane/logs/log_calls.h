// The operations that read events. Private to control_plane/logs.
//
// Used by:  logs.cc.
// Threads:  one Store per thread; otherwise pure.
// Fails:    with AWS's errors.
#pragma once

#include "control_plane/logs/streams.h"

namespace evener::control_plane {

Result<document::Value> describe_log_groups(const document::Value& input, const std::string& region,
                                            const LogOptions& options);
Result<document::Value> describe_log_streams(store::Store& store, const document::Value& input,
                                             const std::string& region, const LogOptions& options);
Result<wire::Output> get_log_events(store::Store& store, const document::Value& input,
                                    const LogOptions& options);
Result<wire::Output> filter_log_events(store::Store& store, const document::Value& input,
                                       const LogOptions& options);

}  // namespace evener::control_plane
