#include <algorithm>
#include <cstdio>
#include <string>

#include "data/images/exif.h"
#include "data/images/images.h"

namespace evener::data::images {
namespace {

using Bytes = std::span<const std::byte>;

std::uint32_t byte_at(Bytes bytes, std::size_t at) {
  return std::to_integer<std::uint32_t>(bytes[at]);
}
std::uint32_t big16(Bytes bytes, std::size_t at) {
  return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}
std::uint32_t big32(Bytes bytes, std::size_t at) {
  return big16(bytes, at) << 16 | big16(bytes, at + 2);
}
std::uint32_t little16(Bytes bytes, std::size_t at) {
  return byte_at(bytes, at) | byte_at(bytes, at + 1) << 8;
}
std::uint32_t little32(Bytes bytes, std::size_t at) {
  return little16(bytes, at) | little16(bytes, at + 2) << 16;
}

bool has_text(Bytes bytes, std::size_t at, std::string_view text) {
  if (at > bytes.size() || bytes.size() - at < text.size()) return false;
  return std::equal(text.begin(), text.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

tl::unexpected<Error> ends_early(std::string_view format) {
  return failure(ErrorCode::kCorrupt,
                 std::string(format) + ": the file ends before its header does; it is truncated");
}

// ---- JPEG ------------------------------------------------------------------------------

constexpr std::uint32_t kStartOfScan = 0xda;
constexpr std::uint32_t kEndOfImage = 0xd9;
constexpr std::uint32_t kApp1 = 0xe1;
constexpr std::string_view kExifMark{"Exif\0\0", 6};

// SOF0..SOF15 but DHT, JPG and DAC, which lie among them.
bool is_frame_header(std::uint32_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}
bool stands_alone(std::uint32_t marker) {
  return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

Status read_frame_header(Bytes segment, Facts& facts) {
  if (segment.size() < 8) return failure(ErrorCode::kCorrupt, "jpeg: its frame header is too short");
  facts.bits = static_cast<int>(byte_at(segment, 2));
  facts.size = {static_cast<int>(big16(segment, 5)), static_cast<int>(big16(segment, 3))};
  facts.channels = static_cast<int>(byte_at(segment, 7));
  return ok();
}

// Walks the segments up to the scan. The orientation may stand before or after the frame header.
Result<Facts> probe_jpeg(Bytes file) {
  Facts facts{.format = FileFormat::kJpeg};
  bool framed = false;
  std::size_t at = 2;
  while (at + 4 <= file.size()) {
    if (byte_at(file, at) != 0xff) {  // decoders skip what is between segments
      ++at;
      continue;
    }
    const std::uint32_t marker = byte_at(file, at + 1);
    if (marker == 0xff || marker == 0 || stands_alone(marker)) {
      at += marker == 0xff ? 1 : 2;
      continue;
    }
    if (marker == kEndOfImage) return failure(ErrorCode::kCorrupt, "jpeg: holds no image");
    const std::size_t length = big16(file, at + 2);
    if (length < 2) return failure(ErrorCode::kCorrupt, "jpeg: a segment has a length below 2");
    if (marker == kStartOfScan && framed) return facts;
    const Bytes segment = file.subspan(at + 2, std::min(length, file.size() - at - 2));
    if (is_frame_header(marker) && !framed) {
      RETURN_IF_ERROR(read_frame_header(segment, facts));
      framed = true;
    }
    if (marker == kApp1 && has_text(segment, 2, kExifMark)) {
      facts.turn = orientation_in_tiff(segment.subspan(2 + kExifMark.size()));
    }
    at += 2 + length;
  }
  return ends_early("jpeg");
}

// ---- PNG -------------------------------------------------------------------------------

constexpr std::string_view kPngMark{"\x89PNG\r\n\x1a\n", 8};

int png_channels(std::uint32_t color_type) {
  switch (color_type) {
    case 0: return 1;
    case 2: case 3: return 3;
    case 4: return 2;
    case 6: return 4;
    default: return 0;
  }
}

Result<Facts> probe_png(Bytes file) {
  if (file.size() < 33) return ends_early("png");
  if (!has_text(file, 12, "IHDR")) return failure(ErrorCode::kCorrupt, "png: begins with no IHDR");
  const std::uint32_t width = big32(file, 16);
  const std::uint32_t height = big32(file, 20);
  if (width > 0x7fffffff || height > 0x7fffffff) {
    return failure(ErrorCode::kCorrupt, "png: a side is larger than the format allows");
  }
  Facts facts{.format = FileFormat::kPng,
              .size = {static_cast<int>(width), static_cast<int>(height)},
              .channels = png_channels(byte_at(file, 25)),
              .bits = static_cast<int>(byte_at(file, 24))};
  if (facts.channels == 0) return failure(ErrorCode::kCorrupt, "png: has an unknown colour type");
  // Exif stands before the pixels, if at all.
  for (std::size_t at = 33; at + 12 <= file.size() && !has_text(file, at + 4, "IDAT");) {
    const std::size_t length = big32(file, at);
    if (length > file.size() - at - 12) break;
    if (has_text(file, at + 4, "eXIf")) {
      facts.turn = orientation_in_tiff(file.subspan(at + 8, length));
    }
    at += 12 + length;
  }
  return facts;
}

// ---- WebP ------------------------------------------------------------------------------

int webp_orientation(Bytes file) {
  for (std::size_t at = 12; at + 8 <= file.size();) {
    const std::size_t length = little32(file, at + 4);
    if (length > file.size() - at - 8) break;
    if (has_text(file, at, "EXIF")) {
      Bytes block = file.subspan(at + 8, length);
      if (has_text(block, 0, kExifMark)) block = block.subspan(kExifMark.size());
      return orientation_in_tiff(block);
    }
    at += 8 + length + length % 2;
  }
  return 1;
}

// The first chunk is one of three: VP8 (a key frame), VP8L (lossless), VP8X (more chunks follow).
Result<Facts> probe_webp(Bytes file) {
  if (file.size() < 30) return ends_early("webp");
  Facts facts{.format = FileFormat::kWebp, .channels = 3};
  if (has_text(file, 12, "VP8X")) {
    if ((byte_at(file, 20) & 0x02) != 0) {
      return failure(ErrorCode::kUnsupported, "webp: is an animation; only still images are read");
    }
    facts.channels = (byte_at(file, 20) & 0x10) != 0 ? 4 : 3;
    facts.size = {static_cast<int>(1 + (little32(file, 24) & 0xffffff)),
                  static_cast<int>(1 + (little32(file, 26) >> 8))};
    facts.turn = webp_orientation(file);
  } else if (has_text(file, 12, "VP8L")) {
    const std::uint32_t bits = little32(file, 21);
    facts.size = {static_cast<int>(1 + (bits & 0x3fff)), static_cast<int>(1 + (bits >> 14 & 0x3fff))};
    facts.channels = (bits >> 28 & 1) != 0 ? 4 : 3;
  } else if (has_text(file, 12, "VP8 ")) {
    facts.size = {static_cast<int>(little16(file, 26) & 0x3fff),
                  static_cast<int>(little16(file, 28) & 0x3fff)};
  } else {
    return failure(ErrorCode::kCorrupt, "webp: its first chunk is none of VP8, VP8L and VP8X");
  }
  return facts;
}

// ---- any -------------------------------------------------------------------------------

// What a file that is none of ours looks like: its first bytes, and the name of what they mark.
std::string first_bytes(Bytes file) {
  std::string text;
  for (const std::byte byte : file.first(std::min<std::size_t>(file.size(), 8))) {
    char hex[4];
    std::snprintf(hex, sizeof hex, " %02x", std::to_integer<unsigned>(byte));
    text += hex;
  }
  constexpr std::array<std::array<std::string_view, 2>, 6> kOthers = {{
      {"GIF8", "GIF"}, {"BM", "BMP"}, {"II*", "TIFF"}, {"MM", "TIFF"}, {"<", "text"}, {"{", "text"}}};
  for (const auto& [mark, name] : kOthers) {
    if (has_text(file, 0, mark)) return text + " (" + std::string(name) + "?)";
  }
  return text;
}

Result<Facts> probe_content(Bytes file) {
  if (file.empty()) return failure(ErrorCode::kCorrupt, "the file is empty");
  if (has_text(file, 0, "\xff\xd8")) return probe_jpeg(file);
  if (has_text(file, 0, kPngMark)) return probe_png(file);
  if (has_text(file, 0, "RIFF") && has_text(file, 8, "WEBP")) return probe_webp(file);
  return failure(ErrorCode::kUnsupported,
                 "neither JPEG, PNG nor WebP; it begins with" + first_bytes(file));
}

}  // namespace

Result<Facts> probe(Bytes file, Orientation orientation, const Limits& limits) {
  if (file.size() > limits.max_bytes) {
    return failure(ErrorCode::kLimitExceeded, "the file has " + std::to_string(file.size()) +
                                                  " bytes; max_bytes is " +
                                                  std::to_string(limits.max_bytes));
  }
  Result<Facts> facts = probe_content(file);
  if (!facts) return facts;
  const std::string name(to_string(facts->format));
  const Size stored = facts->size;
  if (stored.width < 1 || stored.height < 1) {
    return failure(ErrorCode::kCorrupt, name + ": a side of the image has no pixels");
  }
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(stored.width) * static_cast<std::uint64_t>(stored.height);
  if (pixels > limits.max_pixels) {
    return failure(ErrorCode::kLimitExceeded,
                   name + ": " + std::to_string(stored.width) + "x" +
                       std::to_string(stored.height) + " pixels; max_pixels is " +
                       std::to_string(limits.max_pixels));
  }
  if (orientation == Orientation::kAsStored) facts->turn = 1;
  if (facts->turn >= 5) facts->size = {stored.height, stored.width};
  return facts;
}

}  // namespace evener::data::images
