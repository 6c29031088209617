#include "data/images/resizer.h"

#include <algorithm>
#include <string>

namespace evener::data::images {
namespace {

// An output of 224 pixels reaches it at 48,000 rows of the image for each of its own.
constexpr std::size_t kMaxRingBytes = 128u << 20;

// libjpeg-turbo writes aligned rows past the cache, where they would have to be fetched from at
// once; rows at odd places it writes as others do.
constexpr std::size_t kOffPlace = 8;

// The box in pixels of the rows that come.
Axis axis_of(double start, double length, int first, int count, int shrink, int out) {
  const double offset = static_cast<double>(first) * shrink;
  return {.start = (start - offset) / shrink,
          .length = length / shrink,
          .first = 0,
          .last = count,
          .out = out};
}

// Pixels outside of the region are not to be seen, though the reader gives some.
void keep_within(Axis& axis, int begin, int count, int first, int shrink) {
  const int last = (begin + count + shrink - 1) / shrink - first;
  axis.first = std::max(0, begin / shrink - first);
  axis.last = std::min(axis.last, last);
}

}  // namespace

Status Resizer::run(RowReader& reader, const Rows& rows, const Plan& plan, const Target& target) {
  RETURN_IF_ERROR(prepare(rows, plan));
  const auto taps = static_cast<std::size_t>(down_.taps);
  for (std::size_t i = 0; i < down_.starts.size(); ++i) {
    const int first = down_.starts[i];
    RETURN_IF_ERROR(read_until(reader, std::min(first + down_.taps, last_row_)));
    for (std::size_t k = 0; k < taps; ++k) {  // weights behind the last row are 0
      summed_[k] = ring_row(std::min(first + static_cast<int>(k), last_row_ - 1));
    }
    const auto y = static_cast<int>(i);
    const RowSum sum{.rows = summed_.data(),
                     .weights = down_.values.data() + i * taps,
                     .taps = down_.taps,
                     .width = target.size.width,
                     .stride = stride_};
    sum_row(sum, target, plan.turn.y == Direction::kForward ? y : target.size.height - 1 - y);
  }
  return ok();
}

Status Resizer::prepare(const Rows& rows, const Plan& plan) {
  const Region& region = plan.region;
  const Crop& given = rows.pixels;
  Axis x = axis_of(region.x, region.width, given.x, given.width, rows.shrink, plan.out.width);
  Axis y = axis_of(region.y, region.height, given.y, given.height, rows.shrink, plan.out.height);
  keep_within(x, region.pixels.x, region.pixels.width, given.x, rows.shrink);
  keep_within(y, region.pixels.y, region.pixels.height, given.y, rows.shrink);
  make_weights(x, plan.turn.x, kAcrossGroups, across_);
  make_weights(y, Direction::kForward, kDownGroups, down_);

  stride_ = static_cast<std::size_t>((plan.out.width + kLanes - 1) / kLanes * kLanes);
  ring_rows_ = down_.taps + 1;  // rows come by twos
  next_row_ = 0;
  last_row_ = y.last;
  const std::size_t ring = static_cast<std::size_t>(ring_rows_) * stride_ * 3;
  if (ring * sizeof(std::int16_t) > kMaxRingBytes) {
    return failure(ErrorCode::kLimitExceeded,
                   "an output row is made of " + std::to_string(down_.taps) +
                       " rows of the image; together they need more than " +
                       std::to_string(kMaxRingBytes) + " bytes");
  }
  if (ring_.size() < ring) ring_.resize(ring);
  summed_.resize(static_cast<std::size_t>(down_.taps));
  const std::size_t bytes = kOffPlace + static_cast<std::size_t>(given.width) * 3 +
                            static_cast<std::size_t>(across_.taps) * 3 + kReadAhead;
  for (auto& row : rgb_) {
    if (row.size() < bytes) row.resize(bytes);
  }
  return ok();
}

std::int16_t* Resizer::ring_row(int row) {
  return ring_.data() + static_cast<std::size_t>(row % ring_rows_) * stride_ * 3;
}

// Reads on until `row` is the next, or one row more.
Status Resizer::read_until(RowReader& reader, int row) {
  while (next_row_ < row) {
    const bool two = next_row_ + 1 < last_row_;
    std::uint8_t* const rgb[2] = {rgb_[0].data() + kOffPlace,
                                  rgb_[two ? 1 : 0].data() + kOffPlace};
    RETURN_IF_ERROR(reader.read(std::span(rgb, two ? 2 : 1)));
    std::int16_t* const planes[2] = {ring_row(next_row_), ring_row(next_row_ + (two ? 1 : 0))};
    kernels_.resize_rows(rgb, across_, planes, stride_);
    next_row_ += two ? 2 : 1;
  }
  return ok();
}

void Resizer::sum_row(const RowSum& sum, const Target& target, int y) {
  const auto width = static_cast<std::size_t>(target.size.width);
  const std::size_t plane = width * static_cast<std::size_t>(target.size.height);
  const std::size_t row = static_cast<std::size_t>(y) * width;
  switch (target.format) {
    case PixelFormat::kU8Hwc:
      return kernels_.sum_to_u8(sum, reinterpret_cast<std::uint8_t*>(target.data) + row * 3);
    case PixelFormat::kF32Chw: {
      auto* first = reinterpret_cast<float*>(target.data) + row;
      float* const planes[3] = {first, first + plane, first + 2 * plane};
      return kernels_.sum_to_f32(sum, target.affine, planes);
    }
    case PixelFormat::kF16Chw: {
      auto* first = reinterpret_cast<std::uint16_t*>(target.data) + row;
      std::uint16_t* const planes[3] = {first, first + plane, first + 2 * plane};
      return kernels_.sum_to_f16(sum, target.affine, planes);
    }
  }
}

}  // namespace evener::data::images
