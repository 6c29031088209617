// Evener's own operations, for `evener train --server` and `evener jobs --server`: what their views
// show and SageMaker's API has no member for. Targets are "Evener.<operation>", in JSON 1.1, signed
// for the service "evener".
//
//   GetServer  {}                                  -> what this server is, see ServerFacts
//   GetJobs    {TrainingJobNames}                  -> {Jobs: [texts]}; of those that there are
//   FollowJob  {TrainingJobName, Position?, WaitMilliseconds?} -> {Update, Position}
//   GetJobCost {TrainingJobName, Region?}          -> {Groups: [{Group, Usd?, ...}], Usd?}
//   StopJob    {TrainingJobName, AtOnce}           -> {}
//
// Used by:  apps (`evener serve`).
// Threads:  the operations run on any; FollowJob is answered on the thread of Followers, StopJob on
//           the engine's.
// Fails:    operations with ValidationException, ResourceNotFound; see wire.h.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "advice/cost/cost.h"
#include "base/clock.h"
#include "control_plane/evener/followers.h"
#include "control_plane/operations/operations.h"
#include "control_plane/stores/stores.h"
#include "training/engine/engine.h"

namespace evener::control_plane {

inline constexpr std::size_t kJobsPerAnswer = 20;    // of GetJobs: each may have 400 KB

struct ServerFacts {
  std::string version;
  std::string output;           // where results go if a request does not say: a URI
  std::string s3_endpoint{};    // "" where the server knows none
  std::string bucket{};
  double cpus = 0;              // that its jobs may use; 0: not known
  // By which a client tells whether it sees the same files: a folder of the server's, the two
  // numbers that its file system knows it by, and the boot of the machine.
  std::filesystem::path folder;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::string boot{};
};

struct EvenerOptions {
  ServerFacts facts;
  std::function<Result<cost::JobCost>(const jobs::TrainingJob& job, const std::string& region)> cost{};
};

// All but `options` outlive the operations.
std::vector<Operation> evener_operations(Stores& stores, engine::Engine& engine,
                                         Followers& followers, const Clock& clock,
                                         EvenerOptions options);

// ---- the answers as values, for the other end ------------------------------------------------

document::Value document_of(const ServerFacts& facts);
// kCorrupt where it is no answer of GetServer.
Result<ServerFacts> facts_from(const document::Value& value);
document::Value document_of(const cost::JobCost& cost);
cost::JobCost cost_from(const document::Value& value);

}  // namespace evener::control_plane
