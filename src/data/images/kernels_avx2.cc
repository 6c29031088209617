// The kernels for processors with AVX2. Only functions marked so use it; the rest of the program
// runs everywhere.
#include "data/images/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#define EVENER_AVX2 __attribute__((target("avx2,f16c")))

namespace evener::data::images {
namespace {

constexpr int kTapGroup = kAcrossGroups.taps;
constexpr int kOutGroup = kAcrossGroups.outputs;
constexpr int kRowGroup = kDownGroups.taps;

// ---- first pass ------------------------------------------------------------------------

// 16 bytes of both rows from a pixel on: the first row in the lower half.
EVENER_AVX2 inline __m256i load_both(const std::uint8_t* first, const std::uint8_t* second) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(second));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// Two weights side by side, everywhere. As a float, since only that is broadcast from memory at once.
EVENER_AVX2 inline __m256i broadcast_pair(const std::int16_t* weights) {
  return _mm256_castps_si256(_mm256_broadcast_ss(reinterpret_cast<const float*>(weights)));
}

// The sums of one output pixel, for both rows: red, green, blue and nothing, 32 bits each.
// kGroups is the number of groups of four taps, 0 where only the weights know it.
template <int kGroups>
EVENER_AVX2 inline __m256i weigh(const std::uint8_t* first, const std::uint8_t* second,
                                 const std::int16_t* values, int groups) {
  // Pixels 0 and 1, then 2 and 3, side by side by channel, each widened to 16 bits.
  const __m256i pair01 = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1));
  const __m256i pair23 = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1));
  __m256i sum = _mm256_set1_epi32(1 << (kWeightBits - kRowBits - 1));
  const int count = kGroups > 0 ? kGroups : groups;
  for (int g = 0; g < count; ++g, first += 12, second += 12, values += kTapGroup) {
    const __m256i pixels = load_both(first, second);
    const __m256i sum01 =
        _mm256_madd_epi16(_mm256_shuffle_epi8(pixels, pair01), broadcast_pair(values));
    const __m256i sum23 =
        _mm256_madd_epi16(_mm256_shuffle_epi8(pixels, pair23), broadcast_pair(values + 2));
    sum = _mm256_add_epi32(sum, _mm256_add_epi32(sum01, sum23));
  }
  return _mm256_srai_epi32(sum, kWeightBits - kRowBits);
}

// Eight pixels of both rows (red, green, blue, nothing) become three planes of eight values.
EVENER_AVX2 inline void store_planes(const __m256i pixels[kOutGroup], std::int16_t* const planes[2],
                                     std::size_t stride, std::size_t x) {
  const __m256i p01 = _mm256_packs_epi32(pixels[0], pixels[1]);
  const __m256i p23 = _mm256_packs_epi32(pixels[2], pixels[3]);
  const __m256i p45 = _mm256_packs_epi32(pixels[4], pixels[5]);
  const __m256i p67 = _mm256_packs_epi32(pixels[6], pixels[7]);
  const __m256i even03 = _mm256_unpacklo_epi16(p01, p23);
  const __m256i odd03 = _mm256_unpackhi_epi16(p01, p23);
  const __m256i even47 = _mm256_unpacklo_epi16(p45, p67);
  const __m256i odd47 = _mm256_unpackhi_epi16(p45, p67);
  const __m256i rg03 = _mm256_unpacklo_epi16(even03, odd03);
  const __m256i rg47 = _mm256_unpacklo_epi16(even47, odd47);
  const __m256i b03 = _mm256_unpackhi_epi16(even03, odd03);
  const __m256i b47 = _mm256_unpackhi_epi16(even47, odd47);
  const __m256i all[3] = {_mm256_unpacklo_epi64(rg03, rg47), _mm256_unpackhi_epi64(rg03, rg47),
                          _mm256_unpacklo_epi64(b03, b47)};
  for (std::size_t c = 0; c < 3; ++c) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(planes[0] + c * stride + x),
                     _mm256_castsi256_si128(all[c]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(planes[1] + c * stride + x),
                     _mm256_extracti128_si256(all[c], 1));
  }
}

