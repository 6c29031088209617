// An image between resize and output, where an output row cannot be written as it comes: three
// planes of floats, 0..1. Colour jitter needs the mean of all pixels; swapped axes need all rows.
//
// Used by:  decoder.
// Threads:  functions on values of one thread.
// Fails:    never.
// Source:   torchvision.transforms.functional (adjust_brightness, _contrast, _saturation, _hue on
//           float tensors).
#pragma once

#include <span>
#include <vector>

#include "data/images/images.h"
#include "data/images/kernels.h"

namespace evener::data::images {

struct Planes {
  Size size;
  std::vector<float> values;       // [3][height][width]
};

// As the formulas say, for any machine, and the same compiled for AVX2: equal bits.
void apply_jitter(const Jitter& jitter, Instructions instructions, Planes& planes);

void swap_axes(const Planes& planes, Planes& swapped);

// Normalises and writes in the transform's format.
void write_planes(const Planes& planes, const Transform& transform, const Kernels& kernels,
                  std::span<std::byte> out);

}  // namespace evener::data::images
