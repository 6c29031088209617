#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "data/images/half.h"
#include "data/images/images.h"

namespace evener::data::images {
namespace {

// Of 0..255, whatever the format.
double value_at(std::span<const std::byte> pixels, const Transform& transform, std::size_t index) {
  if (transform.format == PixelFormat::kU8Hwc) return std::to_integer<int>(pixels[index]);
  float number = 0;
  if (transform.format == PixelFormat::kF32Chw) {
    std::memcpy(&number, pixels.data() + index * sizeof number, sizeof number);
  } else {
    std::uint16_t half = 0;
    std::memcpy(&half, pixels.data() + index * sizeof half, sizeof half);
    number = float_of(half);
  }
  const std::size_t plane = bytes_of(transform.out, PixelFormat::kU8Hwc) / 3;
  const std::size_t channel = index / plane;
  return 255.0 * (static_cast<double>(number) * transform.std[channel] + transform.mean[channel]);
}

}  // namespace

double psnr_db(std::span<const std::byte> left, std::span<const std::byte> right,
               const Transform& transform) {
  CHECK(left.size() == right.size() &&
            left.size() == bytes_of(transform.out, transform.format),
        "both images are of the transform");
  const std::size_t count = bytes_of(transform.out, PixelFormat::kU8Hwc);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = value_at(left, transform, i) - value_at(right, transform, i);
    sum += difference * difference;
  }
  const double mean = sum / static_cast<double>(count);
  constexpr double kEqual = 255.0 * 255.0 * 1e-10;  // 100 dB
  return 10 * std::log10(255.0 * 255.0 / std::max(mean, kEqual));
}

}  // namespace evener::data::images
