#include <algorithm>
#include <array>

#include "data/images/half.h"
#include "data/images/kernels.h"

namespace evener::data::images {
namespace {

void resize_row(const std::uint8_t* rgb, const Weights& weights, std::int16_t* planes,
                std::size_t stride) {
  const std::int16_t* values = weights.values.data();
  for (std::size_t x = 0; x < weights.starts.size(); ++x, values += weights.taps) {
    const std::uint8_t* pixel = rgb + static_cast<std::ptrdiff_t>(weights.starts[x]) * 3;
    std::int32_t sums[3] = {1 << (kWeightBits - kRowBits - 1), 1 << (kWeightBits - kRowBits - 1),
                            1 << (kWeightBits - kRowBits - 1)};
    for (int k = 0; k < weights.taps; ++k, pixel += 3) {
      for (int c = 0; c < 3; ++c) sums[c] += pixel[c] * values[k];
    }
    for (std::size_t c = 0; c < 3; ++c) {
      planes[c * stride + x] = static_cast<std::int16_t>(sums[c] >> (kWeightBits - kRowBits));
    }
  }
}

void resize_rows(const std::uint8_t* const rgb[2], const Weights& weights,
                 std::int16_t* const planes[2], std::size_t stride) {
  resize_row(rgb[0], weights, planes[0], stride);
  resize_row(rgb[1], weights, planes[1], stride);
}

using Sums = std::array<std::int32_t, kLanes>;

// Of kLanes values from `at` on, with kSumBits fractional bits. Planes are padded, so that there
// are always as many; loops of a fixed length become vectors of whatever machine it is.
Sums sum_lanes(const RowSum& sum, std::size_t at) {
  Sums sums{};
  for (int k = 0; k < sum.taps; ++k) {
    const std::int16_t* row = sum.rows[k] + at;
    const std::int32_t weight = sum.weights[k];
    for (std::size_t i = 0; i < kLanes; ++i) sums[i] += row[i] * weight;
  }
  return sums;
}

void sum_to_u8(const RowSum& sum, std::uint8_t* rgb) {
  constexpr std::int32_t kHalf = 1 << (kSumBits - 1);
  const auto width = static_cast<std::size_t>(sum.width);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t x = 0; x < width; x += kLanes) {
      const Sums sums = sum_lanes(sum, c * sum.stride + x);
      std::uint8_t* target = rgb + x * 3 + c;
      for (std::size_t i = 0; i < std::min<std::size_t>(kLanes, width - x); ++i) {
        target[i * 3] = static_cast<std::uint8_t>((sums[i] + kHalf) >> kSumBits);
      }
    }
  }
}

template <class Value, class Convert>
void sum_to(const RowSum& sum, const Affine& affine, const Convert& convert,
            Value* const planes[3]) {
  const auto width = static_cast<std::size_t>(sum.width);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t x = 0; x < width; x += kLanes) {
      const Sums sums = sum_lanes(sum, c * sum.stride + x);
      std::array<Value, kLanes> values;
      for (std::size_t i = 0; i < kLanes; ++i) {
        values[i] = convert(static_cast<float>(sums[i]) * affine.scale[c] + affine.offset[c]);
      }
      std::copy_n(values.begin(), std::min<std::size_t>(kLanes, width - x), planes[c] + x);
    }
  }
}

void sum_to_f32(const RowSum& sum, const Affine& affine, float* const planes[3]) {
  sum_to(sum, affine, [](float value) { return value; }, planes);
}

void sum_to_f16(const RowSum& sum, const Affine& affine, std::uint16_t* const planes[3]) {
  sum_to(sum, affine, half_of, planes);
}

void scale_to_f16(const float* values, std::size_t count, float scale, float offset,
                  std::uint16_t* halves) {
  for (std::size_t i = 0; i < count; ++i) halves[i] = half_of(values[i] * scale + offset);
}

}  // namespace

const Kernels& plain_kernels() {
  static constexpr Kernels kKernels = {resize_rows, sum_to_u8, sum_to_f32, sum_to_f16,
                                       scale_to_f16};
  return kKernels;
}

}  // namespace evener::data::images
