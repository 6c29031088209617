#include "data/pipeline/definition.h"

#include <gtest/gtest.h>

namespace evener::data::pipeline {
namespace {

const std::string kGood = R"(seed = 17
epochs = 90
on_error = "skip"

[source]
kind = "images"
location = "photos"
index = "../labels.csv"

[[stage]]
name = "random_resized_crop"
size = 224

[[stage]]
name = "flip"

[[stage]]
name = "colour_jitter"
brightness = 0.4
hue = 0.1

[[stage]]
name = "normalise"
mean = [0.485, 0.456, 0.406]
std = [0.229, 0.224, 0.225]

[output]
image = "float16"
label = "one_hot"
classes = 10

[batch]
size = 64
last = "pad"
)";

Result<Definition> read(const std::string& text) {
  return read_toml_definition(text, "p.toml", "/home/u/set");
}

std::string replaced(std::string text, std::string_view old_text, std::string_view new_text) {
  const auto at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return text.replace(at, old_text.size(), new_text);
}

std::string fault(std::string_view old_text, std::string_view new_text) {
  const auto definition = read(replaced(kGood, old_text, new_text));
  return definition ? "good" : definition.error().message;
}

TEST(Definition, IsReadFromToml) {
  const auto definition = read(kGood);
  ASSERT_TRUE(definition) << definition.error().message;
  EXPECT_EQ(definition->seed, 17u);
  EXPECT_EQ(definition->epochs, 90u);
  EXPECT_EQ(definition->on_error, OnError::kSkip);
  EXPECT_EQ(definition->order, Order::kShuffled);
  EXPECT_EQ(definition->source.location, "file:///home/u/set/photos");
  EXPECT_EQ(definition->batch_size, 64u);
  EXPECT_EQ(definition->last, LastBatch::kPad);
  ASSERT_TRUE(definition->picture);
  EXPECT_EQ(std::get<RandomCrop>(definition->picture->cut).out, (images::Size{224, 224}));
  EXPECT_EQ(definition->picture->flip, 0.5);
  EXPECT_EQ(definition->picture->jitter, (JitterRanges{.brightness = 0.4, .hue = 0.1}));
  EXPECT_EQ(definition->picture->normalise->std[2], 0.225);
  EXPECT_EQ(definition->picture->format, images::PixelFormat::kF16Chw);
  EXPECT_EQ(schema_of(*definition),
            (transport::Schema{{{"image", transport::DType::kF16, {3, 224, 224}},
                                {"label", transport::DType::kF32, {10}}}}));
}

TEST(Definition, IsTheSameAfterATripAsADocument) {
  for (const std::string& text :
       {kGood, replaced(kGood, "name = \"random_resized_crop\"\nsize = 224",
                        "name = \"resize\"\nsize = 256\n[[stage]]\nname = \"centre_crop\"\nsize = [200, 100]"),
        replaced(kGood, "name = \"random_resized_crop\"\nsize = 224",
                 "name = \"resize\"\nsize = [200, 100]")}) {
    const auto definition = read(text);
    ASSERT_TRUE(definition) << definition.error().message;
    const std::string canonical = document::write(to_document(*definition));
    const auto again = read_definition(document::read(canonical).value());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, *definition);
    EXPECT_EQ(fingerprint(*again), fingerprint(*definition));
  }
}

TEST(Definition, HasAFingerprintThatEveryMemberChanges) {
  const std::string one = fingerprint(read(kGood).value());
  EXPECT_EQ(one.size(), 64u);
  EXPECT_EQ(one, fingerprint(read("# a comment\n" + kGood).value()));
  for (const auto& [old_text, new_text] :
       {std::pair{"17", "18"}, {"epochs = 90", "epochs = 1"}, {"224", "225"}, {"0.4", "0.5"},
        {"float16", "float32"}, {"\"pad\"", "\"drop\""}, {"photos", "pictures"},
        {"classes = 10", "classes = 11"}, {"name = \"flip\"", "name = \"flip\"\nprobability = 0.4"}})
    EXPECT_NE(one, fingerprint(read(replaced(kGood, old_text, new_text)).value())) << new_text;
}

TEST(Definition, WithAFaultIsRefusedWithItsLine) {
  EXPECT_EQ(fault("on_error", "on_eror"),
            "p.toml:3: on_eror is no member that is known; did you mean 'on_error'?");
  EXPECT_EQ(fault("\"skip\"", "\"skipp\""),
            "p.toml:3: on_error is 'skipp', but can be raise, skip or replace; did you mean 'skip'?");
  EXPECT_EQ(fault("brightness", "brigthness"),
            "p.toml:19: stage[2].brigthness is no member that is known; did you mean 'brightness'?");
}

