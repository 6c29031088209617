// One exchange on one libcurl handle.
//
// Used by:  client.cc.
// Threads:  one at a time.
// Fails:    as client.h says.
#pragma once

#include <memory>

#include "http/client/client.h"

namespace evener::http {

// A libcurl handle with the connections that it keeps.
class CurlHandle {
 public:
  static Result<std::unique_ptr<CurlHandle>> make();
  ~CurlHandle();
  CurlHandle(const CurlHandle&) = delete;
  CurlHandle& operator=(const CurlHandle&) = delete;

  Result<Response> perform(const ClientOptions& options, const Exchange& exchange);

 private:
  explicit CurlHandle(void* easy) : easy_(easy) {}
  void* easy_;       // CURL*
};

}  // namespace evener::http
