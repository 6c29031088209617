// The reference: everything decoded, resized in double precision as Pillow does it, no shortcut
// that decode() takes. It shares the libraries, not the arithmetic.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "data/images/half.h"
#include "data/images/plan.h"
#include "data/images/rows.h"

namespace evener::data::images {
namespace {

// [height][width][3]
struct Picture {
  Size size = {};
  std::vector<double> values = {};
  double& at(int x, int y, int c) { return values[index(x, y, c)]; }
  double at(int x, int y, int c) const { return values[index(x, y, c)]; }

 private:
  std::size_t index(int x, int y, int c) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
            static_cast<std::size_t>(x)) * 3 + static_cast<std::size_t>(c);
  }
};

Picture blank(Size size) {
  return {size, std::vector<double>(bytes_of(size, PixelFormat::kU8Hwc))};
}

std::unique_ptr<RowReader> reader_of(FileFormat format) {
  switch (format) {
    case FileFormat::kJpeg: return make_jpeg_reader({});
    case FileFormat::kPng: return make_png_reader({});
    case FileFormat::kWebp: return make_webp_reader({});
  }
  return nullptr;
}

Result<Picture> read_stored(std::span<const std::byte> file, FileFormat format, Size stored) {
  const auto reader = reader_of(format);
  const Result<Rows> rows = reader->start(
      {.file = file, .stored = stored, .wanted = {0, 0, stored.width, stored.height}});
  if (!rows) return tl::unexpected<Error>(rows.error());
  Picture picture = blank(stored);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(stored.width) * 3);
  auto next = picture.values.begin();
  for (int y = 0; y < stored.height; ++y) {
    std::uint8_t* const lines[1] = {row.data()};
    RETURN_IF_ERROR(reader->read(lines));
    next = std::copy(row.begin(), row.end(), next);
  }
  return picture;
}

Picture turned(const Picture& stored, const Turn& turn, Size seen) {
  Picture picture = blank(seen);
  for (int y = 0; y < seen.height; ++y) {
    for (int x = 0; x < seen.width; ++x) {
      int from_x = turn.swaps_axes ? y : x;
      int from_y = turn.swaps_axes ? x : y;
      if (turn.x == Direction::kMirrored) from_x = stored.size.width - 1 - from_x;
      if (turn.y == Direction::kMirrored) from_y = stored.size.height - 1 - from_y;
      for (int c = 0; c < 3; ++c) picture.at(x, y, c) = stored.at(from_x, from_y, c);
    }
  }
  return picture;
}

Picture cut(const Picture& image, const Crop& crop) {
  Picture picture = blank({crop.width, crop.height});
  for (int y = 0; y < crop.height; ++y) {
    for (int x = 0; x < crop.width; ++x) {
      for (int c = 0; c < 3; ++c) picture.at(x, y, c) = image.at(crop.x + x, crop.y + y, c);
    }
  }
  return picture;
}

Picture with_axes_swapped(const Picture& image) {
  return turned(image, {.swaps_axes = true}, {image.size.height, image.size.width});
}

// Pillow's ImagingResample for one axis, before its rounding: `out` columns from the box.
Picture resized_across(const Picture& image, double start, double length, int out) {
  Picture picture = blank({out, image.size.height});
  const double scale = length / out;
  const double support = std::max(1.0, scale);
  for (int x = 0; x < out; ++x) {
    const double center = start + (x + 0.5) * scale;
    const int begin = std::max(0, static_cast<int>(center - support + 0.5));
    const int end = std::min(image.size.width, static_cast<int>(center + support + 0.5));
    std::vector<double> weights;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
      weights.push_back(std::max(0.0, 1 - std::fabs((i - center + 0.5) / support)));
      sum += weights.back();
    }
    for (int y = 0; y < image.size.height; ++y) {
      for (int c = 0; c < 3; ++c) {
        double value = 0;
        for (int i = begin; i < end; ++i) {
          value += image.at(i, y, c) * weights[static_cast<std::size_t>(i - begin)] / sum;
        }
        picture.at(x, y, c) = value;
      }
    }
  }
  return picture;
}

Picture resized(const Picture& image, const Region& region, Size out) {
  const Picture across =
      resized_across(image, region.x - region.pixels.x, region.width, out.width);
  return with_axes_swapped(resized_across(with_axes_swapped(across), region.y - region.pixels.y,
                                          region.height, out.height));
}

void write_value(PixelFormat format, std::span<std::byte> out, std::size_t index, double value) {
  if (format == PixelFormat::kU8Hwc) {
    out[index] = static_cast<std::byte>(std::lround(std::clamp(value, 0.0, 255.0)));
  } else if (format == PixelFormat::kF32Chw) {
    const auto number = static_cast<float>(value);
    std::memcpy(out.data() + index * sizeof number, &number, sizeof number);
  } else {
    const std::uint16_t number = half_of(static_cast<float>(value));
    std::memcpy(out.data() + index * sizeof number, &number, sizeof number);
  }
}

