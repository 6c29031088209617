#include "training/backends/local/job_folder/plan.h"

#include <span>

namespace evener::backends {
namespace {

constexpr std::uint64_t kMaxPlanBytes = 64u << 20;

}  // namespace

Status write_plan(os::FileSystem& files, const std::filesystem::path& path, const Plan& plan) {
  // The mode is set while the file is still empty.
  auto file = files.create(path);
  if (!file) return tl::unexpected<Error>(file.error());
  RETURN_IF_ERROR(files.set_mode(path, 0600));
  const std::string text = plan_text(plan);
  RETURN_IF_ERROR((*file)->append(std::as_bytes(std::span(text))));
  return (*file)->close();
}

Result<Plan> read_plan(os::FileSystem& files, const std::filesystem::path& path) {
  auto text = os::read_text(files, path, kMaxPlanBytes);
  if (!text) return tl::unexpected<Error>(text.error());
  return plan_from_text(*text);
}

}  // namespace evener::backends
