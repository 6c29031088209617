#include "data/dispatcher/snapshot.h"

namespace evener::data::dispatcher {
namespace {

using document::Value;
using statistics::Exposition;

Value integer(std::uint64_t value) {
  return document::make_integer(static_cast<std::int64_t>(value));
}

Value reader_value(const ReaderState& reader) {
  Value value = document::make_object();
  value.set("rank", integer(reader.rank));
  value.set("address", document::make_string(reader.address));
  value.set("epoch", integer(reader.next.epoch));
  value.set("batch", integer(reader.next.batch));
  value.set("batches", integer(reader.batches));
  if (reader.wait >= 0) value.set("wait", document::make_number(reader.wait));
  return value;
}

Value worker_value(const WorkerState& worker) {
  Value value = document::make_object();
  value.set("id", integer(worker.id));
  value.set("address", document::make_string(worker.address));
  value.set("unacknowledged", integer(worker.open_units));
  value.set("statistics", to_document(worker.statistics));
  return value;
}

Value feed_value(const FeedState& feed) {
  Value value = document::make_object();
  value.set("id", integer(feed.id));
  value.set("name", document::make_string(feed.name));
  value.set("generation", integer(feed.generation));
  value.set("ranks", integer(feed.ranks));
  value.set("epochs", integer(feed.epochs));
  value.set("samples", integer(feed.samples));
  value.set("batches_per_epoch", integer(feed.batches_per_epoch));
  value.set("fingerprint", document::make_string(feed.fingerprint));
  value.set("failed", integer(feed.failed_units));
  std::vector<Value> readers;
  for (const ReaderState& reader : feed.readers) readers.push_back(reader_value(reader));
  value.set("readers", document::make_list(std::move(readers)));
  return value;
}

// In a label's value a backslash, a quote and a line end are escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string feed_label(const FeedState& feed) { return "feed=\"" + escaped(feed.name) + "\""; }

template <class Take>
void add_readers(const Snapshot& snapshot, Exposition& exposition, Exposition::Kind kind,
                 std::string_view name, std::string_view what, Take take) {
  for (const FeedState& feed : snapshot.feeds)
    for (const ReaderState& reader : feed.readers)
      exposition.add(kind, name, what,
                     feed_label(feed) + ",rank=\"" + std::to_string(reader.rank) + "\"",
                     take(reader));
}

}  // namespace

Value to_document(const Snapshot& snapshot) {
  Value value = document::make_object();
  value.set("verdict", document::make_string(snapshot.verdict));
  std::vector<Value> feeds;
  for (const FeedState& feed : snapshot.feeds) feeds.push_back(feed_value(feed));
  value.set("feeds", document::make_list(std::move(feeds)));
  std::vector<Value> workers;
  for (const WorkerState& worker : snapshot.workers) workers.push_back(worker_value(worker));
  value.set("workers", document::make_list(std::move(workers)));
  return value;
}

std::string metrics_text(const Snapshot& snapshot) {
  using Kind = Exposition::Kind;
  Exposition exposition;
  exposition.add(Kind::kGauge, "evener_data_workers", "Connected workers", "",
                 static_cast<double>(snapshot.workers.size()));
  for (const FeedState& feed : snapshot.feeds)
    exposition.add(Kind::kGauge, "evener_data_feed_generation", "Which life of its readers a feed has",
                   feed_label(feed), feed.generation);
  for (const FeedState& feed : snapshot.feeds)
    exposition.add(Kind::kGauge, "evener_data_feed_waiting_batches", "Batches to be leased again",
                   feed_label(feed), static_cast<double>(feed.waiting_units));
  for (const FeedState& feed : snapshot.feeds)
    exposition.add(Kind::kCounter, "evener_data_feed_failed_batches_total",
                   "Batches that no worker could make", feed_label(feed),
                   static_cast<double>(feed.failed_units));
  add_readers(snapshot, exposition, Kind::kCounter, "evener_data_reader_batches_total",
              "Batches that a reader acknowledged",
              [](const ReaderState& reader) { return static_cast<double>(reader.batches); });
  add_readers(snapshot, exposition, Kind::kGauge, "evener_data_reader_wait_ratio",
              "Part of its time that a reader waited; below 0: unknown",
              [](const ReaderState& reader) { return reader.wait; });
  std::vector<statistics::Labelled> workers;
  for (const WorkerState& worker : snapshot.workers)
    workers.push_back({"worker=\"" + std::to_string(worker.id) + "\",address=\"" +
                           escaped(worker.address) + "\"",
                       worker.statistics});
  statistics::expose(workers, exposition);
  return exposition.text();
}

}  // namespace evener::data::dispatcher
