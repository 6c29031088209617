#include "data/pipeline/program.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "data/pipeline/drawn_transform.h"

namespace evener::data::pipeline {
namespace {

// Samples that are tried in place of one that cannot be made.
constexpr std::uint32_t kReplacements = 16;
// Draws of replacements begin where no sample's own draws come.
constexpr std::uint64_t kReplacementSeed = 0x5265706c61636531ull;

sources::Options source_options(const Definition& definition) {
  const SourceDefinition& source = definition.source;
  sources::Options options{.kind = source.kind, .location = source.location};
  options.index = source.index;
  options.labels = definition.label == LabelForm::kNone ? sources::Labels::kUnused
                                                        : sources::Labels::kNeeded;
  options.header_bytes = source.header_bytes;
  for (const transport::Field& field : source.fields) {
    std::uint64_t bytes = transport::size_of(field.dtype);
    for (const std::uint32_t axis : field.shape) bytes *= axis;
    options.record_bytes += bytes;
  }
  return options;
}

Status check_labels(const Definition& definition, const sources::Source& source) {
  if (definition.label != LabelForm::kOneHot || source.label_count() <= definition.classes)
    return ok();
  return failure(ErrorCode::kInvalidArgument,
                 definition.source.location + " has labels up to " +
                     std::to_string(source.label_count() - 1) + ", but output.classes is " +
                     std::to_string(definition.classes));
}

// Size and version of objects are looked at when they are read; what a file holds, later.
bool is_of_the_sample(ErrorCode code) { return code == ErrorCode::kLimitExceeded; }

}  // namespace

Result<std::shared_ptr<const Program>> Program::compile(Definition definition,
                                                        const storage::StoreSet& stores,
                                                        const std::stop_token& stop) {
  auto source = sources::open(source_options(definition), stores, stop);
  if (!source) return tl::unexpected(std::move(source.error()));
  RETURN_IF_ERROR(check_labels(definition, **source));
  auto layout = transport::layout(schema_of(definition), definition.batch_size);
  if (!layout) return tl::unexpected(std::move(layout.error()));
  std::shared_ptr<const Program> program(
      new Program(std::move(definition), std::move(*source), std::move(*layout)));
  if (program->batches_per_epoch() == 0)
    return failure(ErrorCode::kInvalidArgument,
                   program->definition().source.location + " has " +
                       std::to_string(program->source().samples()) +
                       " samples, which fill no batch of " +
                       std::to_string(program->definition().batch_size) +
                       "; set batch.last = \"pad\" or \"short\"");
  return program;
}

Program::Program(Definition definition, std::unique_ptr<sources::Source> source,
                 transport::Layout layout)
    : definition_(std::move(definition)),
      source_(std::move(source)),
      schema_(schema_of(definition_)),
      layout_(std::move(layout)),
      batches_(pipeline::batches_per_epoch(definition_, source_->samples())) {
  for (const transport::Field& field : schema_.fields) {
    std::uint64_t bytes = transport::size_of(field.dtype);
    for (const std::uint32_t axis : field.shape) bytes *= axis;
    row_bytes_.push_back(bytes);
  }
}

std::uint32_t Program::slots(Unit unit) const {
  const std::uint64_t first = unit.batch * definition_.batch_size;
  CHECK(first < source_->samples(), "a unit beyond the epoch");
  if (definition_.last == LastBatch::kPad) return definition_.batch_size;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(definition_.batch_size, source_->samples() - first));
}

std::uint32_t Program::grain() const {
  constexpr std::uint64_t kGrainBytes = 64u << 10;      // of rows that are only copied
  if (definition_.picture) return 1;
  std::uint64_t row = 0;
  for (const std::uint64_t bytes : row_bytes_) row += bytes;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, kGrainBytes / row));
}

std::uint64_t Program::sample_at(Lane& lane, const Place& place) const {
  const std::uint64_t position =
      (place.unit.batch * definition_.batch_size + place.slot) % source_->samples();
  if (definition_.order == Order::kStored) return position;
  if (!lane.order || lane.order_epoch != place.unit.epoch ||
      lane.order->size() != source_->samples()) {
    lane.order.emplace(definition_.seed, place.unit.epoch, source_->samples());
    lane.order_epoch = place.unit.epoch;
  }
  return (*lane.order)(position);
}

Result<Made> Program::make(Lane& lane, const Place& place, std::span<std::byte> body,
                           const sources::Reading* read_ahead) const {
  const std::uint64_t position = place.unit.batch * definition_.batch_size + place.slot;
  const std::uint64_t sample = sample_at(lane, place);
  const Row row{sample, randomness::Draws(definition_.seed, place.unit.epoch, position)};
  auto tried = try_row(lane, row, place.slot, body, read_ahead);
  if (!tried) return tl::unexpected(std::move(tried.error()));
  if (!*tried) return Made::kWhole;
  Error& fault = **tried;
  switch (definition_.on_error) {
    case OnError::kRaise: return failure_in(source_->id(sample), std::move(fault));
    case OnError::kSkip:
      lane.faults.push_back({sample, source_->id(sample), std::move(fault.message)});
      return Made::kSkipped;
    case OnError::kReplace: break;
  }
  lane.faults.push_back({sample, source_->id(sample), std::move(fault.message)});
  return replace(lane, place, position, body);
}

