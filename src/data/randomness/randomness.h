// Randomness by key, not by history: the order of an epoch and the draws of a sample follow from
// the seed, the epoch and the position alone, whoever computes them and whenever.
//
// Used by:  data/pipeline.
// Threads:  values and pure functions; a Permutation may be shared.
// Fails:    never.
// Source:   Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC'11):
//           Philox4x32-10. Black, Rogaway, "Ciphers with arbitrary finite domains" (CT-RSA 2002):
//           Feistel rounds and cycle walking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace evener::data::randomness {

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

// Philox4x32 with ten rounds: four words of noise for a counter under a key.
Counter philox(Counter counter, Key key);

// The draws of one sample: word d is word d mod 4 of philox((epoch, position, d / 4), seed).
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint32_t epoch, std::uint64_t position);

  std::uint32_t bits();
  double unit();                                  // in [0, 1), a multiple of 2^-32
  double between(double low, double high);        // in [low, high)
  std::uint32_t below(std::uint32_t bound);       // in [0, bound), each as likely; bound > 0

 private:
  Key key_;
  Counter counter_;
  Counter block_{};
  std::size_t used_ = 4;                          // words of block_
};

// Positions 0 ... size-1 of an epoch onto the samples 0 ... size-1, one to one. A position costs
// the same wherever it lies, and nothing is kept.
class Permutation {
 public:
  Permutation(std::uint64_t seed, std::uint32_t epoch, std::uint64_t size);

  std::uint64_t size() const { return size_; }
  std::uint64_t operator()(std::uint64_t position) const;   // position < size

 private:
  static constexpr std::size_t kRounds = 8;

  std::uint64_t once(std::uint64_t value) const;

  std::uint64_t size_;
  unsigned high_bits_ = 0;      // the halves of a value; together they hold at least size
  unsigned low_bits_ = 0;
  std::array<std::uint64_t, kRounds> keys_{};
};

}  // namespace evener::data::randomness
