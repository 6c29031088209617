#include "data/randomness/randomness.h"

namespace evener::data::randomness {
namespace {

constexpr int kRounds = 10;
// Multipliers and key increments as published; the increments are from the golden ratio and from
// the square root of three.
constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;

std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

Counter philox(Counter counter, Key key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
               high(product0) ^ counter[3] ^ key[1], low(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

Draws::Draws(std::uint64_t seed, std::uint32_t epoch, std::uint64_t position)
    : key_{low(seed), high(seed)}, counter_{0, low(position), high(position), epoch} {}

std::uint32_t Draws::bits() {
  if (used_ == block_.size()) {
    block_ = philox(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

double Draws::unit() { return static_cast<double>(bits()) * 0x1p-32; }

double Draws::between(double lowest, double highest) {
  return lowest + (highest - lowest) * unit();
}

// Lemire, "Fast random integer generation in an interval" (2019): draws again where the product's
// low word would favour some values.
std::uint32_t Draws::below(std::uint32_t bound) {
  const std::uint32_t unfair = (0u - bound) % bound;
  while (true) {
    const std::uint64_t product = std::uint64_t{bits()} * bound;
    if (low(product) >= unfair) return high(product);
  }
}

}  // namespace evener::data::randomness
