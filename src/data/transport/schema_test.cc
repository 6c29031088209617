#include "data/transport/schema.h"

namespace evener::data::transport {
namespace {

const Schema kImages{{{"image", DType::kU8, {224, 224, 3}}, {"label", DType::kI64, {}}}};

TEST(Schema, ComesBackFromItsDocument) {
  auto schema = schema_of(to_document(kImages));
  ASSERT_TRUE(schema.has_value()) << schema.error().message;
  EXPECT_EQ(*schema, kImages);
}

TEST(Schema, EveryDTypeComesBackFromItsName) {
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    const auto dtype = static_cast<DType>(i);
    auto back = dtype_of(to_string(dtype));
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, dtype);
    EXPECT_GT(size_of(dtype), 0u);
  }
  EXPECT_FALSE(dtype_of("complex64").has_value());
}

TEST(Schema, FieldsBeginAtMultiplesOf64) {
  auto layout_of_3 = layout(kImages, 3);
  ASSERT_TRUE(layout_of_3.has_value());
  EXPECT_EQ(layout_of_3->offsets, (std::vector<std::uint64_t>{0, 451'584}));
  EXPECT_EQ(layout_of_3->body_bytes, 451'584u + 24);
}

TEST(Schema, BodiesThatOverflowAreRefused) {
  const Schema huge{{{"x", DType::kF64, {4'000'000'000, 4'000'000'000, 4'000'000'000}}}};
  EXPECT_FALSE(layout(huge, 1).has_value());
  EXPECT_FALSE(layout({{{"x", DType::kU8, {1u << 31}}, {"y", DType::kU8, {1u << 31}}}}, 4));
}

TEST(Schema, DocumentsThatAreNoneAreRefused) {
  for (const std::string_view text :
       {"[]", "{}", "[1]", R"([{"dtype":"uint8","shape":[]}])",
        R"([{"name":"x","dtype":"uint9","shape":[]}])", R"([{"name":"x","dtype":"uint8"}])",
        R"([{"name":"x","dtype":"uint8","shape":[-1]}])",
        R"([{"name":"x","dtype":"uint8","shape":[4294967296]}])",
        R"([{"name":"x","dtype":"uint8","shape":[1,1,1,1,1,1,1,1,1]}])",
        R"([{"name":"x","dtype":"uint8","shape":[]},{"name":"x","dtype":"uint8","shape":[]}])"}) {
    auto value = document::read(text);
    ASSERT_TRUE(value.has_value()) << text;
    EXPECT_FALSE(schema_of(*value).has_value()) << text;
  }
}

}  // namespace
}  // namespace evener::data::transport
