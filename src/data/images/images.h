// From the bytes of a photograph to its place in a batch: what a file holds (probe), and one pass
// that decodes only what a crop needs and resizes, flips, jitters, normalises and writes it.
//
//   file ─▶ decoder's rows ─▶ horizontal resize, flip ─▶ ring of rows ─▶ vertical resize,
//           (of the crop)                                                normalise ─▶ out
//
// Used by:  data/pipeline (a Decoder per compute thread), apps (bench), benchmarks.
// Threads:  a Decoder belongs to one thread at a time; the rest are values and pure functions.
// Fails:    kCorrupt (empty, truncated or damaged file), kUnsupported (another format, or a kind of
//           JPEG, PNG or WebP that is not read), kLimitExceeded (a limit below, by its name),
//           kInvalidArgument (a crop outside of the image, an `out` of the wrong size). After a
//           failure `out` holds anything; the Decoder can go on with the next file.
// Source:   ISO/IEC 10918-1 (JPEG), W3C PNG, RFC 9649 (WebP), CIPA DC-008 (Exif orientation);
//           the resize is the antialiased triangle filter of Pillow's BILINEAR, the jitter
//           torchvision's ColorJitter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "data/images/crops.h"

namespace evener::data::images {

// ---- what a file holds -----------------------------------------------------------------

enum class FileFormat { kJpeg, kPng, kWebp };
std::string_view to_string(FileFormat format);  // "jpeg", "png", "webp"
std::optional<FileFormat> file_format_from(std::string_view text);

// Whether the orientation that a camera wrote (Exif) turns the image.
enum class Orientation { kAsStored, kUpright };
std::string_view to_string(Orientation orientation);  // "as_stored", "upright"
std::optional<Orientation> orientation_from(std::string_view text);

struct Limits {
  std::uint64_t max_bytes = 256u << 20;            // of a file
  std::uint64_t max_pixels = 512u << 20;           // of an image, before any crop
  // Of what a decoder must hold at once beside a few rows: all coefficients of a progressive JPEG,
  // all pixels of an interlaced PNG or of a WebP.
  std::uint64_t max_decoder_bytes = 1u << 30;
};

struct Facts {
  FileFormat format = FileFormat::kJpeg;
  Size size = {};                  // as seen, so after the turn
  int channels = 0;                // as stored: 1 gray, 2 gray + alpha, 3 colour, 4 + alpha or CMYK
  int bits = 8;                    // of a channel
  int turn = 1;                    // Exif orientation that decode() undoes, 1..8; 1 turns nothing
  bool operator==(const Facts&) const = default;
};

// Looks at the content, never at a name. Reads headers only: damage behind them shows in decode().
Result<Facts> probe(std::span<const std::byte> file, Orientation orientation,
                    const Limits& limits = {});

// ---- what is made of it ----------------------------------------------------------------

enum class PixelFormat {
  kU8Hwc,   // bytes 0..255, [height][width][3]; mean and std are not used
  kF32Chw,  // float, [3][height][width], (value/255 - mean) / std
  kF16Chw,  // the same as IEEE half
};
std::string_view to_string(PixelFormat format);  // "u8_hwc", "f32_chw", "f16_chw"
std::optional<PixelFormat> pixel_format_from(std::string_view text);

enum class Flip { kNone, kHorizontal };
std::string_view to_string(Flip flip);  // "none", "horizontal"
std::optional<Flip> flip_from(std::string_view text);

enum class JitterStep { kBrightness, kContrast, kSaturation, kHue };
std::string_view to_string(JitterStep step);  // "brightness", ...
std::optional<JitterStep> jitter_step_from(std::string_view text);

// Factors as torchvision's adjust_* functions take them: 1 changes nothing, 0 gives black, the mean
// gray, gray; hue is a part of a turn, -0.5..0.5. After each step values are clamped to 0..1.
struct Jitter {
  float brightness = 1;
  float contrast = 1;
  float saturation = 1;
  float hue = 0;
  std::array<JitterStep, 4> order = {JitterStep::kBrightness, JitterStep::kContrast,
                                     JitterStep::kSaturation, JitterStep::kHue};
  bool operator==(const Jitter&) const = default;
};

// In this order: crop, resize, flip, jitter, normalise. Every image becomes RGB: gray is repeated,
// CMYK converted, alpha dropped, 16 bits cut to their upper 8.
struct Transform {
  Region region;                   // of the image as seen (Facts::size)
  Size out;
  Flip flip = Flip::kNone;
  std::optional<Jitter> jitter = std::nullopt;
  std::array<float, 3> mean = {0, 0, 0};  // of values 0..1
  std::array<float, 3> std = {1, 1, 1};   // above 0
  PixelFormat format = PixelFormat::kF32Chw;
};

// Bytes that decode() writes.
std::size_t bytes_of(Size out, PixelFormat format);

// Which machine code runs; the pixels are the same, bit by bit.
enum class Instructions { kBestOfMachine, kPlain };

struct DecoderOptions {
  Limits limits = {};
  Instructions instructions = Instructions::kBestOfMachine;
};

// One per thread: it keeps its buffers and its libraries' state from file to file.
class Decoder {
 public:
  explicit Decoder(const DecoderOptions& options = {});
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // `facts` are those of probe() on the same bytes. `out` has bytes_of(transform.out, format) bytes
  // and is aligned for its values. Damage that lies behind what the region needs may go unseen.
  Status decode(std::span<const std::byte> file, const Facts& facts, const Transform& transform,
                std::span<std::byte> out);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// ---- how right it is -------------------------------------------------------------------

// The same transform without any shortcut: everything is decoded, resized in double precision as
// Pillow does it (horizontally, then vertically), and nothing is rounded before the end. Slow.
Status decode_slowly(std::span<const std::byte> file, const Facts& facts,
                     const Transform& transform, std::span<std::byte> out);

// Peak signal-to-noise ratio in dB of two images in `format`, with the peak 255; the normalisation
// of `transform` is undone first. 100 for equal images.
double psnr_db(std::span<const std::byte> left, std::span<const std::byte> right,
               const Transform& transform);

}  // namespace evener::data::images
