#include "evener/data_image_pipeline.h"

#include <algorithm>
#include <filesystem>

#include "data/randomness/randomness.h"

namespace evener::app {
namespace {

namespace images = data::images;
namespace pipeline = data::pipeline;

constexpr int kSide = 224;
constexpr std::uint32_t kBatch = 64;
constexpr std::size_t kQualityCrops = 50;
constexpr std::uint64_t kSeed = 1;

// ImageNet's mean and deviation, as torchvision's examples have them.
const pipeline::Normalise kNormalise{.mean = {0.485, 0.456, 0.406}, .std = {0.229, 0.224, 0.225}};

data::sources::Options source_of(const pipeline::Definition& definition) {
  data::sources::Options options{.kind = definition.source.kind,
                                 .location = definition.source.location};
  options.labels = data::sources::Labels::kUnused;
  return options;
}

}  // namespace

Result<pipeline::Definition> image_pipeline(const DataImageBenchOptions& options) {
  const std::string place = options.input.find("://") == std::string::npos
                                ? std::filesystem::absolute(options.input).string()
                                : options.input;
  auto uri = storage::parse_uri(place);
  if (!uri) return tl::unexpected(std::move(uri.error()));
  pipeline::Definition definition;
  definition.seed = kSeed;
  definition.epochs = 0;
  definition.source.location = storage::to_string(*uri);
  pipeline::PictureDefinition picture;
  picture.cut = pipeline::RandomCrop{.out = {kSide, kSide}};
  picture.flip = 0.5;
  if (options.format == "u8") {
    picture.format = images::PixelFormat::kU8Hwc;
  } else {
    picture.normalise = kNormalise;
  }
  definition.picture = picture;
  definition.label = pipeline::LabelForm::kNone;
  definition.batch_size = kBatch;
  definition.last = pipeline::LastBatch::kPad;
  return definition;
}

Result<std::vector<FixedCrop>> fixed_crops(const pipeline::Definition& definition,
                                           const storage::StoreSet& stores, std::size_t count) {
  auto source = data::sources::open(source_of(definition), stores);
  if (!source) return tl::unexpected(std::move(source.error()));
  std::vector<FixedCrop> crops(count);
  for (std::size_t i = 0; i < count; ++i) {
    FixedCrop& crop = crops[i];
    RETURN_IF_ERROR((*source)->read(i * (*source)->samples() / count, crop.reading));
    auto facts = images::probe(crop.reading.bytes(), definition.picture->orientation);
    if (!facts) return tl::unexpected(std::move(facts.error()));
    crop.facts = *facts;
    data::randomness::Draws draws(definition.seed, 0, i);
    crop.transform = drawn_transform(*definition.picture, facts->size, draws);
  }
  return crops;
}

Result<double> image_quality(const pipeline::Definition& definition,
                             const storage::StoreSet& stores) {
  auto crops = fixed_crops(definition, stores, kQualityCrops);
  if (!crops) return tl::unexpected(std::move(crops.error()));
  images::Decoder decoder;
  std::vector<double> found;
  for (const FixedCrop& crop : *crops) {
    const std::size_t bytes = images::bytes_of(crop.transform.out, crop.transform.format);
    std::vector<std::byte> fast(bytes);
    std::vector<std::byte> slow(bytes);
    const auto file = crop.reading.bytes();
    RETURN_IF_ERROR(decoder.decode(file, crop.facts, crop.transform, fast));
    RETURN_IF_ERROR(images::decode_slowly(file, crop.facts, crop.transform, slow));
    found.push_back(images::psnr_db(fast, slow, crop.transform));
  }
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  std::nth_element(found.begin(), middle, found.end());
  return *middle;
}

}  // namespace evener::app
