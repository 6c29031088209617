#include "data/pipeline/definition.h"

#include "http/sigv4/sigv4.h"

namespace evener::data::pipeline {
namespace {

using document::Value;

template <class T>
std::optional<T> one_of(std::string_view text, std::initializer_list<T> all) {
  for (const T value : all)
    if (to_string(value) == text) return value;
  return std::nullopt;
}

Value integer(std::uint64_t value) {
  return document::make_integer(static_cast<std::int64_t>(value));
}

template <class Numbers>
Value numbers(const Numbers& values) {
  std::vector<Value> items;
  for (const double value : values) items.push_back(document::make_number(value));
  return document::make_list(std::move(items));
}

Value size_value(images::Size size) {
  return document::make_list({document::make_integer(size.height), document::make_integer(size.width)});
}

Value stage(std::string_view name) {
  Value value = document::make_object();
  value.set("name", document::make_string(name));
  return value;
}

void add_cut(const RandomCrop& crop, std::vector<Value>& stages) {
  Value value = stage("random_resized_crop");
  value.set("size", size_value(crop.out));
  value.set("scale", numbers(crop.scale));
  value.set("ratio", numbers(crop.ratio));
  stages.push_back(std::move(value));
}

void add_cut(const CentreCrop& crop, std::vector<Value>& stages) {
  if (crop.resize > 0) {
    Value resize = stage("resize");
    resize.set("size", document::make_integer(crop.resize));
    stages.push_back(std::move(resize));
  }
  Value value = stage("centre_crop");
  value.set("size", size_value(crop.out));
  stages.push_back(std::move(value));
}

void add_cut(const Stretch& stretch, std::vector<Value>& stages) {
  Value value = stage("resize");
  value.set("size", size_value(stretch.out));
  stages.push_back(std::move(value));
}

Value stages_value(const PictureDefinition& picture) {
  std::vector<Value> stages;
  std::visit([&](const auto& cut) { add_cut(cut, stages); }, picture.cut);
  if (picture.flip) {
    Value value = stage("flip");
    value.set("probability", document::make_number(*picture.flip));
    stages.push_back(std::move(value));
  }
  if (picture.jitter) {
    Value value = stage("colour_jitter");
    value.set("brightness", document::make_number(picture.jitter->brightness));
    value.set("contrast", document::make_number(picture.jitter->contrast));
    value.set("saturation", document::make_number(picture.jitter->saturation));
    value.set("hue", document::make_number(picture.jitter->hue));
    stages.push_back(std::move(value));
  }
  if (picture.normalise) {
    Value value = stage("normalise");
    value.set("mean", numbers(picture.normalise->mean));
    value.set("std", numbers(picture.normalise->std));
    stages.push_back(std::move(value));
  }
  return document::make_list(std::move(stages));
}

Value source_value(const SourceDefinition& source) {
  Value value = document::make_object();
  value.set("kind", document::make_string(to_string(source.kind)));
  value.set("location", document::make_string(source.location));
  if (!source.index.empty()) value.set("index", document::make_string(source.index));
  if (source.kind != sources::Kind::kRecords) return value;
  value.set("header_bytes", integer(source.header_bytes));
  std::vector<Value> fields;
  for (const transport::Field& field : source.fields) {
    Value one = document::make_object();
    one.set("name", document::make_string(field.name));
    one.set("type", document::make_string(transport::to_string(field.dtype)));
    std::vector<Value> shape;
    for (const std::uint32_t axis : field.shape) shape.push_back(integer(axis));
    one.set("shape", document::make_list(std::move(shape)));
    fields.push_back(std::move(one));
  }
  value.set("fields", document::make_list(std::move(fields)));
  return value;
}

std::string_view image_type(images::PixelFormat format) {
  switch (format) {
    case images::PixelFormat::kU8Hwc: return "uint8";
    case images::PixelFormat::kF32Chw: return "float32";
    case images::PixelFormat::kF16Chw: return "float16";
  }
  return "";
}

transport::Field image_field(const PictureDefinition& picture) {
  const auto [width, height] = out_size(picture.cut);
  const auto rows = static_cast<std::uint32_t>(height);
  const auto columns = static_cast<std::uint32_t>(width);
  switch (picture.format) {
    case images::PixelFormat::kU8Hwc: return {"image", transport::DType::kU8, {rows, columns, 3}};
    case images::PixelFormat::kF32Chw: return {"image", transport::DType::kF32, {3, rows, columns}};
    case images::PixelFormat::kF16Chw: return {"image", transport::DType::kF16, {3, rows, columns}};
  }
  return {};
}

}  // namespace

std::string_view to_string(OnError on_error) {
  switch (on_error) {
    case OnError::kRaise: return "raise";
    case OnError::kSkip: return "skip";
    case OnError::kReplace: return "replace";
  }
  return "";
}
std::optional<OnError> on_error_from(std::string_view text) {
  return one_of(text, {OnError::kRaise, OnError::kSkip, OnError::kReplace});
}

std::string_view to_string(LastBatch last) {
  switch (last) {
    case LastBatch::kDrop: return "drop";
    case LastBatch::kPad: return "pad";
    case LastBatch::kShort: return "short";
  }
  return "";
}
std::optional<LastBatch> last_batch_from(std::string_view text) {
  return one_of(text, {LastBatch::kDrop, LastBatch::kPad, LastBatch::kShort});
}

std::string_view to_string(LabelForm form) {
  switch (form) {
    case LabelForm::kInt64: return "int64";
    case LabelForm::kOneHot: return "one_hot";
    case LabelForm::kNone: return "none";
  }
  return "";
}
std::optional<LabelForm> label_form_from(std::string_view text) {
  return one_of(text, {LabelForm::kInt64, LabelForm::kOneHot, LabelForm::kNone});
}

images::Size out_size(const Cut& cut) {
  return std::visit([](const auto& one) { return one.out; }, cut);
}

document::Value to_document(const Definition& definition) {
  Value value = document::make_object();
  value.set("seed", integer(definition.seed));
  value.set("epochs", integer(definition.epochs));
  value.set("shuffle", document::make_boolean(definition.order == Order::kShuffled));
  value.set("on_error", document::make_string(to_string(definition.on_error)));
  value.set("source", source_value(definition.source));
  if (definition.picture) {
    value.set("stage", stages_value(*definition.picture));
    Value output = document::make_object();
    output.set("image", document::make_string(image_type(definition.picture->format)));
    output.set("orientation",
               document::make_string(images::to_string(definition.picture->orientation)));
    output.set("label", document::make_string(to_string(definition.label)));
    if (definition.label == LabelForm::kOneHot) output.set("classes", integer(definition.classes));
    value.set("output", std::move(output));
  }
  Value batch = document::make_object();
  batch.set("size", integer(definition.batch_size));
  batch.set("last", document::make_string(to_string(definition.last)));
  value.set("batch", std::move(batch));
  return value;
}

std::string fingerprint(const Definition& definition) {
  return http::sha256_hex(document::write(to_document(definition)));
}

transport::Schema schema_of(const Definition& definition) {
  if (!definition.picture) return {definition.source.fields};
  transport::Schema schema{{image_field(*definition.picture)}};
  switch (definition.label) {
    case LabelForm::kInt64: schema.fields.push_back({"label", transport::DType::kI64, {}}); break;
    case LabelForm::kOneHot:
      schema.fields.push_back({"label", transport::DType::kF32, {definition.classes}});
      break;
    case LabelForm::kNone: break;
  }
  return schema;
}

std::uint64_t batches_per_epoch(const Definition& definition, std::uint64_t samples) {
  const std::uint64_t whole = samples / definition.batch_size;
  const bool rest = samples % definition.batch_size != 0;
  return definition.last == LastBatch::kDrop || !rest ? whole : whole + 1;
}

}  // namespace evener::data::pipeline
