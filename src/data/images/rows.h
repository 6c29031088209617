// Rows of a part of an image, from top to bottom, as RGB bytes: what each format's library gives.
//
// Used by:  decoder, decode_slowly; jpeg, png and webp implement it.
// Threads:  a reader belongs to one thread at a time.
// Fails:    kCorrupt (damage in what is read), kUnsupported, kLimitExceeded. After a failure
//           start() begins anew with any file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "data/images/images.h"

namespace evener::data::images {

struct RowRequest {
  std::span<const std::byte> file;  // lives until stop()
  Size stored;                      // of the image in the file, from probe()
  Crop wanted;                      // lies within it
  int shrink = 1;                   // 1, 2, 4 or 8: every side, if the format can; a wish
};

// What comes: at least what was wanted, in pixels of the image after shrinking.
struct Rows {
  Crop pixels;
  int shrink = 1;
};

class RowReader {
 public:
  virtual ~RowReader() = default;
  virtual Result<Rows> start(const RowRequest& request) = 0;
  // The next rows, 3 bytes a pixel, as many as there are buffers.
  virtual Status read(std::span<std::uint8_t* const> rows) = 0;
  // Gives up what is left of the file and the memory that goes with it.
  virtual void stop() = 0;
};

std::unique_ptr<RowReader> make_jpeg_reader(const Limits& limits);
std::unique_ptr<RowReader> make_png_reader(const Limits& limits);
std::unique_ptr<RowReader> make_webp_reader(const Limits& limits);

}  // namespace evener::data::images
