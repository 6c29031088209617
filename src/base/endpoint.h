// Where a server is, as its URL says.
//
// Used by:  storage/s3_server, storage/s3_door.
// Threads:  pure.
// Fails:    never.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evener {

// 8333 of "http://127.0.0.1:8333"; nothing where no port from 1 to 65535 ends it.
std::optional<std::uint16_t> port_of(std::string_view endpoint);

}  // namespace evener
