// JPEG by libjpeg-turbo's scanline interface. Its errors leave by longjmp: everything between a
// setjmp and a library call is in the guarded_* functions below, which hold no C++ object, so
// that no destructor is ever jumped over.
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <jpeglib.h>
#include <jerror.h>

#include "data/images/rows.h"

namespace evener::data::images {
namespace {

// A progressive file may repeat scans over the same coefficients; photographs have about ten.
constexpr int kMaxScans = 500;

// Neighbours that smooth chroma upsampling looks at beyond the pixels that are wanted.
constexpr int kMargin = 2;

struct Library {
  jpeg_decompress_struct decoder;
  jpeg_error_mgr errors;
  jpeg_source_mgr source;
  jpeg_progress_mgr progress;
  jmp_buf escape;
  char message[JMSG_LENGTH_MAX];
  bool ended;                      // the library asked for more than the file has
  bool scans_exceeded;
};

Library& library_of(j_common_ptr common) { return *static_cast<Library*>(common->client_data); }
Library& library_of(j_decompress_ptr decoder) { return *static_cast<Library*>(decoder->client_data); }

[[noreturn]] void leave(j_common_ptr common) {
  Library& library = library_of(common);
  library.errors.format_message(common, library.message);
  std::longjmp(library.escape, 1);
}

// A warning that means wrong pixels is an error; the rest (odd bytes between segments, versions)
// is what every viewer passes over.
void on_message(j_common_ptr common, int level) {
  if (level >= 0) return;
  switch (common->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_NOT_SEQUENTIAL:
      leave(common);
    default:
      break;
  }
}

void stay_silent(j_common_ptr) {}
void do_nothing(j_decompress_ptr) {}

// The file's end reads as an end-of-image marker. Where bits are missing the library then warns;
// where only the marker is missing, as some writers leave it out, it does not.
boolean provide_end(j_decompress_ptr decoder) {
  static constexpr JOCTET kEnd[2] = {0xff, JPEG_EOI};
  Library& library = library_of(decoder);
  library.ended = true;
  library.source.next_input_byte = kEnd;
  library.source.bytes_in_buffer = sizeof kEnd;
  return TRUE;
}

void skip_bytes(j_decompress_ptr decoder, long count) {
  jpeg_source_mgr& source = library_of(decoder).source;
  if (count <= 0) return;
  if (static_cast<std::size_t>(count) >= source.bytes_in_buffer) {
    provide_end(decoder);
    return;
  }
  source.next_input_byte += count;
  source.bytes_in_buffer -= static_cast<std::size_t>(count);
}

void watch_scans(j_common_ptr common) {
  Library& library = library_of(common);
  if (library.decoder.input_scan_number <= kMaxScans) return;
  library.scans_exceeded = true;
  std::longjmp(library.escape, 1);
}

bool guarded_create(Library& library) {
  library.decoder.err = jpeg_std_error(&library.errors);
  library.errors.error_exit = leave;
  library.errors.emit_message = on_message;
  library.errors.output_message = stay_silent;
  library.decoder.client_data = &library;
  if (setjmp(library.escape) != 0) return false;
  jpeg_create_decompress(&library.decoder);
  library.decoder.client_data = &library;
  library.decoder.src = &library.source;
  library.source.init_source = do_nothing;
  library.source.fill_input_buffer = provide_end;
  library.source.skip_input_data = skip_bytes;
  library.source.resync_to_restart = jpeg_resync_to_restart;
  library.source.term_source = do_nothing;
  library.progress.progress_monitor = watch_scans;
  library.decoder.progress = &library.progress;
  return true;
}

bool guarded_read_header(Library& library, const std::uint8_t* bytes, std::size_t count) {
  library.ended = false;
  library.scans_exceeded = false;
  library.message[0] = '\0';
  library.source.next_input_byte = bytes;
  library.source.bytes_in_buffer = count;
  if (setjmp(library.escape) != 0) return false;
  jpeg_read_header(&library.decoder, TRUE);
  return true;
}

// Columns are asked for in whole MCUs, which jpeg_crop_scanline rounds to.
bool guarded_start(Library& library, Crop wanted, Crop* given) {
  if (setjmp(library.escape) != 0) return false;
  jpeg_decompress_struct& decoder = library.decoder;
  jpeg_start_decompress(&decoder);
  auto x = static_cast<JDIMENSION>(wanted.x);
  auto width = static_cast<JDIMENSION>(wanted.width);
  if (width < decoder.output_width) jpeg_crop_scanline(&decoder, &x, &width);
  if (wanted.y > 0) jpeg_skip_scanlines(&decoder, static_cast<JDIMENSION>(wanted.y));
  *given = {static_cast<int>(x), wanted.y, static_cast<int>(width), wanted.height};
  return true;
}

bool guarded_read(Library& library, std::uint8_t* const* rows, unsigned count) {
  if (setjmp(library.escape) != 0) return false;
  // The library does not write to the pointers.
  auto** lines = const_cast<JSAMPARRAY>(rows);
  for (unsigned done = 0; done < count;) {
    done += jpeg_read_scanlines(&library.decoder, lines + done, count - done);
  }
  return true;
}

void guarded_abort(Library& library) {
  if (setjmp(library.escape) == 0) jpeg_abort_decompress(&library.decoder);
}

// ---- around the library ----------------------------------------------------------------

// 255 - value, as stored by all writers of CMYK JPEG that matter (Adobe's convention).
void cmyk_to_rgb(const std::uint8_t* cmyk, int width, std::uint8_t* rgb) {
  const auto scaled = [](unsigned a, unsigned b) {  // a * b / 255, rounded
    const unsigned product = a * b + 128;
    return static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
  };
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    for (int c = 0; c < 3; ++c) {
      rgb[c] = static_cast<std::uint8_t>(cmyk[3] - scaled(255u - cmyk[c], cmyk[3]));
    }
  }
}

class JpegReader : public RowReader {
 public:
  explicit JpegReader(const Limits& limits) : limits_(limits) {
    created_ = guarded_create(library_);
  }
  ~JpegReader() override {
    if (created_) jpeg_destroy_decompress(&library_.decoder);
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  Result<Rows> start(const RowRequest& request) override;
  Status read(std::span<std::uint8_t* const> rows) override;
  void stop() override { guarded_abort(library_); }

 private:
  tl::unexpected<Error> failed() const;
  Status prepare(const RowRequest& request);
  Status check_memory() const;
  Crop with_margin(const RowRequest& request) const;
  Status read_cmyk(std::span<std::uint8_t* const> rows);

  Limits limits_;
  Library library_{};
  bool created_ = false;
  bool is_cmyk_ = false;
  Crop given_;
  std::vector<std::uint8_t> cmyk_row_;
};

Result<Rows> JpegReader::start(const RowRequest& request) {
  if (!created_) return failure(ErrorCode::kNoSpace, "jpeg: no memory for a decoder");
  stop();
  RETURN_IF_ERROR(prepare(request));
  const Crop asked = with_margin(request);
  if (!guarded_start(library_, asked, &given_)) return failed();
  // A file of several scans was read whole by now; an end of ours cut one of them.
  if (library_.ended && jpeg_has_multiple_scans(&library_.decoder) != FALSE) return failed();
  return Rows{.pixels = given_, .shrink = request.shrink};
}

Status JpegReader::prepare(const RowRequest& request) {
  // The bytes of a file are of no type; the library wants them as unsigned char.
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(request.file.data());
  if (!guarded_read_header(library_, bytes, request.file.size())) return failed();
  jpeg_decompress_struct& decoder = library_.decoder;
  if (static_cast<int>(decoder.image_width) != request.stored.width ||
      static_cast<int>(decoder.image_height) != request.stored.height) {
    return failure(ErrorCode::kInvalidArgument, "jpeg: the facts are those of another file");
  }
  is_cmyk_ = decoder.jpeg_color_space == JCS_CMYK || decoder.jpeg_color_space == JCS_YCCK;
  decoder.out_color_space = is_cmyk_ ? JCS_CMYK : JCS_RGB;
  decoder.dct_method = JDCT_ISLOW;
  decoder.do_fancy_upsampling = TRUE;
  decoder.scale_num = 1;
  decoder.scale_denom = static_cast<unsigned>(request.shrink);
  return check_memory();
}

Status JpegReader::check_memory() const {
  jpeg_decompress_struct& decoder = const_cast<jpeg_decompress_struct&>(library_.decoder);
  if (jpeg_has_multiple_scans(&decoder) == FALSE) return ok();
  std::uint64_t bytes = 0;
  for (int i = 0; i < decoder.num_components; ++i) {
    const jpeg_component_info& component = decoder.comp_info[i];
    bytes += std::uint64_t{component.width_in_blocks} * component.height_in_blocks * sizeof(JBLOCK);
  }
  if (bytes <= limits_.max_decoder_bytes) return ok();
  return failure(ErrorCode::kLimitExceeded,
                 "jpeg: has several scans, and its coefficients need " + std::to_string(bytes) +
                     " bytes at once; max_decoder_bytes is " +
                     std::to_string(limits_.max_decoder_bytes));
}

Crop JpegReader::with_margin(const RowRequest& request) const {
  const Crop& wanted = request.wanted;
  const int shrink = request.shrink;
  const Size whole{(request.stored.width + shrink - 1) / shrink,
                   (request.stored.height + shrink - 1) / shrink};
  const auto last = [shrink](int end) { return (end + shrink - 1) / shrink + kMargin; };
  Crop asked{std::max(0, wanted.x / shrink - kMargin), wanted.y / shrink, 0, 0};
  asked.width = std::min(whole.width, last(wanted.x + wanted.width)) - asked.x;
  asked.height =
      std::min(whole.height, (wanted.y + wanted.height + shrink - 1) / shrink) - asked.y;
  return asked;
}

tl::unexpected<Error> JpegReader::failed() const {
  if (library_.scans_exceeded) {
    return failure(ErrorCode::kLimitExceeded,
                   "jpeg: has more than " + std::to_string(kMaxScans) + " scans");
  }
  if (library_.ended) return failure(ErrorCode::kCorrupt, "jpeg: the file is truncated");
  switch (library_.errors.msg_code) {
    case JERR_OUT_OF_MEMORY:
      return failure(ErrorCode::kNoSpace, "jpeg: " + std::string(library_.message));
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
      return failure(ErrorCode::kUnsupported, "jpeg: " + std::string(library_.message));
    default:
      return failure(ErrorCode::kCorrupt, "jpeg: damaged: " + std::string(library_.message));
  }
}

Status JpegReader::read(std::span<std::uint8_t* const> rows) {
  if (is_cmyk_) return read_cmyk(rows);
  if (!guarded_read(library_, rows.data(), static_cast<unsigned>(rows.size()))) return failed();
  return ok();
}

Status JpegReader::read_cmyk(std::span<std::uint8_t* const> rows) {
  cmyk_row_.resize(static_cast<std::size_t>(given_.width) * 4);
  for (std::uint8_t* row : rows) {
    std::uint8_t* line = cmyk_row_.data();
    if (!guarded_read(library_, &line, 1)) return failed();
    cmyk_to_rgb(line, given_.width, row);
  }
  return ok();
}

}  // namespace

std::unique_ptr<RowReader> make_jpeg_reader(const Limits& limits) {
  return std::make_unique<JpegReader>(limits);
}

}  // namespace evener::data::images