TEST(Definition, NamesWhatAMemberCanBe) {
  EXPECT_EQ(fault("size = 224", "size = 0"),
            "p.toml:12: stage[0].size is to be a number of pixels or [height, width], each from 1 to "
            "16384");
  EXPECT_EQ(fault("hue = 0.1", "hue = 0.6"), "p.toml:20: stage[2].hue is to be a number from 0 to 0.5");
  EXPECT_EQ(fault("[0.485, 0.456, 0.406]", "[0.485]"),
            "p.toml:24: stage[3].mean is to be a list of 3 numbers");
  EXPECT_EQ(fault("0.229", "0"), "p.toml:25: stage[3].std is to be above 0");
  EXPECT_EQ(fault("size = 64", ""), "p.toml:32: batch.size is missing");
  EXPECT_EQ(fault("seed = 17", "seed = -1"),
            "p.toml:1: seed is to be a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(fault("seed = 17", "seed = nan"), "p.toml:1: seed is no finite number");
  EXPECT_EQ(fault("seed = 17", "seed = ").substr(0, 9), "p.toml:1:");
}

TEST(Definition, HasItsStagesInOneOrder) {
  const std::string order = "; the order is resize, random_resized_crop or centre_crop, flip, "
                            "colour_jitter, normalise, each once";
  EXPECT_EQ(fault("\"colour_jitter\"\nbrightness = 0.4\nhue = 0.1", "\"flip\""),
            "p.toml:18: stage[2].name stands behind flip" + order);
  EXPECT_EQ(fault("[[stage]]\nname = \"random", "[[stage]]\nname=\"resize\"\nsize=256\n[[stage]]\nname = \"random"),
            "p.toml:14: stage[1].name takes no resize before it: it resizes itself");
  EXPECT_EQ(fault("random_resized_crop", "resize"),
            "p.toml:10: stage has none that gives all images one size: add random_resized_crop, "
            "centre_crop, or resize with [height, width]");
  EXPECT_EQ(fault("float16", "uint8"),
            "p.toml:28: output.image is uint8, which is not normalised: use float32 or float16, or "
            "leave normalise out");
}

const std::string kRecords = R"([source]
kind = "records"
location = "s3://bucket/cifar"
header_bytes = 4
fields = [{name = "label", type = "uint8"}, {name = "image", type = "uint8", shape = [3, 32, 32]}]
[batch]
size = 2
)";

TEST(Definition, OfRecordsHasTheirFields) {
  const auto definition = read(kRecords);
  ASSERT_TRUE(definition) << definition.error().message;
  EXPECT_EQ(definition->source.location, "s3://bucket/cifar");
  EXPECT_EQ(schema_of(*definition),
            (transport::Schema{{{"label", transport::DType::kU8, {}},
                                {"image", transport::DType::kU8, {3, 32, 32}}}}));
  const auto again = read_definition(to_document(*definition));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *definition);
  EXPECT_EQ(read(kRecords + "[output]\nimage = \"uint8\"\n").error().message,
            "p.toml:8: output has no meaning for records");
  EXPECT_EQ(read(replaced(kRecords, "\"uint8\"}", "\"uint9\"}")).error().message,
            "p.toml:5: source.fields[0].type is 'uint9', but can be uint8, int8, int16, int32, "
            "int64, float16, float32, float64 or bool; did you mean 'uint8'?");
}

TEST(Definition, FromAnotherProcessNamesAbsolutePlaces) {
  document::Value value = to_document(read(kGood).value());
  value.find("source")->set("location", document::make_string("photos"));
  EXPECT_EQ(read_definition(value).error().message,
            "source.location is 'photos', but is to be an absolute path or a URI");
}

TEST(Definition, CountsTheBatchesOfAnEpoch) {
  Definition definition = read(kRecords).value();
  EXPECT_EQ(batches_per_epoch(definition, 5), 2u);
  EXPECT_EQ(batches_per_epoch(definition, 4), 2u);
  definition.last = LastBatch::kShort;
  EXPECT_EQ(batches_per_epoch(definition, 5), 3u);
  EXPECT_EQ(batches_per_epoch(definition, 1), 1u);
  EXPECT_EQ(batches_per_epoch(definition, 4), 2u);
}

TEST(Definition, SpellsItsChoicesBothWays) {
  for (const OnError value : {OnError::kRaise, OnError::kSkip, OnError::kReplace})
    EXPECT_EQ(on_error_from(to_string(value)), value);
  for (const LastBatch value : {LastBatch::kDrop, LastBatch::kPad, LastBatch::kShort})
    EXPECT_EQ(last_batch_from(to_string(value)), value);
  for (const LabelForm value : {LabelForm::kInt64, LabelForm::kOneHot, LabelForm::kNone})
    EXPECT_EQ(label_form_from(to_string(value)), value);
  EXPECT_EQ(on_error_from(""), std::nullopt);
}

// Whatever a byte becomes, reading ends with a definition or an error.
TEST(Definition, WithAnyByteChangedIsReadOrRefused) {
  for (const std::string& text : {kGood, kRecords}) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const char value : {'\0', '0', '"', '[', '=', '\xff'}) {
        std::string changed = text;
        changed[at] = value;
        const auto definition = read(changed);
        EXPECT_TRUE(definition || !definition.error().message.empty());
      }
    }
  }
}

}  // namespace
}  // namespace evener::data::pipeline
