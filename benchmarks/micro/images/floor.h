// What is left when nothing is done with the pixels: libjpeg-turbo decodes the rows and columns that
// the crop needs, and they are dropped.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "data/images/images.h"

namespace evener::bench {

class Floor {
 public:
  Floor();
  ~Floor();
  // A JPEG without surprises.
  void run(std::span<const std::byte> file, const data::images::Crop& crop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace evener::bench
