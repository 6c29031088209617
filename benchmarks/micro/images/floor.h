// What a program written for this one task reaches: libjpeg-turbo, only the rows and columns that
// the crop needs, and a fused antialiased resize in floats with nothing else around it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "data/images/images.h"

namespace evener::bench {

enum class Work { kDecode, kDecodeAndResize };

class Floor {
 public:
  Floor();
  ~Floor();
  // A JPEG without surprises: colour, not turned. `out` is [3][height][width].
  void run(std::span<const std::byte> file, const data::images::Transform& transform, Work work,
           float* out);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace evener::bench
