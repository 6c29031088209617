#include "training/logs/logs.h"

namespace evener::logs {

std::string stream_name(std::string_view job, std::string_view host, WallTime launched) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(launched).time_since_epoch();
  return std::string(job) + "/" + std::string(host) + "-" + std::to_string(seconds.count());
}

}  // namespace evener::logs
