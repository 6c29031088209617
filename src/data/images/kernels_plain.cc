#include <bit>

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

// Of one value, in kSumBits fractional bits.
std::int32_t sum_at(const RowSum& sum, std::size_t at) {
  std::int32_t total = 0;
  for (int k = 0; k < sum.taps; ++k) total += sum.rows[k][at] * sum.weights[k];
  return total;
}

void sum_to_u8(const RowSum& sum, std::uint8_t* rgb) {
  constexpr std::int32_t kHalf = 1 << (kSumBits - 1);
  for (std::size_t x = 0; x < static_cast<std::size_t>(sum.width); ++x) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int32_t value = sum_at(sum, c * sum.stride + x);
      rgb[x * 3 + c] = static_cast<std::uint8_t>((value + kHalf) >> kSumBits);
    }
  }
}

template <class Store>
void sum_to(const RowSum& sum, const Affine& affine, const Store& store) {
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t x = 0; x < static_cast<std::size_t>(sum.width); ++x) {
      const auto value = static_cast<float>(sum_at(sum, c * sum.stride + x));
      store(c, x, value * affine.scale[c] + affine.offset[c]);
    }
  }
}

void sum_to_f32(const RowSum& sum, const Affine& affine, float* const planes[3]) {
  sum_to(sum, affine, [&](std::size_t c, std::size_t x, float value) { planes[c][x] = value; });
}

void sum_to_f16(const RowSum& sum, const Affine& affine, std::uint16_t* const planes[3]) {
  sum_to(sum, affine,
         [&](std::size_t c, std::size_t x, float value) { planes[c][x] = half_of(value); });
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
