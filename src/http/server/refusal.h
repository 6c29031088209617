// Why a request is answered by the server itself and never reaches the handler.
//
// Used by:  the files of this folder.
// Threads:  values.
// Fails:    never.
#pragma once

#include <string_view>

namespace evener::http {

struct Refusal {
  int status = 400;
  std::string_view why;   // of static duration
};

}  // namespace evener::http
