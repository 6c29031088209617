// What a worker did so far, as numbers that only grow and a few that are of the moment; and what
// they say about a feed in one line.
//
// Used by:  data/worker counts, data/dispatcher gathers, apps show.
// Threads:  values and pure functions.
// Fails:    from_document: kInvalidArgument, naming the member.
// Source:   Prometheus text format 0.0.4.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"

namespace evener::data::statistics {

inline constexpr std::size_t kMaxFaults = 100;          // the latest are kept, all are counted

struct Fault {
  std::string id;                                       // of the sample
  std::string message;
  bool operator==(const Fault&) const = default;
};

struct Worker {
  std::uint64_t threads = 0;
  std::uint64_t elapsed_ns = 0;                         // since it started
  std::uint64_t read_busy_ns = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t decode_busy_ns = 0;                     // from a sample's bytes to its place
  std::uint64_t samples = 0;
  std::uint64_t lease_wait_ns = 0;                      // compute threads: nothing was leased
  std::uint64_t credit_wait_ns = 0;                     //   readers had no room
  std::uint64_t read_wait_ns = 0;                       //   a sample was still being read
  std::uint64_t sent_units = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t failed_units = 0;
  std::uint64_t faulty_samples = 0;                     // skipped or replaced
  std::uint64_t leased_units = 0;                       // now: leased and not begun
  std::uint64_t open_units = 0;                         // now: begun and not sent
  std::uint64_t read_ahead_samples = 0;                 // now
  std::uint64_t readers = 0;                            // now: connected
  std::vector<Fault> faults{};
  bool operator==(const Worker&) const = default;
};

document::Value to_document(const Worker& worker);
Result<Worker> from_document(const document::Value& value);

// What was done since `before`; what is of the moment stays.
Worker since(const Worker& now, const Worker& before);

// One line: who waits for whom. `reader_wait`: the part of the time that the readers waited for a
// batch, 0 to 1; below 0 if it is not known.
std::string verdict(const std::vector<Worker>& workers, double reader_wait);

// Lines of the text format.
class Exposition {
 public:
  enum class Kind { kCounter, kGauge };
  // `labels`: "" or `worker="1"`; a name's values follow one another.
  void add(Kind kind, std::string_view name, std::string_view what, std::string_view labels,
           double value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string last_;
};
// Of each worker by its label.
struct Labelled {
  std::string labels;
  Worker worker;
};
void expose(const std::vector<Labelled>& workers, Exposition& exposition);

}  // namespace evener::data::statistics
