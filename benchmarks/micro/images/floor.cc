#include "floor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <jpeglib.h>

namespace evener::bench {
namespace {

using data::images::Crop;
using data::images::Flip;
using data::images::Transform;

struct Filter {
  int taps = 0;
  std::vector<int> starts;
  std::vector<float> weights;
};

Filter make_filter(int first, int length, int out, Flip flip) {
  const double ratio = static_cast<double>(length) / out;
  const double support = std::max(1.0, ratio);
  Filter filter{.taps = static_cast<int>(std::ceil(support * 2)) + 1, .starts = {}, .weights = {}};
  filter.starts.resize(static_cast<std::size_t>(out));
  filter.weights.resize(static_cast<std::size_t>(out * filter.taps));
  for (int i = 0; i < out; ++i) {
    const int at = flip == Flip::kHorizontal ? out - 1 - i : i;
    const double center = (i + 0.5) * ratio;
    const int begin = std::max(0, static_cast<int>(center - support + 0.5));
    const int end = std::min(length, static_cast<int>(center + support + 0.5));
    const int start = std::max(0, std::min(begin, length - filter.taps));
    float* weights = filter.weights.data() + at * filter.taps;
    double sum = 0;
    for (int x = begin; x < end; ++x) sum += 1 - std::fabs(x + 0.5 - center) / support;
    for (int x = begin; x < end; ++x) {
      weights[x - start] = static_cast<float>((1 - std::fabs(x + 0.5 - center) / support) / sum);
    }
    filter.starts[static_cast<std::size_t>(at)] = first + start;
  }
  return filter;
}

void filter_row(const unsigned char* rgb, const Filter& filter, int width, float* planes) {
  for (int x = 0; x < width; ++x) {
    const unsigned char* pixel = rgb + filter.starts[static_cast<std::size_t>(x)] * 3;
    const float* weights = filter.weights.data() + x * filter.taps;
    float red = 0, green = 0, blue = 0;
    for (int k = 0; k < filter.taps; ++k) {
      red += weights[k] * static_cast<float>(pixel[k * 3]);
      green += weights[k] * static_cast<float>(pixel[k * 3 + 1]);
      blue += weights[k] * static_cast<float>(pixel[k * 3 + 2]);
    }
    planes[x] = red;
    planes[width + x] = green;
    planes[2 * width + x] = blue;
  }
}

}  // namespace

struct Floor::Parts {
  jpeg_decompress_struct decoder;
  jpeg_error_mgr errors;
  std::vector<unsigned char> row;
  std::vector<float> ring;
  std::vector<float> sum;

  // Returns the column that the rows begin with.
  int open(std::span<const std::byte> file, const Crop& crop) {
    jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_read_header(&decoder, TRUE);
    decoder.out_color_space = JCS_RGB;
    jpeg_start_decompress(&decoder);
    auto x = static_cast<JDIMENSION>(crop.x);
    auto width = static_cast<JDIMENSION>(crop.width);
    jpeg_crop_scanline(&decoder, &x, &width);
    jpeg_skip_scanlines(&decoder, static_cast<JDIMENSION>(crop.y));
    row.resize(width * 3 + 3 * 64);
    return crop.x - static_cast<int>(x);
  }

  void read_row() {
    unsigned char* line = row.data();
    jpeg_read_scanlines(&decoder, &line, 1);
  }
};

Floor::Floor() : parts_(std::make_unique<Parts>()) {
  parts_->decoder.err = jpeg_std_error(&parts_->errors);
  jpeg_create_decompress(&parts_->decoder);
}

Floor::~Floor() { jpeg_destroy_decompress(&parts_->decoder); }

void Floor::run(std::span<const std::byte> file, const Transform& transform, Work work,
                float* out) {
  Parts& parts = *parts_;
  const Crop& crop = transform.region.pixels;
  const int first = parts.open(file, crop);
  const int width = transform.out.width;
  const int height = transform.out.height;
  if (work == Work::kDecode) {
    for (int y = 0; y < crop.height; ++y) parts.read_row();
    jpeg_abort_decompress(&parts.decoder);
    return;
  }
  const Filter across = make_filter(first, crop.width, width, transform.flip);
  const Filter down = make_filter(0, crop.height, height, Flip::kNone);
  const int values = width * 3;
  parts.ring.resize(static_cast<std::size_t>(values * down.taps));
  parts.sum.resize(static_cast<std::size_t>(values));
  int next = 0;
  for (int y = 0; y < height; ++y) {
    const int start = down.starts[static_cast<std::size_t>(y)];
    for (; next < std::min(start + down.taps, crop.height); ++next) {
      parts.read_row();
      filter_row(parts.row.data(), across, width, parts.ring.data() + next % down.taps * values);
    }
    std::fill(parts.sum.begin(), parts.sum.end(), 0.0f);
    for (int k = 0; k < down.taps; ++k) {
      const float weight = down.weights[static_cast<std::size_t>(y * down.taps + k)];
      const float* row = parts.ring.data() + (start + k) % down.taps * values;
      if (weight == 0) continue;
      for (int i = 0; i < values; ++i) parts.sum[static_cast<std::size_t>(i)] += weight * row[i];
    }
    for (int c = 0; c < 3; ++c) {
      const auto channel = static_cast<std::size_t>(c);
      const float scale = 1 / (255 * transform.std[channel]);
      const float offset = transform.mean[channel] / transform.std[channel];
      float* target = out + (c * height + y) * width;
      const float* from = parts.sum.data() + c * width;
      for (int x = 0; x < width; ++x) target[x] = from[x] * scale - offset;
    }
  }
  jpeg_abort_decompress(&parts.decoder);
}

}  // namespace evener::bench
