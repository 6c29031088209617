#include "training/sandbox/sandbox.h"

#include "training/sandbox/cluster.h"

namespace evener::sandbox {

Result<std::unique_ptr<Sandbox>> Sandbox::create(const SandboxOptions& options) {
  auto cluster = std::make_unique<Cluster>(options);
  RETURN_IF_ERROR(cluster->build());
  return std::unique_ptr<Sandbox>(std::move(cluster));
}

}  // namespace evener::sandbox
