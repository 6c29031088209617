// Uploads that somebody began and never ended: they cost room and are seen by nobody.
//
// Used by:  multipart.
// Threads:  functions.
// Fails:    never: what cannot be removed stays.
#pragma once

#include "storage/s3/requests.h"

namespace evener::storage {

// "2026-11-30T10:11:12.000Z"
std::optional<WallTime> parse_time(std::string_view text);

// Of exactly this object, begun before `before`.
void remove_orphans(Requests& requests, const Uri& object, WallTime before);

}  // namespace evener::storage
