// The streams of the log group: where each host's log is. Private to control_plane/logs.
//
// Used by:  control_plane/logs.
// Threads:  values; one thread at a time.
// Fails:    kNotFound as "ResourceNotFoundException: ..." with AWS's text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/document.h"
#include "base/result.h"
#include "control_plane/logs/logs.h"
#include "training/jobs/jobs.h"
#include "training/store/store.h"

namespace evener::control_plane {

struct Stream {
  std::string name;             // "<job>/<host>-<epoch seconds>"
  std::string host;
  std::filesystem::path folder;
  WallTime created{};
  WallTime last{};              // about when its last event came
  bool ended = false;           // no event will follow
};

tl::unexpected<Error> no_such_group();
tl::unexpected<Error> no_such_stream();
tl::unexpected<Error> invalid_parameter(std::string text);

// The group that an input names, by its name or its ARN; the one that there is, or no_such_group().
Status check_group(const document::Value& input);

std::vector<Stream> streams_of(const jobs::TrainingJob& job, const LogOptions& options);
Result<Stream> find_stream(store::Store& store, std::string_view name, const LogOptions& options);
// Which streams, job after job; of one job all, however many.
struct StreamQuery {
  std::string prefix{};
  jobs::JobQuery jobs{};        // order, times, and where to begin
  std::size_t limit = 50;
};
struct StreamPage {
  std::vector<Stream> streams{};
  std::optional<jobs::PageKey> next{};   // absent: nothing follows
};
Result<StreamPage> read_streams(store::Store& store, const StreamQuery& query,
                                const LogOptions& options);

// An integer member of an input within its bounds, or `absent`.
Result<std::int64_t> integer_at(const document::Value& input, std::string_view name,
                                std::int64_t least, std::int64_t most, std::int64_t absent);

}  // namespace evener::control_plane
