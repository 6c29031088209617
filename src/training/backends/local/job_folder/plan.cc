#include "training/backends/local/job_folder/plan.h"

namespace evener::backends {
namespace {

constexpr std::uint64_t kMaxPlanBytes = 64u << 20;

}  // namespace

Status write_plan(os::FileSystem& files, const std::filesystem::path& path, const Plan& plan) {
  return os::write_private_text(files, path, plan_text(plan));
}

Result<Plan> read_plan(os::FileSystem& files, const std::filesystem::path& path) {
  auto text = os::read_text(files, path, kMaxPlanBytes);
  if (!text) return tl::unexpected<Error>(text.error());
  return plan_from_text(*text);
}

}  // namespace evener::backends