void write_picture(const Picture& picture, const Transform& transform, std::span<std::byte> out) {
  const bool bytes = transform.format == PixelFormat::kU8Hwc;
  std::size_t index = 0;
  const auto write = [&](int x, int y, int c) {
    const auto channel = static_cast<std::size_t>(c);
    const double value = picture.at(x, y, c);
    write_value(transform.format, out, index++,
                bytes ? value : (value / 255 - transform.mean[channel]) / transform.std[channel]);
  };
  for (int plane = 0; plane < (bytes ? 1 : 3); ++plane) {
    for (int y = 0; y < picture.size.height; ++y) {
      for (int x = 0; x < picture.size.width; ++x) {
        if (!bytes) write(x, y, plane);
        for (int c = 0; bytes && c < 3; ++c) write(x, y, c);
      }
    }
  }
}

// ---- jitter, as torchvision writes it -----------------------------------------------------

double unit(double value) { return std::clamp(value, 0.0, 1.0); }

double gray_at(const Picture& picture, int x, int y) {
  return 0.2989 * picture.at(x, y, 0) + 0.587 * picture.at(x, y, 1) +
         0.114 * picture.at(x, y, 2);
}

double mean_gray(const Picture& picture) {
  double sum = 0;
  for (int y = 0; y < picture.size.height; ++y) {
    for (int x = 0; x < picture.size.width; ++x) sum += gray_at(picture, x, y);
  }
  return sum / picture.size.width / picture.size.height;
}

std::array<double, 3> hue_turned(std::array<double, 3> rgb, double turn) {
  const double high = *std::max_element(rgb.begin(), rgb.end());
  const double range = high - *std::min_element(rgb.begin(), rgb.end());
  if (range <= 0) return rgb;
  double sixths = 0;
  if (rgb[0] == high) sixths = (rgb[1] - rgb[2]) / range;
  else if (rgb[1] == high) sixths = 2 + (rgb[2] - rgb[0]) / range;
  else sixths = 4 + (rgb[0] - rgb[1]) / range;
  const double hue = std::fmod(sixths / 6 + turn + 2, 1.0) * 6;
  const int sector = static_cast<int>(hue) % 6;
  const double part = hue - std::floor(hue);
  const double saturation = range / high;
  const double p = high * (1 - saturation);
  const double q = high * (1 - saturation * part);
  const double t = high * (1 - saturation * (1 - part));
  const std::array<std::array<double, 3>, 6> all = {{{high, t, p}, {q, high, p}, {p, high, t},
                                                     {p, q, high}, {t, p, high}, {high, p, q}}};
  return all[static_cast<std::size_t>(sector)];
}

void run_step(const Jitter& jitter, JitterStep step, Picture& picture) {
  const double mean = mean_gray(picture);
  for (int y = 0; y < picture.size.height; ++y) {
    for (int x = 0; x < picture.size.width; ++x) {
      const double gray = gray_at(picture, x, y);
      std::array<double, 3> rgb = {picture.at(x, y, 0), picture.at(x, y, 1), picture.at(x, y, 2)};
      const auto blend = [&rgb](double factor, double other) {
        for (double& value : rgb) value = unit(factor * value + (1 - factor) * other);
      };
      switch (step) {
        case JitterStep::kBrightness: blend(jitter.brightness, 0); break;
        case JitterStep::kContrast: blend(jitter.contrast, mean); break;
        case JitterStep::kSaturation: blend(jitter.saturation, gray); break;
        case JitterStep::kHue: rgb = hue_turned(rgb, jitter.hue); break;
      }
      for (int c = 0; c < 3; ++c) picture.at(x, y, c) = rgb[static_cast<std::size_t>(c)];
    }
  }
}

void jitter_slowly(const Jitter& jitter, Picture& picture) {
  for (double& value : picture.values) value /= 255;
  for (const JitterStep step : jitter.order) run_step(jitter, step, picture);
  for (double& value : picture.values) value *= 255;
}

}  // namespace

Status decode_slowly(std::span<const std::byte> file, const Facts& facts,
                     const Transform& transform, std::span<std::byte> out) {
  RETURN_IF_ERROR(check_transform(facts, transform, out));
  const Turn turn = turn_of(facts.turn);
  const Size stored =
      turn.swaps_axes ? Size{facts.size.height, facts.size.width} : facts.size;
  const Result<Picture> whole = read_stored(file, facts.format, stored);
  if (!whole) return tl::unexpected<Error>(whole.error());
  const Picture crop = cut(turned(*whole, turn, facts.size), transform.region.pixels);
  Picture picture = resized(crop, transform.region, transform.out);
  if (transform.flip == Flip::kHorizontal) {
    picture = turned(picture, {.x = Direction::kMirrored}, picture.size);
  }
  if (transform.jitter) jitter_slowly(*transform.jitter, picture);
  write_picture(picture, transform, out);
  return ok();
}

}  // namespace evener::data::images
