#include "data/dispatcher/dispatcher.h"

#include <algorithm>
#include <optional>

#include "base/log.h"
#include "data/dispatcher/feed.h"

namespace evener::data::dispatcher {
namespace {

using transport::FrameKind;
using transport::FrameView;

// A feed that nobody reads is kept so long, with its index at the workers.
constexpr std::chrono::minutes kFeedIdle{10};
// The verdict looks back over so long.
constexpr std::chrono::seconds kVerdictWindow{5};

// "0.0.0.0:7000" of a worker that listens everywhere: others reach it where it comes from.
std::string reachable(const std::string& address, const std::string& seen) {
  auto endpoint = transport::parse_endpoint(address);
  const bool everywhere = endpoint && (endpoint->host == "0.0.0.0" || endpoint->host == "::");
  if (!everywhere || seen == "unix") return address;
  endpoint->host = seen;
  return transport::to_string(*endpoint);
}

class RunningDispatcher final : public Dispatcher {
 public:
  explicit RunningDispatcher(const Clock& clock) : clock_(clock) {}

  Status start(const DispatcherOptions& options) {
    auto server =
        transport::open_control_server({.listen = options.listen}, control_events(), clock_);
    if (!server) return tl::unexpected(std::move(server.error()));
    server_ = std::move(*server);
    return ok();
  }

  std::uint16_t port() const override { return server_->port(); }
  void snapshot(std::function<void(const Snapshot&)> take) override {
    server_->post([this, take = std::move(take)] { take(current()); });
  }

 private:
  transport::ControlEvents control_events() {
    return {.on_hello = [this](const PeerPointer& peer,
                               const FrameView& frame) { return on_hello(peer, frame); },
            .on_frame = [this](const PeerPointer& peer,
                               const FrameView& frame) { return on_frame(peer, frame); },
            .on_gone = [this](const PeerPointer& peer, const Error& why) { on_gone(peer, why); },
            .on_tick = [this] { on_tick(); }};
  }

  Status on_hello(const PeerPointer& peer, const FrameView& frame) {
    auto start = transport::read_hello_start(frame);
    if (!start) return tl::unexpected(std::move(start.error()));
    switch (start->role) {
      case transport::Role::kReader: return on_reader(peer, frame);
      case transport::Role::kWorker: return on_worker(peer, frame);
      case transport::Role::kStream: break;
    }
    return failure(ErrorCode::kInvalidArgument, "this is a dispatcher; streams go to workers");
  }

  Status on_worker(const PeerPointer& peer, const FrameView& frame) {
    auto hello = transport::read_worker_hello(frame);
    if (!hello) return tl::unexpected(std::move(hello.error()));
    if (workers_.size() >= kMaxWorkers)
      return failure(ErrorCode::kLimitExceeded, "there are " + std::to_string(kMaxWorkers) + " workers");
    const WorkerId id = ++last_worker_;
    KnownWorker worker{.id = id,
                       .peer = peer,
                       .threads = hello->threads,
                       .place = {.id = id,
                                 .address = reachable(hello->address, peer->address()),
                                 .host = hello->host,
                                 .local = hello->local}};
    log_line(LogLevel::kInfo, "dispatcher", "a worker came",
             {{"worker", std::to_string(id)}, {"address", worker.place.address}});
    peer->send(transport::frame_of(transport::WorkerWelcome{id}));
    const KnownWorker& added = workers_.emplace(id, std::move(worker)).first->second;
    for (auto& [number, feed] : feeds_) feed.add_worker(added);
    return ok();
  }

  Status on_reader(const PeerPointer& peer, const FrameView& frame) {
    auto hello = transport::read_reader_hello(frame);
    if (!hello) return tl::unexpected(std::move(hello.error()));
    auto feed = feed_for(*hello);
    if (!feed) return tl::unexpected(std::move(feed.error()));
    RETURN_IF_ERROR((*feed)->join(peer, *hello, workers_, clock_.monotonic_now()));
    readers_[peer->number()] = (*feed)->id();
    return ok();
  }

