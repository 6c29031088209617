// The antialiased triangle filter along one axis: which input pixels make each output pixel, and
// with which weights.
//
// Used by:  resizer, kernels.
// Threads:  values and pure functions.
// Fails:    never.
// Source:   Pillow's Resample.c: for scale = max(1, input / output), output pixel i looks at
//           the inputs within `scale` of (i + 0.5) * input / output, with weights that fall
//           linearly to 0 and sum to 1.
#pragma once

#include <cstdint>
#include <vector>

namespace evener::data::images {

inline constexpr int kWeightBits = 14;
inline constexpr int kWeightOne = 1 << kWeightBits;

enum class Direction { kForward, kMirrored };

struct Axis {
  double start = 0;                // of the box, in input pixels
  double length = 0;
  int first = 0;                   // input pixels that may be looked at: [first, last)
  int last = 0;
  int out = 0;
};

// Output i is the sum over k of input[starts[i] + k] * values[i * taps + k] / kWeightOne. The
// weights of an output sum to kWeightOne exactly, none is negative.
struct Weights {
  int taps = 0;
  std::vector<std::int32_t> starts;
  std::vector<std::int16_t> values;
};

// For code that works on several at once: taps are rounded up to a multiple with weights of 0, which
// may reach beyond Axis::last, and outputs by repeating the last.
struct Groups {
  int taps = 1;
  int outputs = 1;
};

// The buffers of `weights` are used again.
void make_weights(const Axis& axis, Direction direction, const Groups& groups, Weights& weights);

}  // namespace evener::data::images
