// The orientation in an Exif block: tag 0x0112 of the first directory of a TIFF structure.
//
// Used by:  probe.
// Threads:  pure function.
// Fails:    never: a block that cannot be read has orientation 1, as viewers take it.
// Source:   CIPA DC-008 (Exif 2.32), TIFF 6.0.
#pragma once

#include <cstddef>
#include <span>

namespace evener::data::images {

// `tiff` begins with the byte order, "II" or "MM". Returns 1..8.
int orientation_in_tiff(std::span<const std::byte> tiff);

}  // namespace evener::data::images
