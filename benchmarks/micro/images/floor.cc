#include "floor.h"

#include <cstdio>
#include <vector>

#include <jpeglib.h>

namespace evener::bench {
namespace {

using data::images::Crop;

}  // namespace

struct Floor::Parts {
  jpeg_decompress_struct decoder;
  jpeg_error_mgr errors;
  std::vector<unsigned char> row;

  void open(std::span<const std::byte> file, const Crop& crop) {
    jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_read_header(&decoder, TRUE);
    decoder.out_color_space = JCS_RGB;
    jpeg_start_decompress(&decoder);
    auto x = static_cast<JDIMENSION>(crop.x);
    auto width = static_cast<JDIMENSION>(crop.width);
    jpeg_crop_scanline(&decoder, &x, &width);
    jpeg_skip_scanlines(&decoder, static_cast<JDIMENSION>(crop.y));
    row.resize(width * 3);
  }

  void read_row() {
    unsigned char* line = row.data();
    jpeg_read_scanlines(&decoder, &line, 1);
  }
};

Floor::Floor() : parts_(std::make_unique<Parts>()) {
  parts_->decoder.err = jpeg_std_error(&parts_->errors);
  jpeg_create_decompress(&parts_->decoder);
}

Floor::~Floor() { jpeg_destroy_decompress(&parts_->decoder); }

void Floor::run(std::span<const std::byte> file, const Crop& crop) {
  parts_->open(file, crop);
  for (int y = 0; y < crop.height; ++y) parts_->read_row();
  jpeg_abort_decompress(&parts_->decoder);
}

}  // namespace evener::bench
