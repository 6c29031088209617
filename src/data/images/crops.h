// Which part of an image becomes a sample: torchvision's RandomResizedCrop and Resize + CenterCrop,
// as pure functions of the image's size and of uniform numbers.
//
// Used by:  data/images, data/pipeline.
// Threads:  values and pure functions.
// Fails:    nothing here fails: a region always lies within the image.
// Source:   torchvision.transforms (RandomResizedCrop.get_params, resize, center_crop).
#pragma once

#include <array>
#include <span>

namespace evener::data::images {

struct Size {
  int width = 0;
  int height = 0;
  bool operator==(const Size&) const = default;
};

// Whole pixels of an image.
struct Crop {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  bool operator==(const Crop&) const = default;
};

// What is resized onto the output: a box that may cut pixels, and the pixels around it that the
// filter may read. For a crop that comes before the resize both are the same; for one that comes
// after, the box is smaller and the filter sees its surroundings.
struct Region {
  Crop pixels;
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  bool operator==(const Region&) const = default;
};

Region region_of(const Crop& crop);
Region whole_image(Size image);

struct RandomResizedCrop {
  std::array<double, 2> scale = {0.08, 1.0};           // of the image's area
  std::array<double, 2> ratio = {3.0 / 4, 4.0 / 3};    // width / height
};
// Ten tries of (area, ratio), then the place (top, left): numbers of [0, 1).
inline constexpr std::size_t kCropDraws = 22;
// The first try that fits; with none, the largest centred crop whose ratio is allowed.
Crop random_resized_crop(Size image, const RandomResizedCrop& options,
                         std::span<const double, kCropDraws> draws);

struct CenterCrop {
  int resize = 0;                  // the shorter side is resized to this first; 0: no resize
  Size out;                        // at most the resized image, else its side is taken whole
};
Region center_crop(Size image, const CenterCrop& options);

}  // namespace evener::data::images
