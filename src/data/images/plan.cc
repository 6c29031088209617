#include "data/images/plan.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace evener::data::images {
namespace {

// A larger output is no sample of a network; it bounds what one decode allocates.
constexpr int kMaxOutSide = 16'384;

// The decoder may halve a side as long as the box keeps this many pixels for each of the output:
// the filter then still averages enough of them to hide how the decoder halved. Least PSNR to a
// whole decode on seven photographs: 56 dB with 3 pixels left, 53 with 2.5, 48 with 2.
constexpr double kPixelsLeft = 3.0;

Direction reversed(Direction direction) {
  return direction == Direction::kForward ? Direction::kMirrored : Direction::kForward;
}

int shrink_of(const Region& region, Size out) {
  const double ratio = std::min(region.width / out.width, region.height / out.height);
  int shrink = 1;
  while (shrink < 8 && ratio >= 2 * shrink * kPixelsLeft) shrink *= 2;
  return shrink;
}

Region swapped(const Region& seen) {
  return {{seen.pixels.y, seen.pixels.x, seen.pixels.height, seen.pixels.width},
          seen.y, seen.x, seen.height, seen.width};
}

struct Stretch {
  int begin = 0;
  int end = 0;
};

// The pixels within reach of the filter around a box on one axis.
Stretch reach_of(double start, double length, int out, const Stretch& allowed) {
  const double reach = std::max(1.0, length / out) + 1;
  const auto begin = static_cast<int>(std::max(0.0, std::floor(start - reach)));
  const auto end = static_cast<int>(std::ceil(start + length + reach));
  return {std::max(begin, allowed.begin), std::min(end, allowed.end)};
}

Crop needed_by(const Region& region, Size out) {
  const Crop& pixels = region.pixels;
  const Stretch x =
      reach_of(region.x, region.width, out.width, {pixels.x, pixels.x + pixels.width});
  const Stretch y =
      reach_of(region.y, region.height, out.height, {pixels.y, pixels.y + pixels.height});
  return {x.begin, y.begin, x.end - x.begin, y.end - y.begin};
}

std::size_t alignment_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::kU8Hwc: return 1;
    case PixelFormat::kF32Chw: return alignof(float);
    case PixelFormat::kF16Chw: return alignof(std::uint16_t);
  }
  return 1;
}

std::string text_of(const Crop& crop) {
  return std::to_string(crop.width) + "x" + std::to_string(crop.height) + " at (" +
         std::to_string(crop.x) + ", " + std::to_string(crop.y) + ")";
}

bool holds(const Size& image, const Crop& crop) {
  return crop.x >= 0 && crop.y >= 0 && crop.width >= 1 && crop.height >= 1 &&
         crop.width <= image.width && crop.height <= image.height &&
         crop.x <= image.width - crop.width && crop.y <= image.height - crop.height;
}

bool holds(const Crop& crop, const Region& region) {
  constexpr double kSlack = 1e-6;  // of a pixel, for boxes computed by division
  return region.width > 0 && region.height > 0 && region.x >= crop.x - kSlack &&
         region.y >= crop.y - kSlack &&
         region.x + region.width <= crop.x + crop.width + kSlack &&
         region.y + region.height <= crop.y + crop.height + kSlack;
}

Status check_out(const Transform& transform, std::span<const std::byte> bytes) {
  const Size out = transform.out;
  if (out.width < 1 || out.height < 1) {
    return failure(ErrorCode::kInvalidArgument, "the output has a side without pixels");
  }
  if (out.width > kMaxOutSide || out.height > kMaxOutSide) {
    return failure(ErrorCode::kLimitExceeded, "a side of the output has more than " +
                                                  std::to_string(kMaxOutSide) + " pixels");
  }
  if (bytes.size() != bytes_of(out, transform.format)) {
    return failure(ErrorCode::kInvalidArgument,
                   "the output has " + std::to_string(bytes.size()) +
                       " bytes; the transform makes " +
                       std::to_string(bytes_of(out, transform.format)));
  }
  for (const float std : transform.std) {
    if (!(std > 0)) return failure(ErrorCode::kInvalidArgument, "a value of std is not above 0");
  }
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment_of(transform.format) != 0) {
    return failure(ErrorCode::kInvalidArgument, "the output is not aligned for its values");
  }
  return ok();
}

}  // namespace

// 2 mirrors, 3 turns by half, 4 mirrors top to bottom; 5 to 8 are those with the axes swapped, 6 the
// common "turn to the right" of a phone held upright.
Turn turn_of(int exif_orientation) {
  constexpr auto kForward = Direction::kForward;
  constexpr auto kMirrored = Direction::kMirrored;
  switch (exif_orientation) {
    case 2: return {false, kMirrored, kForward};
    case 3: return {false, kMirrored, kMirrored};
    case 4: return {false, kForward, kMirrored};
    case 5: return {true, kForward, kForward};
    case 6: return {true, kForward, kMirrored};
    case 7: return {true, kMirrored, kMirrored};
    case 8: return {true, kMirrored, kForward};
    default: return {};
  }
}

Plan plan_of(const Facts& facts, const Transform& transform) {
  Plan plan{.stored = facts.size,
            .region = transform.region,
            .out = transform.out,
            .turn = turn_of(facts.turn)};
  if (plan.turn.swaps_axes) {
    plan.stored = {facts.size.height, facts.size.width};
    plan.region = swapped(transform.region);
    plan.out = {transform.out.height, transform.out.width};
  }
  Region& region = plan.region;
  if (plan.turn.x == Direction::kMirrored) {
    region.pixels.x = plan.stored.width - region.pixels.x - region.pixels.width;
    region.x = plan.stored.width - region.x - region.width;
  }
  if (plan.turn.y == Direction::kMirrored) {
    region.pixels.y = plan.stored.height - region.pixels.y - region.pixels.height;
    region.y = plan.stored.height - region.y - region.height;
  }
  if (transform.flip == Flip::kHorizontal) {
    Direction& seen_x = plan.turn.swaps_axes ? plan.turn.y : plan.turn.x;
    seen_x = reversed(seen_x);
  }
  plan.needed = needed_by(region, plan.out);
  plan.shrink = shrink_of(region, plan.out);
  return plan;
}

Status check_transform(const Facts& facts, const Transform& transform,
                       std::span<const std::byte> out) {
  RETURN_IF_ERROR(check_out(transform, out));
  const Crop& pixels = transform.region.pixels;
  if (!holds(facts.size, pixels)) {
    return failure(ErrorCode::kInvalidArgument,
                   "the crop " + text_of(pixels) + " is not within the image of " +
                       std::to_string(facts.size.width) + "x" + std::to_string(facts.size.height));
  }
  if (!holds(pixels, transform.region)) {
    return failure(ErrorCode::kInvalidArgument,
                   "the box of the region is not within its pixels " + text_of(pixels));
  }
  return ok();
}

}  // namespace evener::data::images
