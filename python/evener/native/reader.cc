#include "native/reader.h"

#include <unistd.h>

#include <chrono>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <utility>

#include "native/errors.h"

namespace evener::python {

namespace nb = nanobind;
namespace client = data::client;

namespace {

// How long a wait goes on before it looks for Ctrl-C.
constexpr std::chrono::milliseconds kLookForSignals{50};
constexpr std::chrono::milliseconds kAskAgain{50};

}  // namespace

Reader::Reader(const client::ReaderOptions& options, ArrayKind kind) : process_(::getpid()) {
  auto opened = open(options);
  if (!opened) raise(opened.error());
  reader_ = std::move(*opened);
  maker_ = std::make_unique<ArrayMaker>(reader_->feed(), kind);
}

// Hosts of a job start at about the same time: while nobody answers, it asks again.
Result<std::unique_ptr<client::Reader>> Reader::open(client::ReaderOptions options) const {
  const MonotonicTime deadline = clock_.monotonic_now() + options.connect_timeout;
  for (;;) {
    auto opened = open_once(options);
    const bool again = !opened && opened.error().code == ErrorCode::kUnavailable;
    if (!again || clock_.monotonic_now() + kAskAgain >= deadline) return opened;
    {
      const nb::gil_scoped_release without_lock;
      std::this_thread::sleep_for(kAskAgain);
    }
    options.connect_timeout =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - clock_.monotonic_now());
    raise_signals();
  }
}

// On a thread of its own, so that this one can look for Ctrl-C.
Result<std::unique_ptr<client::Reader>> Reader::open_once(
    const client::ReaderOptions& options) const {
  Result<std::unique_ptr<client::Reader>> opened;
  std::binary_semaphore done(0);
  std::jthread opener([&](std::stop_token stop) {
    opened = client::Reader::open(options, clock_, std::move(stop));
    done.release();
  });
  for (;;) {
    {
      const nb::gil_scoped_release without_lock;
      if (done.try_acquire_for(kLookForSignals)) {
        opener.join();
        return opened;
      }
    }
    raise_signals();   // leaving stops the opener and waits for it
  }
}

Reader::~Reader() {
  if (!reader_) return;
  // A forked child has no copy of the reader's thread to wait for.
  if (process_ != ::getpid()) {
    (void)reader_.release();
    return;
  }
  const nb::gil_scoped_release without_lock;
  reader_->close();
  reader_.reset();
}

nb::object Reader::next() {
  for (;;) {
    if (auto taken = take()) {
      if (taken->failed) raise_failed_unit(*taken->failed);
      if (!taken->batch) raise(taken->batch.error());
      if (!*taken->batch) return nb::none();
      return maker_->arrays(std::move(**taken->batch));
    }
    check_process();
    raise_signals();
  }
}

std::optional<Reader::Taken> Reader::take() {
  const nb::gil_scoped_release without_lock;
  const std::unique_lock turn(turn_, kLookForSignals);
  if (!turn.owns_lock() || !reader_->wait(kLookForSignals)) return std::nullopt;
  Taken taken{reader_->next(), std::nullopt};
  if (!taken.batch) taken.failed = reader_->failed_unit();
  return taken;
}

void Reader::check_process() const {
  if (process_ == ::getpid()) return;
  raise({ErrorCode::kUnsupported,
         "this reader was opened before os.fork(); open one in the child process"});
}

void Reader::close() {
  if (process_ != ::getpid() || closed_.exchange(true)) return;
  const nb::gil_scoped_release without_lock;
  reader_->close();
}

nb::tuple Reader::position() const {
  const data::transport::Unit unit = reader_->position();
  return nb::make_tuple(unit.epoch, unit.batch);
}

nb::dict Reader::statistics() const {
  const client::ReaderStatistics now = reader_->statistics();
  nb::dict values;
  values["batches"] = now.batches;
  values["body_bytes"] = now.body_bytes;
  values["arena_batches"] = now.arena_batches;
  values["duplicates"] = now.duplicates;
  values["failed_units"] = now.failed_units;
  values["wait_seconds"] = std::chrono::duration<double>(now.wait).count();
  values["ready"] = now.ready;
  values["held_back"] = now.held_back;
  values["memory_bytes"] = now.memory_bytes;
  values["workers"] = now.workers;
  return values;
}

nb::dict Reader::feed() const {
  const client::FeedDescription& feed = reader_->feed();
  nb::list fields;
  for (const data::transport::Field& field : feed.schema.fields) {
    nb::list shape;
    for (const std::uint32_t length : field.shape) shape.append(length);
    fields.append(nb::make_tuple(nb::str(field.name.c_str(), field.name.size()),
                                 nb::str(std::string(data::transport::to_string(field.dtype)).c_str()),
                                 nb::tuple(shape)));
  }
  nb::dict values;
  values["fields"] = nb::tuple(fields);
  values["batch_size"] = feed.batch_size;
  values["batches_per_epoch"] = feed.batches_per_epoch;
  values["epochs"] = feed.epochs;
  return values;
}

}  // namespace evener::python
