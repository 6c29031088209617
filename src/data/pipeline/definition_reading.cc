#include <algorithm>

#include "base/near_miss.h"
#include "data/pipeline/members.h"

namespace evener::data::pipeline {
namespace {

using document::Value;

// Stages in the order in which they are applied.
enum class Step { kResize, kRandomCrop, kCentreCrop, kFlip, kJitter, kNormalise };
struct StepName {
  std::string_view name;
  Step step;
};
constexpr std::array kSteps = {
    StepName{"resize", Step::kResize},           StepName{"random_resized_crop", Step::kRandomCrop},
    StepName{"centre_crop", Step::kCentreCrop},  StepName{"flip", Step::kFlip},
    StepName{"colour_jitter", Step::kJitter},    StepName{"normalise", Step::kNormalise},
};

std::vector<std::string_view> step_names() {
  std::vector<std::string_view> names;
  for (const StepName& step : kSteps) names.push_back(step.name);
  return names;
}

std::optional<Step> step_from(std::string_view text) {
  for (const StepName& step : kSteps)
    if (step.name == text) return step.step;
  return std::nullopt;
}

std::optional<images::PixelFormat> image_type_from(std::string_view text) {
  if (text == "uint8") return images::PixelFormat::kU8Hwc;
  if (text == "float32") return images::PixelFormat::kF32Chw;
  if (text == "float16") return images::PixelFormat::kF16Chw;
  return std::nullopt;
}

std::optional<transport::DType> type_from(std::string_view text) {
  auto type = transport::dtype_of(text);
  return type ? std::optional(*type) : std::nullopt;
}

bool is_range(const std::array<double, 2>& range, double most) {
  return range[0] > 0 && range[0] <= range[1] && range[1] <= most;
}

class DefinitionReader {
 public:
  DefinitionReader(std::string_view folder, const Lines& lines) : folder_(folder), lines_(lines) {}

  Result<Definition> read(const Value& value) {
    Definition definition;
    Members members(value, "", lines_);
    members.whole("seed", 0, std::numeric_limits<std::int64_t>::max(), definition.seed);
    members.whole("epochs", 0, std::numeric_limits<std::uint32_t>::max(), definition.epochs);
    bool shuffle = true;
    members.truth("shuffle", shuffle);
    definition.order = shuffle ? Order::kShuffled : Order::kStored;
    members.choice<OnError>("on_error", {"raise", "skip", "replace"}, on_error_from,
                            definition.on_error);
    const Value* source = members.need("source");
    const Value* stages = members.take("stage");
    const Value* output = members.take("output");
    const Value* batch = members.need("batch");
    RETURN_IF_ERROR(members.finish());
    RETURN_IF_ERROR(read_source(*source, definition.source));
    RETURN_IF_ERROR(read_batch(*batch, definition));
    if (definition.source.kind == sources::Kind::kRecords) {
      if (stages != nullptr) return wrong("stage", "has no meaning for records");
      if (output != nullptr) return wrong("output", "has no meaning for records");
      definition.label = LabelForm::kNone;
    } else {
      RETURN_IF_ERROR(read_picture(stages, output, definition));
    }
    auto layout = transport::layout(schema_of(definition), definition.batch_size);
    if (!layout) return tl::unexpected(std::move(layout.error()));
    return definition;
  }

 private:
  tl::unexpected<Error> wrong(const std::string& path, const std::string& fault) const {
    return failure(ErrorCode::kInvalidArgument, place_of(lines_, path) + " " + fault);
  }

  Status read_source(const Value& value, SourceDefinition& source) {
    Members members(value, "source", lines_);
    members.need("kind");
    members.choice<sources::Kind>("kind", {"images", "shards", "records"}, sources::kind_from,
                                  source.kind);
    members.need("location");
    place(members, "location", source.location);
    const bool records = source.kind == sources::Kind::kRecords;
    if (source.kind == sources::Kind::kImages) place(members, "index", source.index);
    if (!records) return members.finish();
    members.whole("header_bytes", 0, std::numeric_limits<std::int64_t>::max(), source.header_bytes);
    const Value* fields = members.need("fields");
    RETURN_IF_ERROR(members.finish());
    return read_fields(*fields, source);
  }

