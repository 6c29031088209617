// CBOR as rpcv2Cbor uses it. Private to wire.
//
// Used by:  wire.
// Threads:  pure functions.
// Fails:    read_cbor() with "SerializationException: ..." on bytes that are not one whole item,
//           on depth, on names given twice, and on what no document holds (bytes, NaN).
// Source:   RFC 8949.
#pragma once

#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"

namespace evener::wire {

Result<document::Value> read_cbor(std::string_view bytes);
// Members that leaf_kind() calls times get tag 1.
std::string write_cbor(const document::Value& value);

}  // namespace evener::wire
