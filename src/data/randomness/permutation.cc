#include <bit>

#include "base/check.h"
#include "data/randomness/randomness.h"

namespace evener::data::randomness {
namespace {

// No draw of a sample uses this counter word together with position 0: its counters stay small.
constexpr std::uint32_t kPermutationDraws = 0x80000000u;

std::uint64_t mask(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

// The finaliser of MurmurHash3: each bit of the result depends on each of the input.
std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdull;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ull;
  return value ^ (value >> 33);
}

}  // namespace

Permutation::Permutation(std::uint64_t seed, std::uint32_t epoch, std::uint64_t size)
    : size_(size) {
  CHECK(size < (std::uint64_t{1} << 62), "more samples than a permutation takes");
  const auto bits = size > 1 ? static_cast<unsigned>(std::bit_width(size - 1)) : 1u;
  high_bits_ = bits / 2;
  low_bits_ = bits - high_bits_;
  const Key key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (std::size_t round = 0; round < kRounds; ++round) {
    const Counter noise =
        philox({kPermutationDraws + static_cast<std::uint32_t>(round), 0, 0, epoch}, key);
    keys_[round] = noise[0] | std::uint64_t{noise[1]} << 32;
  }
}

std::uint64_t Permutation::once(std::uint64_t value) const {
  std::uint64_t high = value >> low_bits_;
  std::uint64_t low = value & mask(low_bits_);
  for (std::size_t round = 0; round < kRounds; round += 2) {
    high ^= mix(low ^ keys_[round]) & mask(high_bits_);
    low ^= mix(high ^ keys_[round + 1]) & mask(low_bits_);
  }
  return high << low_bits_ | low;
}

std::uint64_t Permutation::operator()(std::uint64_t position) const {
  CHECK(position < size_, "a position beyond the epoch");
  // The values form cycles; from one below size the walk comes back below size, after two steps on
  // average at most.
  std::uint64_t value = once(position);
  while (value >= size_) value = once(value);
  return value;
}

}  // namespace evener::data::randomness