template <int kGroups>
EVENER_AVX2 void resize_rows_in(const std::uint8_t* const rgb[2], const Weights& weights,
                                std::int16_t* const planes[2], std::size_t stride) {
  const int groups = kGroups > 0 ? kGroups : weights.taps / kTapGroup;
  const std::ptrdiff_t taps = std::ptrdiff_t{groups} * kTapGroup;
  const std::int32_t* starts = weights.starts.data();
  const std::int16_t* values = weights.values.data();
  for (std::size_t x = 0; x < weights.starts.size(); x += kOutGroup, starts += kOutGroup) {
    __m256i pixels[kOutGroup];
    for (std::size_t j = 0; j < kOutGroup; ++j, values += taps) {
      const std::ptrdiff_t offset = std::ptrdiff_t{starts[j]} * 3;
      pixels[j] = weigh<kGroups>(rgb[0] + offset, rgb[1] + offset, values, groups);
    }
    store_planes(pixels, planes, stride, x);
  }
}

EVENER_AVX2 void resize_rows(const std::uint8_t* const rgb[2], const Weights& weights,
                             std::int16_t* const planes[2], std::size_t stride) {
  switch (weights.taps / kTapGroup) {
    case 1: return resize_rows_in<1>(rgb, weights, planes, stride);
    case 2: return resize_rows_in<2>(rgb, weights, planes, stride);
    default: return resize_rows_in<0>(rgb, weights, planes, stride);
  }
}

// ---- second pass -----------------------------------------------------------------------

struct Sums {
  __m256i low;                     // values 0..3 and 8..11
  __m256i high;                    // values 4..7 and 12..15
};

// Sixteen values from `at` on, with kSumBits fractional bits; rows are taken by twos.
EVENER_AVX2 inline Sums sum_lanes(const RowSum& sum, std::size_t at) {
  Sums sums = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  for (int k = 0; k < sum.taps; k += kRowGroup) {
    const __m256i weights = broadcast_pair(sum.weights + k);
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sum.rows[k] + at));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sum.rows[k + 1] + at));
    sums.low = _mm256_add_epi32(sums.low,
                                _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights));
    sums.high = _mm256_add_epi32(sums.high,
                                 _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights));
  }
  return sums;
}

// Sixteen bytes of one channel.
EVENER_AVX2 inline __m128i bytes_of_channel(const RowSum& sum, std::size_t at) {
  const __m256i half = _mm256_set1_epi32(1 << (kSumBits - 1));
  const Sums sums = sum_lanes(sum, at);
  const __m256i words =
      _mm256_packs_epi32(_mm256_srai_epi32(_mm256_add_epi32(sums.low, half), kSumBits),
                         _mm256_srai_epi32(_mm256_add_epi32(sums.high, half), kSumBits));
  return _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

// Where each byte of 48 comes from: kPlaces[part][channel].
constexpr char kNone = -1;
alignas(16) constexpr char kPlaces[3][3][16] = {
    {{0, kNone, kNone, 1, kNone, kNone, 2, kNone, kNone, 3, kNone, kNone, 4, kNone, kNone, 5},
     {kNone, 0, kNone, kNone, 1, kNone, kNone, 2, kNone, kNone, 3, kNone, kNone, 4, kNone, kNone},
     {kNone, kNone, 0, kNone, kNone, 1, kNone, kNone, 2, kNone, kNone, 3, kNone, kNone, 4, kNone}},
    {{kNone, kNone, 6, kNone, kNone, 7, kNone, kNone, 8, kNone, kNone, 9, kNone, kNone, 10, kNone},
     {5, kNone, kNone, 6, kNone, kNone, 7, kNone, kNone, 8, kNone, kNone, 9, kNone, kNone, 10},
     {kNone, 5, kNone, kNone, 6, kNone, kNone, 7, kNone, kNone, 8, kNone, kNone, 9, kNone, kNone}},
    {{kNone, 11, kNone, kNone, 12, kNone, kNone, 13, kNone, kNone, 14, kNone, kNone, 15, kNone,
      kNone},
     {kNone, kNone, 11, kNone, kNone, 12, kNone, kNone, 13, kNone, kNone, 14, kNone, kNone, 15,
      kNone},
     {10, kNone, kNone, 11, kNone, kNone, 12, kNone, kNone, 13, kNone, kNone, 14, kNone, kNone,
      15}}};

EVENER_AVX2 void sum_to_u8(const RowSum& sum, std::uint8_t* rgb) {
  const auto width = static_cast<std::size_t>(sum.width);
  for (std::size_t x = 0; x < width; x += kLanes) {
    const __m128i channels[3] = {bytes_of_channel(sum, x), bytes_of_channel(sum, sum.stride + x),
                                 bytes_of_channel(sum, 2 * sum.stride + x)};
    alignas(16) std::uint8_t edge[48];
    std::uint8_t* target = x + kLanes <= width ? rgb + x * 3 : edge;
    for (std::size_t part = 0; part < 3; ++part) {
      __m128i mixed = _mm_setzero_si128();
      for (std::size_t c = 0; c < 3; ++c) {
        const __m128i places =
            _mm_load_si128(reinterpret_cast<const __m128i*>(kPlaces[part][c]));
        mixed = _mm_or_si128(mixed, _mm_shuffle_epi8(channels[c], places));
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(target + part * 16), mixed);
    }
    if (target == edge) std::memcpy(rgb + x * 3, edge, (width - x) * 3);
  }
}

struct Floats {
  __m256 low;                      // values 0..7
  __m256 high;                     // values 8..15
};

EVENER_AVX2 inline Floats scaled_sums(const RowSum& sum, std::size_t at, __m256 scale,
                                      __m256 offset) {
  const Sums sums = sum_lanes(sum, at);
  const __m256i low = _mm256_permute2x128_si256(sums.low, sums.high, 0x20);
  const __m256i high = _mm256_permute2x128_si256(sums.low, sums.high, 0x31);
  return {_mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(low), scale), offset),
          _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(high), scale), offset)};
}

