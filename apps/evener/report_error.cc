#include <cstdio>

#include "evener/commands.h"

namespace evener::app {

int report_error(const Error& error, int code) {
  std::fprintf(stderr, "evener: %s\n", error.message.c_str());
  return code;
}

}  // namespace evener::app
