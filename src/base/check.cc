#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace evener {

void check_failed(std::string_view condition, std::string_view message,
                  std::source_location where) {
  std::fprintf(stderr, "%s:%u: CHECK failed: %.*s: %.*s\n", where.file_name(),
               where.line(), static_cast<int>(condition.size()),
               condition.data(), static_cast<int>(message.size()), message.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace evener
