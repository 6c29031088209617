// Why a request is answered by the server itself and never reaches the handler.
#pragma once

#include <string_view>

namespace evener::http {

struct Refusal {
  int status = 400;
  std::string_view why;   // of static duration
};

}  // namespace evener::http