Result<Made> Program::replace(Lane& lane, const Place& place, std::uint64_t position,
                              std::span<std::byte> body) const {
  randomness::Draws choices(definition_.seed ^ kReplacementSeed, place.unit.epoch, position);
  for (std::uint32_t i = 0; i < kReplacements; ++i) {
    const std::uint64_t bits = choices.bits() | std::uint64_t{choices.bits()} << 32;
    const Row row{bits % source_->samples(),
                  randomness::Draws(definition_.seed, place.unit.epoch, position)};
    auto tried = try_row(lane, row, place.slot, body, nullptr);
    if (!tried) return tl::unexpected(std::move(tried.error()));
    if (!*tried) return Made::kWhole;
  }
  return failure(ErrorCode::kCorrupt,
                 lane.faults.back().id + ": " + lane.faults.back().message + "; nor could any of " +
                     std::to_string(kReplacements) + " others be made in its place");
}

Result<Program::Tried> Program::try_row(Lane& lane, Row row, std::uint32_t slot,
                                        std::span<std::byte> body,
                                        const sources::Reading* read_ahead) const {
  if (read_ahead == nullptr) {
    auto fault = read(lane, row.sample);
    if (!fault || *fault) return fault;
    read_ahead = &lane.reading;
  }
  const MonotonicTime begin = lane.clock.monotonic_now();
  Status filled = fill(lane, row, slot, *read_ahead, body);
  lane.times.make += lane.clock.monotonic_now() - begin;
  ++lane.times.samples;
  if (filled) return Tried{};
  return Tried{std::move(filled.error())};
}

Result<Program::Tried> Program::read(Lane& lane, std::uint64_t sample) const {
  const MonotonicTime begin = lane.clock.monotonic_now();
  Status status = source_->read(sample, lane.reading);
  lane.times.read += lane.clock.monotonic_now() - begin;
  lane.times.read_bytes += lane.reading.size;
  if (status) return Tried{};
  if (is_of_the_sample(status.error().code)) return Tried{std::move(status.error())};
  return tl::unexpected(std::move(status.error()));
}

Status Program::fill(Lane& lane, Row row, std::uint32_t slot, const sources::Reading& reading,
                     std::span<std::byte> body) const {
  const std::span<const std::byte> bytes = reading.bytes();
  if (!definition_.picture) {
    std::size_t offset = 0;
    for (std::size_t field = 0; field < row_bytes_.size(); ++field) {
      std::memcpy(row_of(field, slot, body).data(), bytes.data() + offset, row_bytes_[field]);
      offset += row_bytes_[field];
    }
    return ok();
  }
  const PictureDefinition& picture = *definition_.picture;
  auto facts = images::probe(bytes, picture.orientation);
  if (!facts) return tl::unexpected(std::move(facts.error()));
  const images::Transform transform = drawn_transform(picture, facts->size, row.draws);
  RETURN_IF_ERROR(lane.decoder.decode(bytes, *facts, transform, row_of(0, slot, body)));
  if (definition_.label != LabelForm::kNone) write_label(row.sample, slot, body);
  return ok();
}

std::span<std::byte> Program::row_of(std::size_t field, std::uint32_t slot,
                                     std::span<std::byte> body) const {
  return body.subspan(layout_.offsets[field] + slot * row_bytes_[field], row_bytes_[field]);
}

void Program::write_label(std::uint64_t sample, std::uint32_t slot,
                          std::span<std::byte> body) const {
  constexpr std::size_t kLabelField = 1;
  const std::span<std::byte> row = row_of(kLabelField, slot, body);
  const std::int64_t label = source_->label(sample);
  if (definition_.label == LabelForm::kInt64) {
    std::memcpy(row.data(), &label, sizeof label);
    return;
  }
  constexpr float kOne = 1;
  std::ranges::fill(row, std::byte{0});
  std::memcpy(row.data() + static_cast<std::size_t>(label) * sizeof kOne, &kOne, sizeof kOne);
}

Finished Program::finish(Unit unit, const std::vector<std::uint32_t>& skipped,
                         std::span<std::byte> body) const {
  const std::uint32_t all = slots(unit);
  const auto samples = static_cast<std::uint32_t>(all - skipped.size());
  const auto closed = transport::layout(schema_, samples);
  CHECK(closed.has_value(), "a part of a batch is larger than the batch");
  std::uint64_t end = 0;                   // of the field before
  for (std::size_t field = 0; field < row_bytes_.size(); ++field) {
    std::uint64_t to = closed->offsets[field];
    std::ranges::fill(body.subspan(end, to - end), std::byte{0});
    end = to + samples * row_bytes_[field];
    if (samples == definition_.batch_size) continue;
    for (std::uint32_t slot = 0; slot < all; ++slot) {
      if (std::ranges::find(skipped, slot) != skipped.end()) continue;
      std::memmove(body.data() + to, row_of(field, slot, body).data(), row_bytes_[field]);
      to += row_bytes_[field];
    }
  }
  return {.samples = samples, .body_bytes = closed->body_bytes};
}

}  // namespace evener::data::pipeline
