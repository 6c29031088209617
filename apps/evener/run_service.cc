#include "evener/run_service.h"

#include "evener/commands.h"

namespace evener::app {

int run_service(const std::function<Result<int>(Interrupts&)>& serve) {
  auto interrupts = Interrupts::make();
  if (!interrupts) return report_error(interrupts.error(), kExitFailed);
  auto served = serve(*interrupts);
  if (served) return *served;
  const bool usage = served.error().code == ErrorCode::kInvalidArgument;
  return report_error(served.error(), usage ? kExitUsage : kExitFailed);
}

}  // namespace evener::app
