// PNG by libpng. As in jpeg.cc, what may be left by longjmp stands in guarded_* functions that hold
// no C++ object.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <png.h>

#include "data/images/rows.h"

namespace evener::data::images {
namespace {

// Of one ancillary chunk (a profile, a comment) after decompression.
constexpr png_alloc_size_t kMaxChunkBytes = 8u << 20;

struct Library {
  png_structp decoder;
  png_infop header;
  const std::uint8_t* next;
  std::size_t left;
  bool ended;
  jmp_buf escape;
  char message[160];
};

[[noreturn]] void leave(png_structp decoder, png_const_charp message) {
  auto& library = *static_cast<Library*>(png_get_error_ptr(decoder));
  std::snprintf(library.message, sizeof library.message, "%s", message);
  std::longjmp(library.escape, 1);
}

void stay_silent(png_structp, png_const_charp) {}

void provide_bytes(png_structp decoder, png_bytep target, std::size_t count) {
  auto& library = *static_cast<Library*>(png_get_io_ptr(decoder));
  if (count > library.left) {
    library.ended = true;
    leave(decoder, "the file is truncated");
  }
  std::memcpy(target, library.next, count);
  library.next += count;
  library.left -= count;
}

void guarded_destroy(Library& library) {
  png_destroy_read_struct(&library.decoder, &library.header, nullptr);
}

bool guarded_create(Library& library) {
  library.decoder = png_create_read_struct(PNG_LIBPNG_VER_STRING, &library, leave, stay_silent);
  if (library.decoder == nullptr) return false;
  if (setjmp(library.escape) != 0) return false;
  library.header = png_create_info_struct(library.decoder);
  png_set_read_fn(library.decoder, &library, provide_bytes);
  // Sides are limited by probe(); libpng's own limit is lower.
  png_set_user_limits(library.decoder, 0x7fffffff, 0x7fffffff);
  png_set_chunk_malloc_max(library.decoder, kMaxChunkBytes);
  return library.header != nullptr;
}

bool guarded_read_header(Library& library) {
  if (setjmp(library.escape) != 0) return false;
  png_read_info(library.decoder, library.header);
  return true;
}

// Everything to 8-bit RGB: palettes and low depths expanded, the upper 8 of 16 bits, no alpha.
bool guarded_set_rgb(Library& library) {
  if (setjmp(library.escape) != 0) return false;
  const int color = png_get_color_type(library.decoder, library.header);
  png_set_expand(library.decoder);
  png_set_strip_16(library.decoder);
  png_set_strip_alpha(library.decoder);
  if ((color & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(library.decoder);
  png_set_interlace_handling(library.decoder);
  png_read_update_info(library.decoder, library.header);
  return true;
}

// Reads rows over each other: the last stays.
bool guarded_read_rows(Library& library, std::uint8_t* row, int count) {
  if (setjmp(library.escape) != 0) return false;
  for (int i = 0; i < count; ++i) png_read_row(library.decoder, row, nullptr);
  return true;
}

bool guarded_read_image(Library& library, std::uint8_t** rows) {
  if (setjmp(library.escape) != 0) return false;
  png_read_image(library.decoder, rows);
  return true;
}

class PngReader : public RowReader {
 public:
  explicit PngReader(const Limits& limits) : limits_(limits) {}
  ~PngReader() override { guarded_destroy(library_); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Result<Rows> start(const RowRequest& request) override;
  Status read(std::span<std::uint8_t* const> rows) override;
  void stop() override;

 private:
  tl::unexpected<Error> failed() const;
  Status open(const RowRequest& request);
  Status read_interlaced(Size stored);
  Status read_one(std::uint8_t* target);

  Limits limits_;
  Library library_{};
  Crop given_;
  std::vector<std::uint8_t> row_;            // one whole row of the image
  std::vector<std::uint8_t> image_;          // all rows, when interlaced
  std::size_t next_row_ = 0;                 // of image_
};

void PngReader::stop() {
  guarded_destroy(library_);
  library_ = {};
  image_.clear();
  image_.shrink_to_fit();
}

tl::unexpected<Error> PngReader::failed() const {
  if (library_.ended) return failure(ErrorCode::kCorrupt, "png: the file is truncated");
  return failure(ErrorCode::kCorrupt, "png: damaged: " + std::string(library_.message));
}

Status PngReader::open(const RowRequest& request) {
  if (!guarded_create(library_)) return failure(ErrorCode::kNoSpace, "png: no memory to decode");
  library_.next = reinterpret_cast<const std::uint8_t*>(request.file.data());
  library_.left = request.file.size();
  if (!guarded_read_header(library_)) return failed();
  if (png_get_image_width(library_.decoder, library_.header) !=
          static_cast<png_uint_32>(request.stored.width) ||
      png_get_image_height(library_.decoder, library_.header) !=
          static_cast<png_uint_32>(request.stored.height)) {
    return failure(ErrorCode::kInvalidArgument, "png: the facts are those of another file");
  }
  if (!guarded_set_rgb(library_)) return failed();
  return ok();
}

Result<Rows> PngReader::start(const RowRequest& request) {
  stop();
  RETURN_IF_ERROR(open(request));
  given_ = request.wanted;
  row_.resize(png_get_rowbytes(library_.decoder, library_.header));
  if (png_get_interlace_type(library_.decoder, library_.header) != PNG_INTERLACE_NONE) {
    RETURN_IF_ERROR(read_interlaced(request.stored));
  } else if (!guarded_read_rows(library_, row_.data(), given_.y)) {
    return failed();
  }
  return Rows{.pixels = given_};
}

// The seven passes give their pixels all over the image: it is read whole.
Status PngReader::read_interlaced(Size stored) {
  const std::size_t rows = static_cast<std::size_t>(stored.height);
  if (rows * row_.size() > limits_.max_decoder_bytes) {
    return failure(ErrorCode::kLimitExceeded,
                   "png: is interlaced, and its pixels need " +
                       std::to_string(rows * row_.size()) +
                       " bytes at once; max_decoder_bytes is " +
                       std::to_string(limits_.max_decoder_bytes));
  }
  image_.resize(rows * row_.size());
  std::vector<std::uint8_t*> lines(rows);
  for (std::size_t i = 0; i < rows; ++i) lines[i] = image_.data() + i * row_.size();
  if (!guarded_read_image(library_, lines.data())) return failed();
  next_row_ = static_cast<std::size_t>(given_.y);
  return ok();
}

Status PngReader::read(std::span<std::uint8_t* const> rows) {
  for (std::uint8_t* row : rows) RETURN_IF_ERROR(read_one(row));
  return ok();
}

Status PngReader::read_one(std::uint8_t* target) {
  const std::uint8_t* line = row_.data();
  if (!image_.empty()) {
    line = image_.data() + next_row_++ * row_.size();
  } else if (!guarded_read_rows(library_, row_.data(), 1)) {
    return failed();
  }
  std::memcpy(target, line + static_cast<std::size_t>(given_.x) * 3,
              static_cast<std::size_t>(given_.width) * 3);
  return ok();
}

}  // namespace

std::unique_ptr<RowReader> make_png_reader(const Limits& limits) {
  return std::make_unique<PngReader>(limits);
}

}  // namespace evener::data::images
