#include "data/images/weights.h"

#include <algorithm>
#include <cmath>

namespace evener::data::images {
namespace {

// The inputs of one output: [begin, end).
struct Reach {
  int begin = 0;
  int end = 0;
};

Reach reach_of(double center, double support, const Axis& axis) {
  const int begin = static_cast<int>(center - support + 0.5);
  const int end = static_cast<int>(center + support + 0.5);
  Reach reach{std::max(begin, axis.first), std::min(end, axis.last)};
  reach.begin = std::min(reach.begin, axis.last - 1);
  reach.end = std::max(reach.end, reach.begin + 1);
  return reach;
}

double triangle(double distance) { return std::max(0.0, 1.0 - std::fabs(distance)); }

// Rounds running sums, so that the whole sums to one without a correction.
void fill(const Reach& reach, double center, double scale, std::int16_t* values) {
  const double slope = 1 / scale;
  const double first = (reach.begin + 0.5 - center) * slope;
  const int count = reach.end - reach.begin;
  double sum = 0;
  for (int k = 0; k < count; ++k) sum += triangle(first + k * slope);
  const double one = sum > 0 ? kWeightOne / sum : 0;
  double running = 0.5;            // to be cut off
  int given = 0;
  for (int k = 0; k < count; ++k) {
    running += triangle(first + k * slope) * one;
    const int upto = std::min(kWeightOne, static_cast<int>(running));
    values[k] = static_cast<std::int16_t>(upto - given);
    given = upto;
  }
  values[count - 1] = static_cast<std::int16_t>(values[count - 1] + kWeightOne - given);
}

int rounded_up(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

void make_weights(const Axis& axis, Direction direction, const Groups& groups, Weights& weights) {
  const double ratio = axis.length / axis.out;
  const double scale = std::max(1.0, ratio);
  // An interval of 2 * scale, closed at its rounded ends.
  const int taps = rounded_up(static_cast<int>(2 * scale) + 1, groups.taps);
  const auto count = static_cast<std::size_t>(rounded_up(axis.out, groups.outputs));
  weights.taps = taps;
  weights.starts.assign(count, 0);
  weights.values.assign(count * static_cast<std::size_t>(taps), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const int at = std::min(static_cast<int>(i), axis.out - 1);
    const int from = direction == Direction::kForward ? at : axis.out - 1 - at;
    const double center = axis.start + (from + 0.5) * ratio;
    const Reach reach = reach_of(center, scale, axis);
    weights.starts[i] = reach.begin;
    fill(reach, center, scale, weights.values.data() + i * static_cast<std::size_t>(taps));
  }
}

}  // namespace evener::data::images
