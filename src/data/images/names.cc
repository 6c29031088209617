// The names of the enums, to text and back.
#include "data/images/images.h"

namespace evener::data::images {
namespace {

template <class Enum, std::size_t count>
std::optional<Enum> find_name(const std::array<std::string_view, count>& names,
                              std::string_view text) {
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

// In the order of the enums.
constexpr std::array<std::string_view, 3> kFormats = {"jpeg", "png", "webp"};
constexpr std::array<std::string_view, 2> kOrientations = {"as_stored", "upright"};
constexpr std::array<std::string_view, 3> kPixelFormats = {"u8_hwc", "f32_chw", "f16_chw"};
constexpr std::array<std::string_view, 2> kFlips = {"none", "horizontal"};
constexpr std::array<std::string_view, 4> kSteps = {"brightness", "contrast", "saturation", "hue"};

}  // namespace

std::string_view to_string(FileFormat format) { return kFormats[static_cast<std::size_t>(format)]; }
std::optional<FileFormat> file_format_from(std::string_view text) {
  return find_name<FileFormat>(kFormats, text);
}

std::string_view to_string(Orientation orientation) {
  return kOrientations[static_cast<std::size_t>(orientation)];
}
std::optional<Orientation> orientation_from(std::string_view text) {
  return find_name<Orientation>(kOrientations, text);
}

std::string_view to_string(PixelFormat format) {
  return kPixelFormats[static_cast<std::size_t>(format)];
}
std::optional<PixelFormat> pixel_format_from(std::string_view text) {
  return find_name<PixelFormat>(kPixelFormats, text);
}

std::string_view to_string(Flip flip) { return kFlips[static_cast<std::size_t>(flip)]; }
std::optional<Flip> flip_from(std::string_view text) { return find_name<Flip>(kFlips, text); }

std::string_view to_string(JitterStep step) { return kSteps[static_cast<std::size_t>(step)]; }
std::optional<JitterStep> jitter_step_from(std::string_view text) {
  return find_name<JitterStep>(kSteps, text);
}

}  // namespace evener::data::images