  // A text that becomes an absolute URI.
  void place(Members& members, std::string_view name, std::string& into) {
    members.text(name, into);
    if (into.empty()) return;
    if (into.find("://") == std::string::npos && !into.starts_with('/')) {
      if (folder_.empty())
        return members.fail(name, "is '" + into + "', but is to be an absolute path or a URI");
      into = std::string(folder_) + "/" + into;
    }
    const auto uri = storage::parse_uri(into);
    if (!uri) return members.fail(name, "is no place: " + uri.error().message);
    into = storage::to_string(*uri);
  }

  Status read_fields(const Value& value, SourceDefinition& source) {
    if (value.kind != document::Kind::kList || value.items.empty())
      return wrong("source.fields", "is to be a list of tables with name, type and shape");
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      transport::Field field;
      const std::string path = "source.fields[" + std::to_string(i) + "]";
      RETURN_IF_ERROR(read_field(value.items[i], path, field));
      std::uint64_t field_bytes = transport::size_of(field.dtype);
      for (const std::uint32_t axis : field.shape) {
        field_bytes *= axis;
        if (field_bytes > sources::kMaxSampleBytes) return wrong(path, "is too large");
      }
      bytes += field_bytes;
      source.fields.push_back(std::move(field));
    }
    if (bytes == 0 || bytes > sources::kMaxSampleBytes)
      return wrong("source.fields", "make a record that is empty or too large");
    return ok();
  }

  Status read_field(const Value& value, const std::string& path, transport::Field& field) {
    Members members(value, path, lines_);
    members.need("name");
    members.text("name", field.name);
    members.need("type");
    members.choice<transport::DType>("type",
                                     {"uint8", "int8", "int16", "int32", "int64", "float16",
                                      "float32", "float64", "bool"},
                                     type_from, field.dtype);
    if (const Value* shape = members.take("shape")) {
      const auto is_axis = [](const Value& axis) {
        return axis.kind == document::Kind::kInteger && axis.integer >= 1 &&
               axis.integer <= std::numeric_limits<std::uint32_t>::max();
      };
      if (shape->kind != document::Kind::kList || !std::ranges::all_of(shape->items, is_axis))
        members.fail("shape", "is to be a list of whole numbers, each at least 1");
      for (const Value& axis : shape->items)
        field.shape.push_back(static_cast<std::uint32_t>(axis.integer));
    }
    return members.finish();
  }

  Status read_batch(const Value& value, Definition& definition) {
    Members members(value, "batch", lines_);
    members.need("size");
    members.whole("size", 1, kMaxBatchSize, definition.batch_size);
    members.choice<LastBatch>("last", {"drop", "pad", "short"}, last_batch_from, definition.last);
    return members.finish();
  }

  Status read_picture(const Value* stages, const Value* output, Definition& definition) {
    if (stages == nullptr)
      return wrong("stage", "is missing: photographs need a [[stage]] that gives them one size, "
                            "such as random_resized_crop");
    if (stages->kind != document::Kind::kList)
      return wrong("stage", "is to be a list: write [[stage]]");
    PictureDefinition picture;
    std::optional<Cut> cut;
    std::optional<Step> before;
    for (std::size_t i = 0; i < stages->items.size(); ++i) {
      const std::string path = "stage[" + std::to_string(i) + "]";
      RETURN_IF_ERROR(read_stage(stages->items[i], path, before, cut, picture));
    }
    if (!cut || out_size(*cut).width == 0)
      return wrong("stage", "has none that gives all images one size: add random_resized_crop, "
                            "centre_crop, or resize with [height, width]");
    picture.cut = *cut;
    if (output != nullptr) RETURN_IF_ERROR(read_output(*output, picture, definition));
    if (picture.normalise && picture.format == images::PixelFormat::kU8Hwc)
      return wrong("output.image", "is uint8, which is not normalised: use float32 or float16, or "
                                   "leave normalise out");
    definition.picture = picture;
    return ok();
  }

