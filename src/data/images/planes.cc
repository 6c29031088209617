#include "data/images/planes.h"

#include <algorithm>

namespace evener::data::images {
namespace {

constexpr std::size_t kTile = 16;  // pixels a side: what is read and written fits the first cache

void swap_plane(const float* plane, std::size_t width, std::size_t height, float* swapped) {
  for (std::size_t y0 = 0; y0 < height; y0 += kTile) {
    for (std::size_t x0 = 0; x0 < width; x0 += kTile) {
      for (std::size_t x = x0; x < std::min(x0 + kTile, width); ++x) {
        for (std::size_t y = y0; y < std::min(y0 + kTile, height); ++y) {
          swapped[x * height + y] = plane[y * width + x];
        }
      }
    }
  }
}

std::size_t pixels_of(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

void write_bytes(const Planes& planes, std::span<std::byte> out) {
  const std::size_t count = pixels_of(planes.size);
  for (std::size_t c = 0; c < 3; ++c) {
    const float* plane = planes.values.data() + c * count;
    for (std::size_t i = 0; i < count; ++i) {
      out[i * 3 + c] = static_cast<std::byte>(static_cast<int>(plane[i] * 255.0f + 0.5f));
    }
  }
}

void scale_to_f32(const float* values, std::size_t count, float scale, float offset, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = values[i] * scale + offset;
}

}  // namespace

void swap_axes(const Planes& planes, Planes& swapped) {
  const std::size_t count = pixels_of(planes.size);
  swapped.size = {planes.size.height, planes.size.width};
  swapped.values.resize(count * 3);
  for (std::size_t c = 0; c < 3; ++c) {
    swap_plane(planes.values.data() + c * count, static_cast<std::size_t>(planes.size.width),
               static_cast<std::size_t>(planes.size.height), swapped.values.data() + c * count);
  }
}

void write_planes(const Planes& planes, const Transform& transform, const Kernels& kernels,
                  std::span<std::byte> out) {
  if (transform.format == PixelFormat::kU8Hwc) return write_bytes(planes, out);
  const std::size_t count = pixels_of(planes.size);
  for (std::size_t c = 0; c < 3; ++c) {
    const float scale = 1.0f / transform.std[c];
    const float offset = -transform.mean[c] / transform.std[c];
    const float* plane = planes.values.data() + c * count;
    if (transform.format == PixelFormat::kF32Chw) {
      scale_to_f32(plane, count, scale, offset, reinterpret_cast<float*>(out.data()) + c * count);
    } else {
      kernels.scale_to_f16(plane, count, scale, offset,
                           reinterpret_cast<std::uint16_t*>(out.data()) + c * count);
    }
  }
}

}  // namespace evener::data::images
