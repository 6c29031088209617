// A Reply for one request: the first call counts, from whatever thread, and if none comes before
// it is dropped, the request is answered 500.
//
// Used by:  connection.
// Threads:  a Reply may be called from any.
// Fails:    never.
#pragma once

#include <memory>

#include "http/server/server.h"
#include "http/server/worker.h"

namespace evener::http {

class ReplyTaker {
 public:
  virtual ~ReplyTaker() = default;
  virtual void take_reply(Response response) = 0;   // on the worker's thread
  virtual Worker& worker() = 0;
};

Reply one_reply(std::shared_ptr<ReplyTaker> taker);

}  // namespace evener::http