EVENER_AVX2 inline void store_lanes(const Floats& values, float* target) {
  _mm256_storeu_ps(target, values.low);
  _mm256_storeu_ps(target + 8, values.high);
}

EVENER_AVX2 inline void store_lanes(const Floats& values, std::uint16_t* target) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(target),
                   _mm256_cvtps_ph(values.low, _MM_FROUND_TO_NEAREST_INT));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(target + 8),
                   _mm256_cvtps_ph(values.high, _MM_FROUND_TO_NEAREST_INT));
}

template <class Value>
EVENER_AVX2 void sum_to(const RowSum& sum, const Affine& affine, Value* const planes[3]) {
  const auto width = static_cast<std::size_t>(sum.width);
  for (std::size_t c = 0; c < 3; ++c) {
    const __m256 scale = _mm256_set1_ps(affine.scale[c]);
    const __m256 offset = _mm256_set1_ps(affine.offset[c]);
    std::size_t x = 0;
    for (; x + kLanes <= width; x += kLanes) {
      store_lanes(scaled_sums(sum, c * sum.stride + x, scale, offset), planes[c] + x);
    }
    if (x < width) {
      Value edge[kLanes];
      store_lanes(scaled_sums(sum, c * sum.stride + x, scale, offset), edge);
      std::memcpy(planes[c] + x, edge, (width - x) * sizeof(Value));
    }
  }
}

EVENER_AVX2 void sum_to_f32(const RowSum& sum, const Affine& affine, float* const planes[3]) {
  sum_to(sum, affine, planes);
}

EVENER_AVX2 void sum_to_f16(const RowSum& sum, const Affine& affine,
                            std::uint16_t* const planes[3]) {
  sum_to(sum, affine, planes);
}

EVENER_AVX2 void scale_to_f16(const float* values, std::size_t count, float scale, float offset,
                              std::uint16_t* halves) {
  const __m256 scales = _mm256_set1_ps(scale);
  const __m256 offsets = _mm256_set1_ps(offset);
  for (std::size_t i = 0; i < count; i += 8) {
    float eight[8] = {};
    const std::size_t some = std::min<std::size_t>(8, count - i);
    std::memcpy(eight, values + i, some * sizeof(float));
    const __m256 value = _mm256_add_ps(_mm256_mul_ps(_mm256_loadu_ps(eight), scales), offsets);
    std::uint16_t result[8];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(result),
                     _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
    std::memcpy(halves + i, result, some * sizeof(std::uint16_t));
  }
}

}  // namespace

const Kernels& best_kernels() {
  static constexpr Kernels kKernels = {resize_rows, sum_to_u8, sum_to_f32, sum_to_f16,
                                       scale_to_f16};
  static const bool kIsThere = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  return kIsThere ? kKernels : plain_kernels();
}

}  // namespace evener::data::images

#else

namespace evener::data::images {
const Kernels& best_kernels() { return plain_kernels(); }
}  // namespace evener::data::images

#endif
