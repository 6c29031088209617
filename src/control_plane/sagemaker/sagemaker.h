// SageMaker's operations on training jobs over one home: what reads asks the store, what changes goes
// through the engine and is answered once it is durable.
//
// Used by:  apps (`evener serve`).
// Threads:  the operations run on any; changes are answered on the engine's thread.
// Fails:    operations with AWS's errors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "control_plane/operations/operations.h"
#include "control_plane/stores/stores.h"
#include "training/engine/engine.h"
#include "training/operations/operations.h"

namespace evener::control_plane {

inline constexpr std::size_t kDescribedBytes = 16u << 20;   // of ready answers that are kept

struct SageMakerOptions {
  std::string account = "000000000000";
  operations::LocalPaths paths = operations::LocalPaths::kAllowed;
  // See operations::CreateOptions; called on the server's threads.
  std::function<Status(jobs::JobSpec& spec, std::vector<std::string>& notices)> complete{};
  // A job was deleted: what it left in the home may go. Called on the engine's thread, so it must
  // not wait.
  std::function<void(const std::string& job)> deleted{};
};

// `stores`, `engine` and `clock` outlive the operations.
std::vector<Operation> sagemaker_operations(Stores& stores, engine::Engine& engine,
                                            const Clock& clock, SageMakerOptions options);

// Search may read every job of the home: for threads of its own (control_plane/background).
std::vector<Operation> search_operations(Stores& stores);

}  // namespace evener::control_plane
