// Which members are times, numbers and booleans, by their names: the query form and CBOR do not
// tell, or tell otherwise than JSON. Private to wire.
//
// Used by:  query_form.cc, xml_body.cc, cbor_reader.cc, cbor_writer.cc.
// Threads:  pure functions.
// Fails:    read_leaf() with "SerializationException: ...".
#pragma once

#include <string_view>

#include "base/document.h"
#include "base/result.h"

namespace evener::wire {

enum class Leaf { kText, kTime, kNumber, kBoolean };
// Of a member anywhere in an input or output of the services that speak these protocols.
Leaf leaf_kind(std::string_view member);

// Whether a structure's members are entries of a map, which XML writes otherwise.
bool is_map(std::string_view member);
// Whether the member is a list: the query form gives an empty one as an empty text.
bool is_list(std::string_view member);

// The text of a leaf as a document: a time from its ISO 8601 form.
Result<document::Value> read_leaf(std::string_view member, std::string_view text);

// "2026-11-30T10:11:12.345Z"; the milliseconds are left out where they are 0.
std::string time_text(const document::Value& seconds);
// Milliseconds of "2026-11-30T10:11:12Z" with optional fraction and offset, or of a date alone.
Result<std::int64_t> millis_from(std::string_view text);
// Of a number of seconds.
std::int64_t millis_of(const document::Value& seconds);

}  // namespace evener::wire
