// What decode() has to do, worked out before a byte is decoded: the region in the image as it is
// stored, how the stored axes run, and how far the decoder may shrink.
//
// Used by:  decoder, decode_slowly (the checks).
// Threads:  values and pure functions.
// Fails:    kInvalidArgument, kLimitExceeded: what the caller asked for cannot be made.
#pragma once

#include "data/images/images.h"
#include "data/images/weights.h"

namespace evener::data::images {

// A seen image is the stored one with its axes swapped, if they are, after mirroring.
struct Turn {
  bool swaps_axes = false;
  Direction x = Direction::kForward;  // of the stored axes
  Direction y = Direction::kForward;
};
Turn turn_of(int exif_orientation);

struct Plan {
  Size stored;                     // the image in the file
  Region region;                   // in stored pixels
  Crop needed = {};                // of the stored pixels: what the filter looks at
  Size out;                        // before the axes are swapped
  Turn turn;                       // with the flip
  int shrink = 1;
};

Plan plan_of(const Facts& facts, const Transform& transform);

// Whether the transform can be made of this image, into `out`.
Status check_transform(const Facts& facts, const Transform& transform,
                       std::span<const std::byte> out);

}  // namespace evener::data::images
