// A pipeline as a value: where samples come from, what is done to them, how they become batches.
// Written by people as TOML, sent between processes as a document.
//
// Used by:  pipeline.h.
// Threads:  values and pure functions.
// Fails:    kInvalidArgument, "file:line: member is wrong, because": unknown members with the word
//           that was meant, values out of their range, stages out of order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "data/images/images.h"
#include "data/sources/sources.h"
#include "data/transport/transport.h"

namespace evener::data::pipeline {

inline constexpr std::size_t kMaxDefinitionBytes = 1u << 20;
inline constexpr std::uint32_t kMaxBatchSize = 1u << 20;
inline constexpr std::uint32_t kMaxOneHotClasses = 1u << 20;
inline constexpr int kMaxSide = 16'384;                 // pixels of a sample's side

enum class Order { kShuffled, kStored };
// What becomes of a sample that cannot be made: the batch fails; it is left out, and the batch is
// shorter; another sample stands in.
enum class OnError { kRaise, kSkip, kReplace };
std::string_view to_string(OnError on_error);           // "raise", "skip", "replace"
std::optional<OnError> on_error_from(std::string_view text);
// What becomes of the samples that fill no whole batch.
enum class LastBatch { kDrop, kPad, kShort };
std::string_view to_string(LastBatch last);             // "drop", "pad", "short"
std::optional<LastBatch> last_batch_from(std::string_view text);
enum class LabelForm { kInt64, kOneHot, kNone };
std::string_view to_string(LabelForm form);             // "int64", "one_hot", "none"
std::optional<LabelForm> label_form_from(std::string_view text);

struct SourceDefinition {
  sources::Kind kind = sources::Kind::kImages;
  std::string location;                                 // an absolute URI
  std::string index{};                                  // images: the same, or ""
  std::vector<transport::Field> fields{};               // records: one after another
  std::uint64_t header_bytes = 0;                       // records
  bool operator==(const SourceDefinition&) const = default;
};

struct RandomCrop {
  images::Size out;
  std::array<double, 2> scale = {0.08, 1.0};
  std::array<double, 2> ratio = {3.0 / 4, 4.0 / 3};
  bool operator==(const RandomCrop&) const = default;
};
struct CentreCrop {
  int resize = 0;                                       // the shorter side first becomes this
  images::Size out;
  bool operator==(const CentreCrop&) const = default;
};
struct Stretch {                                        // the whole image, whatever its shape
  images::Size out;
  bool operator==(const Stretch&) const = default;
};
using Cut = std::variant<RandomCrop, CentreCrop, Stretch>;
images::Size out_size(const Cut& cut);

// Each factor is drawn from [max(0, 1 - x), 1 + x], the hue from [-x, x]; in an order that is drawn.
struct JitterRanges {
  double brightness = 0;
  double contrast = 0;
  double saturation = 0;
  double hue = 0;
  bool operator==(const JitterRanges&) const = default;
};

struct Normalise {
  std::array<double, 3> mean = {0, 0, 0};
  std::array<double, 3> std = {1, 1, 1};
  bool operator==(const Normalise&) const = default;
};

// What is done to photographs.
struct PictureDefinition {
  Cut cut;
  std::optional<double> flip{};                         // probability
  std::optional<JitterRanges> jitter{};
  std::optional<Normalise> normalise{};
  images::Orientation orientation = images::Orientation::kAsStored;
  images::PixelFormat format = images::PixelFormat::kF32Chw;
  bool operator==(const PictureDefinition&) const = default;
};

struct Definition {
  std::uint64_t seed = 0;
  std::uint32_t epochs = 1;                             // 0: without end
  Order order = Order::kShuffled;
  OnError on_error = OnError::kRaise;
  SourceDefinition source;
  std::optional<PictureDefinition> picture{};           // of images and shards
  LabelForm label = LabelForm::kInt64;
  std::uint32_t classes = 0;                            // of one-hot labels
  std::uint32_t batch_size = 1;
  LastBatch last = LastBatch::kDrop;
  bool operator==(const Definition&) const = default;
};

// Where a member was written, by its path ("stage[1].size"): for messages.
struct Lines {
  std::string file;
  std::map<std::string, std::uint32_t, std::less<>> lines;
};

// Relative locations count from the absolute path `folder`; "" refuses them.
Result<Definition> read_definition(const document::Value& value, std::string_view folder = "",
                                   const Lines& lines = {});
// `file` stands in messages.
Result<Definition> read_toml_definition(const std::string& text, const std::string& file,
                                        std::string_view folder);

// Every member, in one order: equal definitions have equal texts.
document::Value to_document(const Definition& definition);
// SHA-256 of that text.
std::string fingerprint(const Definition& definition);

transport::Schema schema_of(const Definition& definition);
// Of an epoch over so many samples.
std::uint64_t batches_per_epoch(const Definition& definition, std::uint64_t samples);

}  // namespace evener::data::pipeline