  Feed* find(std::string_view name) {
    const auto found =
        std::ranges::find_if(feeds_, [&](const auto& one) { return one.second.name() == name; });
    return found == feeds_.end() ? nullptr : &found->second;
  }

  // The feed of that name; a new one where there is none, or nobody reads one of another pipeline.
  Result<Feed*> feed_for(const transport::ReaderHello& hello) {
    Feed* known = find(hello.feed);
    if (!hello.pipeline) {
      if (known != nullptr) return known;
      return failure(ErrorCode::kNotFound, "there is no feed '" + hello.feed +
                                               "'; its first reader brings the pipeline");
    }
    auto definition = pipeline::read_definition(*hello.pipeline);
    if (!definition) return failure_in("the pipeline", std::move(definition.error()));
    if (known != nullptr && known->fingerprint() == pipeline::fingerprint(*definition)) return known;
    if (known != nullptr && known->has_readers())
      return failure(ErrorCode::kAlreadyExists,
                     "feed '" + hello.feed + "' has readers with another pipeline; give this one "
                                             "another name");
    if (known != nullptr) end(known->id());
    if (feeds_.size() >= kMaxFeeds)
      return failure(ErrorCode::kLimitExceeded, "there are " + std::to_string(kMaxFeeds) + " feeds");
    const std::uint32_t id = ++last_feed_;
    return &feeds_.try_emplace(id, id, hello.feed, std::move(*definition)).first->second;
  }

  void end(std::uint32_t id) {
    feeds_.erase(id);
    for (const auto& [number, worker] : workers_)
      worker.peer->send(transport::frame_of(
          transport::Feed{.feed = id, .generation = 0, .definition = document::make_object(), .ranks = 0}));
  }

  Status on_frame(const PeerPointer& peer, const FrameView& frame) {
    if (frame.header.kind == FrameKind::kPing) return ok();
    if (const auto reader = readers_.find(peer->number()); reader != readers_.end())
      return on_reader_frame(*peer, reader->second, frame);
    for (auto& [id, worker] : workers_)
      if (worker.peer->number() == peer->number()) return on_worker_frame(worker, frame);
    return failure(ErrorCode::kInternal, "a peer that is not known");
  }

  Status on_reader_frame(const transport::Peer& peer, std::uint32_t id, const FrameView& frame) {
    const auto feed = feeds_.find(id);
    if (feed == feeds_.end()) return ok();
    if (frame.header.kind == FrameKind::kAck) {
      auto ack = transport::read_ack(frame);
      if (!ack) return tl::unexpected(std::move(ack.error()));
      return feed->second.ack(peer, *ack, workers_);
    }
    if (frame.header.kind == FrameKind::kStatistics) {
      auto statistics = transport::read_statistics(frame);
      if (!statistics) return tl::unexpected(std::move(statistics.error()));
      const document::Value* wait = statistics->values.find("wait_permille");
      if (wait != nullptr) feed->second.note_wait(peer, static_cast<double>(wait->integer) / 1000);
      return ok();
    }
    return failure(ErrorCode::kInvalidArgument, "a reader does not send " +
                                                    std::string(to_string(frame.header.kind)));
  }

