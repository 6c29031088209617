// WebP by libwebp, which gives the pixels of a crop at once.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <webp/decode.h>

#include "data/images/rows.h"

namespace evener::data::images {
namespace {

// Neighbours that chroma upsampling looks at beyond the pixels that are wanted.
constexpr int kMargin = 2;

Error decoding_error(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return {ErrorCode::kNoSpace, "webp: no memory to decode"};
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return {ErrorCode::kCorrupt, "webp: the file is truncated"};
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return {ErrorCode::kUnsupported, "webp: a feature that the library does not know"};
    default:
      return {ErrorCode::kCorrupt, "webp: damaged (status " + std::to_string(status) + ")"};
  }
}

// Even at the start, where chroma pixels begin.
Crop with_margin(const Crop& wanted, Size stored) {
  Crop asked{std::max(0, wanted.x - kMargin) & ~1, std::max(0, wanted.y - kMargin) & ~1, 0, 0};
  asked.width = std::min(stored.width, wanted.x + wanted.width + kMargin) - asked.x;
  asked.height = std::min(stored.height, wanted.y + wanted.height + kMargin) - asked.y;
  return asked;
}

class WebpReader : public RowReader {
 public:
  explicit WebpReader(const Limits& limits) : limits_(limits) {}

  Result<Rows> start(const RowRequest& request) override;
  Status read(std::span<std::uint8_t* const> rows) override;
  void stop() override {
    pixels_.clear();
    pixels_.shrink_to_fit();
  }

 private:
  Status decode(const RowRequest& request);
  Status check_memory(const WebPBitstreamFeatures& known, std::uint64_t crop_bytes) const;

  Limits limits_;
  Crop given_;
  std::vector<std::uint8_t> pixels_;
  std::size_t next_ = 0;                     // offset of the next row in pixels_
};

Result<Rows> WebpReader::start(const RowRequest& request) {
  given_ = with_margin(request.wanted, request.stored);
  next_ = 0;
  RETURN_IF_ERROR(decode(request));
  return Rows{.pixels = given_};
}

Status WebpReader::decode(const RowRequest& request) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) {
    return failure(ErrorCode::kInternal, "webp: the library is of another version");
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(request.file.data());
  const VP8StatusCode known = WebPGetFeatures(bytes, request.file.size(), &config.input);
  if (known != VP8_STATUS_OK) return tl::unexpected<Error>(decoding_error(known));
  if (config.input.width != request.stored.width || config.input.height != request.stored.height) {
    return failure(ErrorCode::kInvalidArgument, "webp: the facts are those of another file");
  }
  const std::size_t stride = static_cast<std::size_t>(given_.width) * 3;
  const std::size_t size = stride * static_cast<std::size_t>(given_.height);
  RETURN_IF_ERROR(check_memory(config.input, size));
  pixels_.resize(size);
  config.options.use_cropping = 1;
  config.options.crop_left = given_.x;
  config.options.crop_top = given_.y;
  config.options.crop_width = given_.width;
  config.options.crop_height = given_.height;
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {.rgba = pixels_.data(), .stride = static_cast<int>(stride), .size = size};
  const VP8StatusCode status = WebPDecode(bytes, request.file.size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) return tl::unexpected<Error>(decoding_error(status));
  return ok();
}

// Beside the crop the library holds all pixels of a lossless image, and all of an alpha plane.
Status WebpReader::check_memory(const WebPBitstreamFeatures& known,
                                std::uint64_t crop_bytes) const {
  constexpr int kLossless = 2;
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(known.width) * static_cast<std::uint64_t>(known.height);
  std::uint64_t bytes = crop_bytes;
  if (known.format == kLossless) bytes += pixels * 4;
  if (known.format != kLossless && known.has_alpha != 0) bytes += pixels;
  if (bytes <= limits_.max_decoder_bytes) return ok();
  return failure(ErrorCode::kLimitExceeded,
                 "webp: its pixels need " + std::to_string(bytes) +
                     " bytes at once; max_decoder_bytes is " +
                     std::to_string(limits_.max_decoder_bytes));
}

Status WebpReader::read(std::span<std::uint8_t* const> rows) {
  const std::size_t stride = static_cast<std::size_t>(given_.width) * 3;
  for (std::uint8_t* row : rows) {
    std::memcpy(row, pixels_.data() + next_, stride);
    next_ += stride;
  }
  return ok();
}

}  // namespace

std::unique_ptr<RowReader> make_webp_reader(const Limits& limits) {
  return std::make_unique<WebpReader>(limits);
}

}  // namespace evener::data::images
