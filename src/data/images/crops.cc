#include "data/images/crops.h"

#include <algorithm>
#include <cmath>

namespace evener::data::images {
namespace {

// torch.randint(0, count) from a number of [0, 1).
int pick(double draw, int count) {
  return std::clamp(static_cast<int>(draw * count), 0, count - 1);
}

// Python's round: to the even neighbour at a half.
int rounded(double value) { return static_cast<int>(std::nearbyint(value)); }

Crop largest_with_ratio(Size image, const std::array<double, 2>& ratio) {
  const double seen = static_cast<double>(image.width) / image.height;
  int width = image.width;
  int height = image.height;
  if (seen < ratio[0]) height = rounded(width / ratio[0]);
  if (seen > ratio[1]) width = rounded(height * ratio[1]);
  width = std::clamp(width, 1, image.width);
  height = std::clamp(height, 1, image.height);
  return {(image.width - width) / 2, (image.height - height) / 2, width, height};
}

struct Span {
  double start = 0;
  double length = 0;
};

// One axis of a centre crop: `side` pixels are resized to `resized`, of which `out` are taken.
Span middle(int side, int resized, int out) {
  if (out >= resized) return {0, static_cast<double>(side)};
  const double pixels = static_cast<double>(side) / resized;
  return {rounded((resized - out) / 2.0) * pixels, out * pixels};
}

}  // namespace

Region region_of(const Crop& crop) {
  return {crop, static_cast<double>(crop.x), static_cast<double>(crop.y),
          static_cast<double>(crop.width), static_cast<double>(crop.height)};
}

Region whole_image(Size image) { return region_of({0, 0, image.width, image.height}); }

Crop random_resized_crop(Size image, const RandomResizedCrop& options,
                         std::span<const double, kCropDraws> draws) {
  const double area = static_cast<double>(image.width) * image.height;
  const double low = std::log(options.ratio[0]);
  const double high = std::log(options.ratio[1]);
  for (std::size_t i = 0; i + 2 < kCropDraws; i += 2) {
    const double target =
        area * (options.scale[0] + draws[i] * (options.scale[1] - options.scale[0]));
    const double ratio = std::exp(low + draws[i + 1] * (high - low));
    const int width = rounded(std::sqrt(target * ratio));
    const int height = rounded(std::sqrt(target / ratio));
    if (width < 1 || width > image.width || height < 1 || height > image.height) continue;
    return {pick(draws[kCropDraws - 1], image.width - width + 1),
            pick(draws[kCropDraws - 2], image.height - height + 1), width, height};
  }
  return largest_with_ratio(image, options.ratio);
}

Region center_crop(Size image, const CenterCrop& options) {
  Size resized = image;
  if (options.resize > 0) {
    const double longer = static_cast<double>(options.resize) *
                          std::max(image.width, image.height) /
                          std::min(image.width, image.height);
    resized = image.width <= image.height ? Size{options.resize, static_cast<int>(longer)}
                                          : Size{static_cast<int>(longer), options.resize};
  }
  const Span x = middle(image.width, resized.width, options.out.width);
  const Span y = middle(image.height, resized.height, options.out.height);
  Region region = whole_image(image);
  if (options.resize <= 0) {
    region.pixels = {static_cast<int>(x.start), static_cast<int>(y.start),
                     static_cast<int>(x.length), static_cast<int>(y.length)};
  }
  region.x = x.start;
  region.y = y.start;
  region.width = x.length;
  region.height = y.length;
  return region;
}

}  // namespace evener::data::images