  Status read_stage(const Value& value, const std::string& path, std::optional<Step>& before,
                    std::optional<Cut>& cut, PictureDefinition& picture) {
    Members members(value, path, lines_);
    members.need("name");
    Step step = Step::kResize;
    members.choice<Step>("name", step_names(), step_from, step);
    if (!members.failed() && before && *before >= step)
      members.fail("name", "stands behind " + std::string(kSteps[static_cast<std::size_t>(*before)].name) +
                               "; the order is resize, random_resized_crop or centre_crop, flip, "
                               "colour_jitter, normalise, each once");
    before = step;
    if (!members.failed()) read_step(step, members, cut, picture);
    return members.finish();
  }

  static void read_step(Step step, Members& members, std::optional<Cut>& cut,
                        PictureDefinition& picture) {
    switch (step) {
      case Step::kResize: return read_resize(members, cut);
      case Step::kRandomCrop: return read_random_crop(members, cut);
      case Step::kCentreCrop: return read_centre_crop(members, cut);
      case Step::kFlip:
        picture.flip = 0.5;
        return members.number("probability", 0, 1, *picture.flip);
      case Step::kJitter: return read_jitter(members, picture.jitter.emplace());
      case Step::kNormalise: return read_normalise(members, picture.normalise.emplace());
    }
  }

  static void read_resize(Members& members, std::optional<Cut>& cut) {
    const Value* value = members.need("size");
    if (value == nullptr) return;
    images::Size size;
    members.size("size", size);
    // One number is for the shorter side; what it makes of the other, only a crop evens out.
    if (value->kind == document::Kind::kList) {
      cut = Stretch{size};
    } else {
      cut = CentreCrop{.resize = size.width, .out = {}};
    }
  }

  static void read_random_crop(Members& members, std::optional<Cut>& cut) {
    if (cut) return members.fail("name", "takes no resize before it: it resizes itself");
    RandomCrop crop;
    members.need("size");
    members.size("size", crop.out);
    members.numbers("scale", crop.scale);
    members.numbers("ratio", crop.ratio);
    constexpr double kLongest = 100;    // width / height
    if (!is_range(crop.scale, 1)) members.fail("scale", "is to be [low, high] within 0 to 1");
    if (!is_range(crop.ratio, kLongest)) members.fail("ratio", "is to be [low, high], above 0");
    cut = crop;
  }

  static void read_centre_crop(Members& members, std::optional<Cut>& cut) {
    CentreCrop crop;
    if (cut) {
      const auto* resize = std::get_if<CentreCrop>(&*cut);
      if (resize == nullptr)
        return members.fail("name", "needs a resize with one number before it, or none");
      crop.resize = resize->resize;
    }
    members.need("size");
    members.size("size", crop.out);
    if (crop.resize > 0 && std::max(crop.out.width, crop.out.height) > crop.resize)
      members.fail("size", "is larger than the resize before it leaves of an image");
    cut = crop;
  }

  static void read_jitter(Members& members, JitterRanges& jitter) {
    constexpr double kMost = 10;
    members.number("brightness", 0, kMost, jitter.brightness);
    members.number("contrast", 0, kMost, jitter.contrast);
    members.number("saturation", 0, kMost, jitter.saturation);
    members.number("hue", 0, 0.5, jitter.hue);
  }

  static void read_normalise(Members& members, Normalise& normalise) {
    members.need("mean");
    members.need("std");
    members.numbers("mean", normalise.mean);
    members.numbers("std", normalise.std);
    for (const double value : normalise.std)
      if (value <= 0) members.fail("std", "is to be above 0");
  }

  Status read_output(const Value& value, PictureDefinition& picture, Definition& definition) {
    Members members(value, "output", lines_);
    members.choice<images::PixelFormat>("image", {"uint8", "float32", "float16"}, image_type_from,
                                        picture.format);
    members.choice<images::Orientation>("orientation", {"as_stored", "upright"},
                                        images::orientation_from, picture.orientation);
    members.choice<LabelForm>("label", {"int64", "one_hot", "none"}, label_form_from,
                              definition.label);
    if (definition.label == LabelForm::kOneHot) {
      members.need("classes");
      members.whole("classes", 1, kMaxOneHotClasses, definition.classes);
    }
    return members.finish();
  }

  const std::string_view folder_;
  const Lines& lines_;
};

}  // namespace

Result<Definition> read_definition(const document::Value& value, std::string_view folder,
                                   const Lines& lines) {
  return DefinitionReader(folder, lines).read(value);
}

}  // namespace evener::data::pipeline
