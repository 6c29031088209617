// The one pass over pixels: rows of a reader are resized horizontally as they come, kept in a ring
// while output rows need them, and summed straight into the output.
//
// Used by:  decoder.
// Threads:  one at a time; it keeps its buffers from image to image.
// Fails:    as the reader; kLimitExceeded when an image is so much larger than the output that the
//           ring would not fit.
#pragma once

#include <cstdint>
#include <vector>

#include "data/images/kernels.h"
#include "data/images/plan.h"
#include "data/images/rows.h"

namespace evener::data::images {

// Where rows go: `data` has bytes_of(size, format) bytes and is aligned for its values.
struct Target {
  PixelFormat format = PixelFormat::kF32Chw;
  Size size;
  std::byte* data = nullptr;
  Affine affine = {};              // from sums of kSumBits to values; not for kU8Hwc
};

class Resizer {
 public:
  explicit Resizer(const Kernels& kernels) : kernels_(kernels) {}

  // `rows` is what the reader's start() gave for `plan`.
  Status run(RowReader& reader, const Rows& rows, const Plan& plan, const Target& target);

 private:
  Status prepare(const Rows& rows, const Plan& plan);
  Status read_until(RowReader& reader, int row);
  std::int16_t* ring_row(int row);
  void sum_row(const RowSum& sum, const Target& target, int y);

  const Kernels& kernels_;
  Weights across_;
  Weights down_;
  std::size_t stride_ = 0;                   // of a plane of a ring row, in values
  int ring_rows_ = 0;
  int next_row_ = 0;                         // of the reader
  int last_row_ = 0;
  std::vector<std::uint8_t> rgb_[2];
  std::vector<std::int16_t> ring_;
  std::vector<const std::int16_t*> summed_;
};

}  // namespace evener::data::images
