#include "data/images/weights.h"

#include <algorithm>
#include <cmath>

namespace evener::data::images {
namespace {

struct Reach {
  int begin = 0;
  int end = 0;
};

Reach reach_of(double center, double support, const Axis& axis) {
  const int begin = static_cast<int>(std::floor(center - support + 0.5));
  const int end = static_cast<int>(std::floor(center + support + 0.5));
  Reach reach{std::max(begin, axis.first), std::min(end, axis.last)};
  reach.begin = std::min(reach.begin, axis.last - 1);
  reach.end = std::max(reach.end, reach.begin + 1);
  return reach;
}

double triangle(double distance) { return std::max(0.0, 1.0 - std::fabs(distance)); }

// Rounds running sums, so that the whole sums to one without a correction.
void fill(const Reach& reach, double center, double scale, std::int16_t* values) {
  double sum = 0;
  for (int x = reach.begin; x < reach.end; ++x) sum += triangle((x + 0.5 - center) / scale);
  double running = 0;
  int given = 0;
  for (int x = reach.begin; x < reach.end; ++x) {
    running += sum > 0 ? triangle((x + 0.5 - center) / scale) / sum : 1.0;
    const int upto = std::min(kWeightOne, static_cast<int>(running * kWeightOne + 0.5));
    *values++ = static_cast<std::int16_t>(upto - given);
    given = upto;
  }
  *(values - 1) = static_cast<std::int16_t>(*(values - 1) + kWeightOne - given);
}

}  // namespace

void make_weights(const Axis& axis, Direction direction, int multiple, Weights& weights) {
  const double ratio = axis.length / axis.out;
  const double scale = std::max(1.0, ratio);
  const auto center = [&](int i) { return axis.start + (i + 0.5) * ratio; };
  int taps = 1;
  for (int i = 0; i < axis.out; ++i) {
    const Reach reach = reach_of(center(i), scale, axis);
    taps = std::max(taps, reach.end - reach.begin);
  }
  taps = (taps + multiple - 1) / multiple * multiple;
  weights.taps = taps;
  weights.starts.assign(static_cast<std::size_t>(axis.out), 0);
  weights.values.assign(static_cast<std::size_t>(axis.out) * static_cast<std::size_t>(taps), 0);
  for (int i = 0; i < axis.out; ++i) {
    const Reach reach = reach_of(center(i), scale, axis);
    const auto at = static_cast<std::size_t>(direction == Direction::kForward ? i : axis.out - 1 - i);
    weights.starts[at] = reach.begin;
    fill(reach, center(i), scale, weights.values.data() + at * static_cast<std::size_t>(taps));
  }
}

}  // namespace evener::data::images
