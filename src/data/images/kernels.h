// The inner loops over pixels, once in plain C++ and once in AVX2, with the same bits as result:
// sums are of whole numbers, and floating-point operations come in the same order without
// contraction.
//
// Used by:  resizer, planes.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/images/weights.h"

namespace evener::data::images {

// Between the two passes a value 0..255 has 7 fractional bits: 255 << 7 just fits 16 bits.
inline constexpr int kRowBits = 7;
// After the second pass it has these.
inline constexpr int kSumBits = kRowBits + kWeightBits;

// Bytes that resize_rows may read behind the last pixel of a row, besides 3 for each tap.
inline constexpr std::size_t kReadAhead = 16;
// Weights across a row come in groups of taps and outputs of these sizes, those down in groups of
// taps.
inline constexpr Groups kAcrossGroups = {.taps = 4, .outputs = 8};
inline constexpr Groups kDownGroups = {.taps = 2, .outputs = 1};
// Values of a plane of a row are padded to a multiple of this.
inline constexpr int kLanes = 16;

// A row between the passes: three planes (red, green, blue) of `stride` values each.
struct PlaneRow {
  std::int16_t* values = nullptr;
};

// value * scale + offset, for each channel.
struct Affine {
  float scale[3] = {1, 1, 1};
  float offset[3] = {0, 0, 0};
};

// One output row: `taps` rows (an even number), their weights, how many values a plane has.
struct RowSum {
  const std::int16_t* const* rows = nullptr;
  const std::int16_t* weights = nullptr;
  int taps = 0;
  int width = 0;
  std::size_t stride = 0;          // of a plane in a row; a multiple of kLanes
};

struct Kernels {
  // Two rows of RGB bytes, each to three planes. The weights are in kAcrossGroups.
  void (*resize_rows)(const std::uint8_t* const rgb[2], const Weights& weights,
                      std::int16_t* const planes[2], std::size_t stride);
  void (*sum_to_u8)(const RowSum& sum, std::uint8_t* rgb);
  void (*sum_to_f32)(const RowSum& sum, const Affine& affine, float* const planes[3]);
  void (*sum_to_f16)(const RowSum& sum, const Affine& affine, std::uint16_t* const planes[3]);
  // `count` values of one plane.
  void (*scale_to_f16)(const float* values, std::size_t count, float scale, float offset,
                       std::uint16_t* halves);
};

const Kernels& plain_kernels();
// The plain ones where the processor has not AVX2 and F16C.
const Kernels& best_kernels();

}  // namespace evener::data::images
