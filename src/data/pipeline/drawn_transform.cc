#include "data/pipeline/drawn_transform.h"

#include <algorithm>
#include <utility>

namespace evener::data::pipeline {
namespace {

images::Region drawn_region(const RandomCrop& crop, images::Size image, randomness::Draws& draws) {
  std::array<double, images::kCropDraws> numbers{};
  for (double& number : numbers) number = draws.unit();
  return images::region_of(
      images::random_resized_crop(image, {.scale = crop.scale, .ratio = crop.ratio}, numbers));
}

images::Region drawn_region(const CentreCrop& crop, images::Size image, randomness::Draws&) {
  return images::center_crop(image, {.resize = crop.resize, .out = crop.out});
}

images::Region drawn_region(const Stretch&, images::Size image, randomness::Draws&) {
  return images::whole_image(image);
}

float factor(double range, randomness::Draws& draws) {
  return static_cast<float>(draws.between(std::max(0.0, 1 - range), 1 + range));
}

images::Jitter drawn_jitter(const JitterRanges& ranges, randomness::Draws& draws) {
  images::Jitter jitter;
  jitter.brightness = factor(ranges.brightness, draws);
  jitter.contrast = factor(ranges.contrast, draws);
  jitter.saturation = factor(ranges.saturation, draws);
  jitter.hue = static_cast<float>(draws.between(-ranges.hue, ranges.hue));
  for (std::size_t i = jitter.order.size(); i > 1; --i)
    std::swap(jitter.order[i - 1], jitter.order[draws.below(static_cast<std::uint32_t>(i))]);
  return jitter;
}

std::array<float, 3> floats(const std::array<double, 3>& values) {
  return {static_cast<float>(values[0]), static_cast<float>(values[1]),
          static_cast<float>(values[2])};
}

}  // namespace

images::Transform drawn_transform(const PictureDefinition& picture, images::Size image,
                                  randomness::Draws& draws) {
  images::Transform transform;
  transform.region =
      std::visit([&](const auto& cut) { return drawn_region(cut, image, draws); }, picture.cut);
  transform.out = out_size(picture.cut);
  transform.format = picture.format;
  if (picture.flip && draws.unit() < *picture.flip) transform.flip = images::Flip::kHorizontal;
  if (picture.jitter) transform.jitter = drawn_jitter(*picture.jitter, draws);
  if (picture.normalise) {
    transform.mean = floats(picture.normalise->mean);
    transform.std = floats(picture.normalise->std);
  }
  return transform;
}

}  // namespace evener::data::pipeline