  Status on_worker_frame(KnownWorker& worker, const FrameView& frame) {
    switch (frame.header.kind) {
      case FrameKind::kStatistics: {
        auto message = transport::read_statistics(frame);
        if (!message) return tl::unexpected(std::move(message.error()));
        auto statistics = statistics::from_document(message->values);
        if (!statistics) return tl::unexpected(std::move(statistics.error()));
        worker.now = std::move(*statistics);
        return ok();
      }
      case FrameKind::kFeed: {
        auto answer = transport::read_feed_ready(frame);
        if (!answer) return tl::unexpected(std::move(answer.error()));
        if (const auto feed = feeds_.find(answer->feed); feed != feeds_.end())
          feed->second.ready(worker.id, *answer, workers_);
        return ok();
      }
      case FrameKind::kFailed: {
        auto failed = transport::read_failed(frame);
        if (!failed) return tl::unexpected(std::move(failed.error()));
        if (const auto feed = feeds_.find(failed->feed); feed != feeds_.end())
          feed->second.failed(worker.id, *failed, workers_);
        return ok();
      }
      case FrameKind::kRevoke: {
        auto range = transport::read_lease_range(frame);
        if (!range) return tl::unexpected(std::move(range.error()));
        if (const auto feed = feeds_.find(range->feed); feed != feeds_.end())
          feed->second.give_back(worker.id, *range, workers_);
        return ok();
      }
      default:
        return failure(ErrorCode::kInvalidArgument, "a worker does not send " +
                                                        std::string(to_string(frame.header.kind)));
    }
  }

  void on_gone(const PeerPointer& peer, const Error& why) {
    if (const auto reader = readers_.find(peer->number()); reader != readers_.end()) {
      if (const auto feed = feeds_.find(reader->second); feed != feeds_.end())
        feed->second.leave(*peer, clock_.monotonic_now());
      readers_.erase(reader);
      return;
    }
    const auto worker = std::ranges::find_if(workers_, [&](const auto& one) {
      return one.second.peer->number() == peer->number();
    });
    if (worker == workers_.end()) return;
    const WorkerId id = worker->first;
    log_line(LogLevel::kWarning, "dispatcher", "a worker went",
             {{"worker", std::to_string(id)}, {"why", why.message}});
    workers_.erase(worker);
    for (auto& [number, feed] : feeds_) feed.remove_worker(id, workers_);
  }

  void on_tick() {
    const MonotonicTime now = clock_.monotonic_now();
    std::vector<std::uint32_t> idle;
    for (auto& [id, feed] : feeds_) {
      feed.tick(workers_, now);
      if (feed.idle_since() && now - *feed.idle_since() > kFeedIdle) idle.push_back(id);
    }
    for (const std::uint32_t id : idle) end(id);
    if (now - judged_ < kVerdictWindow) return;
    judged_ = now;
    verdict_ = judge();
    for (auto& [id, worker] : workers_) worker.before = worker.now;
  }

  std::string judge() const {
    std::vector<statistics::Worker> recent;
    for (const auto& [id, worker] : workers_)
      recent.push_back(statistics::since(worker.now, worker.before));
    double wait = -1;
    for (const auto& [id, feed] : feeds_)
      for (const ReaderState& reader : feed.state().readers) wait = std::max(wait, reader.wait);
    return statistics::verdict(recent, wait);
  }

  Snapshot current() const {
    Snapshot snapshot{.workers = {}, .feeds = {}, .verdict = verdict_.empty() ? judge() : verdict_};
    for (const auto& [id, feed] : feeds_) snapshot.feeds.push_back(feed.state());
    for (const auto& [id, worker] : workers_) {
      std::uint64_t open = 0;
      for (const auto& [number, feed] : feeds_) open += feed.open_units(id);
      snapshot.workers.push_back({.id = id,
                                  .address = worker.place.address,
                                  .open_units = open,
                                  .statistics = worker.now});
    }
    return snapshot;
  }

  const Clock& clock_;
  Workers workers_;
  std::map<std::uint32_t, Feed> feeds_;
  std::map<std::uint64_t, std::uint32_t> readers_;   // peer's number -> feed
  WorkerId last_worker_ = 0;
  std::uint32_t last_feed_ = 0;
  MonotonicTime judged_{};
  std::string verdict_;
  std::unique_ptr<transport::ControlServer> server_; // last: its thread uses all of the above
};

}  // namespace

Result<std::unique_ptr<Dispatcher>> Dispatcher::start(DispatcherOptions options,
                                                      const Clock& clock) {
  auto dispatcher = std::make_unique<RunningDispatcher>(clock);
  RETURN_IF_ERROR(dispatcher->start(options));
  return dispatcher;
}

}  // namespace evener::data::dispatcher
