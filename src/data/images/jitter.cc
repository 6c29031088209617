// Colour jitter. Each loop is one inline function; it is compiled twice, for every machine and for
// AVX2, and the compiler makes vectors of it. Contraction is off, so both give the same bits.
#include <algorithm>
#include <array>

#include "data/images/planes.h"

#define EVENER_LOOP __attribute__((always_inline)) inline

namespace evener::data::images {
namespace {

struct Channels {
  float* __restrict red;
  float* __restrict green;
  float* __restrict blue;
  std::size_t count;
};

EVENER_LOOP float clamped(float value) { return std::min(std::max(value, 0.0f), 1.0f); }
EVENER_LOOP float gray_of(float red, float green, float blue) {
  return 0.2989f * red + 0.587f * green + 0.114f * blue;
}

EVENER_LOOP void scale(const Channels& image, float factor) {
  for (float* plane : {image.red, image.green, image.blue}) {
    for (std::size_t i = 0; i < image.count; ++i) plane[i] = clamped(plane[i] * factor);
  }
}

// In lanes of a fixed number, so that the order of the sums is the same in vectors.
EVENER_LOOP float mean_gray(const Channels& image) {
  constexpr std::size_t kGroup = 8;
  constexpr std::size_t kBlock = 1024;  // sums of floats stay short
  double total = 0;
  for (std::size_t block = 0; block < image.count; block += kBlock) {
    const std::size_t end = std::min(block + kBlock, image.count);
    std::array<float, kGroup> lanes{};
    std::size_t i = block;
    for (; i + kGroup <= end; i += kGroup) {
      for (std::size_t k = 0; k < kGroup; ++k) {
        lanes[k] += gray_of(image.red[i + k], image.green[i + k], image.blue[i + k]);
      }
    }
    for (; i < end; ++i) lanes[0] += gray_of(image.red[i], image.green[i], image.blue[i]);
    for (const float lane : lanes) total += lane;
  }
  return static_cast<float>(total / static_cast<double>(image.count));
}

EVENER_LOOP void blend_with(const Channels& image, float factor, float gray) {
  const float rest = (1.0f - factor) * gray;
  for (float* plane : {image.red, image.green, image.blue}) {
    for (std::size_t i = 0; i < image.count; ++i) plane[i] = clamped(plane[i] * factor + rest);
  }
}

EVENER_LOOP void blend_with_gray(const Channels& image, float factor) {
  for (std::size_t i = 0; i < image.count; ++i) {
    const float rest = (1.0f - factor) * gray_of(image.red[i], image.green[i], image.blue[i]);
    image.red[i] = clamped(image.red[i] * factor + rest);
    image.green[i] = clamped(image.green[i] * factor + rest);
    image.blue[i] = clamped(image.blue[i] * factor + rest);
  }
}

// value * (1 - saturation * distance), where the distance to the channel's own hue goes from 0 to
// 1; `sector` is the hue in sixths of a turn, moved by the channel.
EVENER_LOOP float channel_of(float value, float range, float sector) {
  const float k = sector >= 6.0f ? sector - 6.0f : sector;
  return value - range * std::max(0.0f, std::min(1.0f, std::min(k, 4.0f - k)));
}

// RGB to HSV, the hue moved, and back, without a branch.
EVENER_LOOP void turn_hue(const Channels& image, float hue) {
  const float move = (hue < 0 ? hue + 1.0f : hue) * 6.0f;
  for (std::size_t i = 0; i < image.count; ++i) {
    const float red = image.red[i];
    const float green = image.green[i];
    const float blue = image.blue[i];
    const float value = std::max(red, std::max(green, blue));
    const float range = value - std::min(red, std::min(green, blue));
    const float inverse = 1.0f / (range > 0.0f ? range : 1.0f);
    const float of_red = (green - blue) * inverse;
    const float of_green = 2.0f + (blue - red) * inverse;
    const float of_blue = 4.0f + (red - green) * inverse;
    float sector = value == red ? of_red : value == green ? of_green : of_blue;
    sector = (sector < 0.0f ? sector + 6.0f : sector) + move;
    sector = sector >= 6.0f ? sector - 6.0f : sector;
    image.red[i] = channel_of(value, range, sector + 5.0f);
    image.green[i] = channel_of(value, range, sector + 3.0f);
    image.blue[i] = channel_of(value, range, sector + 1.0f);
  }
}

EVENER_LOOP void run_steps(const Jitter& jitter, const Channels& image) {
  for (const JitterStep step : jitter.order) {
    switch (step) {
      case JitterStep::kBrightness:
        if (jitter.brightness != 1.0f) scale(image, jitter.brightness);
        break;
      case JitterStep::kContrast:
        if (jitter.contrast != 1.0f) blend_with(image, jitter.contrast, mean_gray(image));
        break;
      case JitterStep::kSaturation:
        if (jitter.saturation != 1.0f) blend_with_gray(image, jitter.saturation);
        break;
      case JitterStep::kHue:
        if (jitter.hue != 0.0f) turn_hue(image, jitter.hue);
        break;
    }
  }
}

void run_plainly(const Jitter& jitter, const Channels& image) { run_steps(jitter, image); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) void run_with_avx2(const Jitter& jitter, const Channels& image) {
  run_steps(jitter, image);
}
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
#else
void run_with_avx2(const Jitter& jitter, const Channels& image) { run_steps(jitter, image); }
bool has_avx2() { return false; }
#endif

}  // namespace

void apply_jitter(const Jitter& jitter, Instructions instructions, Planes& planes) {
  const std::size_t count = planes.values.size() / 3;
  float* first = planes.values.data();
  const Channels image{first, first + count, first + 2 * count, count};
  if (instructions == Instructions::kBestOfMachine && has_avx2()) {
    run_with_avx2(jitter, image);
  } else {
    run_plainly(jitter, image);
  }
}

}  // namespace evener::data::images
