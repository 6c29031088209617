// An answer as bytes for the wire.
//
// Used by:  connection, one_reply.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/http.h"
#include "http/server/refusal.h"

namespace evener::http {

enum class KeepAlive { kYes, kYesAndSay, kNo };   // HTTP/1.0 wants to be told

struct Framing {
  std::string_view date;                          // http_date()
  KeepAlive keep_alive = KeepAlive::kYes;
};

// Whether no header of it can end the header or begin another.
bool is_well_formed(const Response& response);

// The status line and headers, with Content-Length, Date and Connection; the body follows it,
// unless has_no_body() or the request was HEAD.
std::string head_text(const Response& response, const Framing& framing);
bool has_no_body(int status);

Response refusal_response(const Refusal& refusal);
std::string http_date(WallTime time);             // "Mon, 30 Nov 2026 10:11:12 GMT"
std::string_view reason_phrase(int status);

}  // namespace evener::http
