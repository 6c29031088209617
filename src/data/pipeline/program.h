// A compiled pipeline: makes one sample of a unit into its place in the body of a batch. What it
// makes depends on the definition, the data set, the unit and the slot, and on nothing else.
//
//   unit, slot ─▶ position ─▶ sample (keyed order) ─▶ bytes ─▶ drawn transform ─▶ place in the body
//
// Used by:  pipeline.h.
// Threads:  a Program is shared; each thread has a Lane of its own.
// Fails:    compile: the source's errors, kInvalidArgument where labels do not fit. make: what went
//           wrong with a sample under on_error = raise; whatever on_error says, an object that
//           changed, went away or cannot be read.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "data/images/images.h"
#include "data/pipeline/definition.h"
#include "data/randomness/randomness.h"
#include "data/sources/sources.h"
#include "data/transport/transport.h"

namespace evener::data::pipeline {

using transport::Unit;

// A sample that could not be made, under skip or replace.
struct Fault {
  std::uint64_t sample = 0;
  std::string id;
  std::string message;
};

struct Times {
  std::chrono::nanoseconds read{0};
  std::chrono::nanoseconds make{0};       // from the sample's bytes to its place
  std::uint64_t samples = 0;
  std::uint64_t read_bytes = 0;
};

// What a thread keeps from sample to sample: buffers, decoder, the order of the epoch.
struct Lane {
  explicit Lane(const Clock& its_clock) : clock(its_clock) {}
  const Clock& clock;
  images::Decoder decoder;
  sources::Reading reading;
  std::vector<Fault> faults;              // of skip and replace, until somebody takes them
  Times times;                            // the same
  std::optional<randomness::Permutation> order{};
  std::uint32_t order_epoch = 0;
};

enum class Made { kWhole, kSkipped };

// One row of a batch that is to be made.
struct Place {
  Unit unit;
  std::uint32_t slot = 0;                 // below slots(unit)
};

// A batch as it is sent.
struct Finished {
  std::uint32_t samples = 0;
  std::uint64_t body_bytes = 0;
};

class Program {
 public:
  static Result<std::shared_ptr<const Program>> compile(Definition definition,
                                                        const storage::StoreSet& stores,
                                                        const std::stop_token& stop = {});

  const Definition& definition() const { return definition_; }
  const sources::Source& source() const { return *source_; }
  const transport::Schema& schema() const { return schema_; }
  std::uint64_t body_bytes() const { return layout_.body_bytes; }   // of a full batch
  std::uint64_t batches_per_epoch() const { return batches_; }
  // Samples of a unit before any is skipped.
  std::uint32_t slots(Unit unit) const;
  // Rows that are worth a turn of a thread.
  std::uint32_t grain() const;
  // Which sample stands there.
  std::uint64_t sample_at(Lane& lane, const Place& place) const;

  // Writes the sample's row into `body`, which has body_bytes(). `read_ahead`: the bytes of
  // sample_at(place), if somebody has read them.
  Result<Made> make(Lane& lane, const Place& place, std::span<std::byte> body,
                    const sources::Reading* read_ahead = nullptr) const;

  // Ends a body whose rows are made: closes the gaps of slots that were skipped, moves the fields of
  // a batch that is not full to where layout(samples) has them, clears what lies between fields.
  Finished finish(Unit unit, const std::vector<std::uint32_t>& skipped,
                  std::span<std::byte> body) const;

 private:
  Program(Definition definition, std::unique_ptr<sources::Source> source,
          transport::Layout layout);

  struct Row {
    std::uint64_t sample;
    randomness::Draws draws;
  };
  // A fault of the sample itself is an Error within the result; any other ends the unit.
  using Tried = std::optional<Error>;
  Result<Tried> try_row(Lane& lane, Row row, std::uint32_t slot, std::span<std::byte> body,
                        const sources::Reading* read_ahead) const;
  Result<Made> replace(Lane& lane, const Place& place, std::uint64_t position,
                       std::span<std::byte> body) const;
  Result<Tried> read(Lane& lane, std::uint64_t sample) const;
  Status fill(Lane& lane, Row row, std::uint32_t slot, const sources::Reading& reading,
              std::span<std::byte> body) const;
  std::span<std::byte> row_of(std::size_t field, std::uint32_t slot,
                              std::span<std::byte> body) const;
  void write_label(std::uint64_t sample, std::uint32_t slot, std::span<std::byte> body) const;

  const Definition definition_;
  const std::unique_ptr<sources::Source> source_;
  const transport::Schema schema_;
  const transport::Layout layout_;
  std::vector<std::uint64_t> row_bytes_;    // of each field
  std::uint64_t batches_ = 0;
};

}  // namespace evener::data::pipeline
