#include "data/transport/schema.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace evener::data::transport {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<DTypeRow, 9> kDTypes{{{DType::kU8, "uint8", 1},
                                           {DType::kI8, "int8", 1},
                                           {DType::kI16, "int16", 2},
                                           {DType::kI32, "int32", 4},
                                           {DType::kI64, "int64", 8},
                                           {DType::kF16, "float16", 2},
                                           {DType::kF32, "float32", 4},
                                           {DType::kF64, "float64", 8},
                                           {DType::kBool, "bool", 1}}};

const DTypeRow& row_of(DType dtype) {
  return *std::find_if(kDTypes.begin(), kDTypes.end(),
                       [dtype](const DTypeRow& row) { return row.dtype == dtype; });
}

// Nothing beyond kMaxBodyBytes.
Result<std::uint64_t> bytes_of(const Field& field, std::uint32_t samples) {
  std::uint64_t bytes = size_of(field.dtype) * samples;
  for (const std::uint32_t axis : field.shape) {
    if (axis != 0 && bytes > kMaxBodyBytes / axis)
      return failure(ErrorCode::kLimitExceeded,
                     "field " + field.name + " has more than 8 GiB in a batch of " +
                         std::to_string(samples));
    bytes *= axis;
  }
  return bytes;
}

tl::unexpected<Error> wrong(std::string_view what) {
  return failure(ErrorCode::kInvalidArgument, "schema: " + std::string(what));
}

Result<std::vector<std::uint32_t>> shape_of(const document::Value& value, std::string_view name) {
  const document::Value* shape = value.find("shape");
  if (shape == nullptr || shape->kind != document::Kind::kList || shape->items.size() > kMaxAxes)
    return wrong("field " + std::string(name) + " needs a shape of at most 8 axes");
  std::vector<std::uint32_t> axes;
  for (const document::Value& axis : shape->items) {
    if (axis.kind != document::Kind::kInteger || axis.integer < 0 ||
        axis.integer > std::numeric_limits<std::uint32_t>::max())
      return wrong("field " + std::string(name) + " has an axis that is no length");
    axes.push_back(static_cast<std::uint32_t>(axis.integer));
  }
  return axes;
}

Result<Field> field_of(const document::Value& value) {
  Field field;
  field.name = std::string(value.text_at("name"));
  if (field.name.empty() || field.name.size() > kMaxFieldNameBytes)
    return wrong("a field needs a name of 1 to 256 bytes");
  auto dtype = dtype_of(value.text_at("dtype"));
  if (!dtype) return wrong("field " + field.name + ": " + dtype.error().message);
  field.dtype = *dtype;
  auto shape = shape_of(value, field.name);
  if (!shape) return tl::unexpected(std::move(shape.error()));
  field.shape = std::move(*shape);
  return field;
}

}  // namespace

std::string_view to_string(DType dtype) { return row_of(dtype).name; }
std::size_t size_of(DType dtype) { return row_of(dtype).bytes; }

Result<DType> dtype_of(std::string_view name) {
  for (const DTypeRow& row : kDTypes)
    if (row.name == name) return row.dtype;
  return failure(ErrorCode::kInvalidArgument, "dtype '" + std::string(name) + "' is unknown");
}

Result<Layout> layout(const Schema& schema, std::uint32_t samples) {
  Layout result;
  for (const Field& field : schema.fields) {
    auto bytes = bytes_of(field, samples);
    if (!bytes) return tl::unexpected(std::move(bytes.error()));
    const std::uint64_t offset = align_up(result.body_bytes);
    result.offsets.push_back(offset);
    result.body_bytes = offset + *bytes;
    if (result.body_bytes > kMaxBodyBytes)
      return failure(ErrorCode::kLimitExceeded, "a batch of " + std::to_string(samples) +
                                                    " samples has more than 8 GiB");
  }
  return result;
}

document::Value to_document(const Schema& schema) {
  std::vector<document::Value> fields;
  for (const Field& field : schema.fields) {
    std::vector<document::Value> axes;
    for (const std::uint32_t axis : field.shape) axes.push_back(document::make_integer(axis));
    document::Value one = document::make_object();
    one.set("name", document::make_string(field.name));
    one.set("dtype", document::make_string(to_string(field.dtype)));
    one.set("shape", document::make_list(std::move(axes)));
    fields.push_back(std::move(one));
  }
  return document::make_list(std::move(fields));
}

Result<Schema> schema_of(const document::Value& value) {
  if (value.kind != document::Kind::kList || value.items.empty() || value.items.size() > kMaxFields)
    return wrong("needs a list of 1 to 256 fields");
  Schema schema;
  for (const document::Value& item : value.items) {
    auto field = field_of(item);
    if (!field) return tl::unexpected(std::move(field.error()));
    const auto same = [&](const Field& other) { return other.name == field->name; };
    if (std::any_of(schema.fields.begin(), schema.fields.end(), same))
      return wrong("field " + field->name + " is there twice");
    schema.fields.push_back(std::move(*field));
  }
  return schema;
}

}  // namespace evener::data::transport
