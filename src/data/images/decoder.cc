#include <array>
#include <string>

#include "data/images/images.h"
#include "data/images/kernels.h"
#include "data/images/plan.h"
#include "data/images/planes.h"
#include "data/images/resizer.h"
#include "data/images/rows.h"

namespace evener::data::images {
namespace {

constexpr float kSumToUnit = 1.0f / (255.0f * static_cast<float>(1 << kSumBits));

std::size_t bytes_of_value(PixelFormat format) {
  switch (format) {
    case PixelFormat::kU8Hwc: return 1;
    case PixelFormat::kF32Chw: return sizeof(float);
    case PixelFormat::kF16Chw: return sizeof(std::uint16_t);
  }
  return 0;
}

const Kernels& kernels_of(Instructions instructions) {
  return instructions == Instructions::kPlain ? plain_kernels() : best_kernels();
}

std::unique_ptr<RowReader> make_reader(FileFormat format, const Limits& limits) {
  switch (format) {
    case FileFormat::kJpeg: return make_jpeg_reader(limits);
    case FileFormat::kPng: return make_png_reader(limits);
    case FileFormat::kWebp: return make_webp_reader(limits);
  }
  return nullptr;
}

Target direct_target(const Transform& transform, std::span<std::byte> out) {
  Target target{
      .format = transform.format, .size = transform.out, .data = out.data(), .affine = {}};
  for (std::size_t c = 0; c < 3; ++c) {
    target.affine.scale[c] = kSumToUnit / transform.std[c];
    target.affine.offset[c] = -transform.mean[c] / transform.std[c];
  }
  return target;
}

Target target_of(Planes& planes, Size size) {
  planes.size = size;
  planes.values.resize(bytes_of(size, PixelFormat::kF32Chw) / sizeof(float));
  return {.format = PixelFormat::kF32Chw,
          .size = size,
          .data = reinterpret_cast<std::byte*>(planes.values.data()),
          .affine = {{kSumToUnit, kSumToUnit, kSumToUnit}, {0, 0, 0}}};
}

}  // namespace

std::size_t bytes_of(Size out, PixelFormat format) {
  return 3 * static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height) *
         bytes_of_value(format);
}

struct Decoder::Parts {
  explicit Parts(const DecoderOptions& given)
      : options(given), kernels(kernels_of(given.instructions)), resizer(kernels) {}

  Status resize(std::span<const std::byte> file, const Facts& facts, const Plan& plan,
                const Target& target);
  RowReader& reader_of(FileFormat format);

  DecoderOptions options;
  const Kernels& kernels;
  Resizer resizer;
  std::array<std::unique_ptr<RowReader>, 3> readers;  // by FileFormat, made when first needed
  Planes planes;
  Planes swapped;
};

RowReader& Decoder::Parts::reader_of(FileFormat format) {
  auto& reader = readers[static_cast<std::size_t>(format)];
  if (!reader) reader = make_reader(format, options.limits);
  return *reader;
}

Status Decoder::Parts::resize(std::span<const std::byte> file, const Facts& facts,
                              const Plan& plan, const Target& target) {
  RowReader& reader = reader_of(facts.format);
  const Result<Rows> rows = reader.start(
      {.file = file, .stored = plan.stored, .wanted = plan.needed, .shrink = plan.shrink});
  Status done = rows ? resizer.run(reader, *rows, plan, target)
                     : Status(tl::unexpected<Error>(rows.error()));
  reader.stop();
  return done;
}

Decoder::Decoder(const DecoderOptions& options) : parts_(std::make_unique<Parts>(options)) {}
Decoder::~Decoder() = default;

Status Decoder::decode(std::span<const std::byte> file, const Facts& facts,
                       const Transform& transform, std::span<std::byte> out) {
  RETURN_IF_ERROR(check_transform(facts, transform, out));
  const Plan plan = plan_of(facts, transform);
  Parts& parts = *parts_;
  if (!transform.jitter && !plan.turn.swaps_axes) {
    return parts.resize(file, facts, plan, direct_target(transform, out));
  }
  RETURN_IF_ERROR(parts.resize(file, facts, plan, target_of(parts.planes, plan.out)));
  Planes* planes = &parts.planes;
  if (plan.turn.swaps_axes) {
    swap_axes(parts.planes, parts.swapped);
    planes = &parts.swapped;
  }
  if (transform.jitter) apply_jitter(*transform.jitter, parts.options.instructions, *planes);
  write_planes(*planes, transform, parts.kernels, out);
  return ok();
}

}  // namespace evener::data::images
