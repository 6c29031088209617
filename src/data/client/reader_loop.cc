#include "data/client/reader_loop.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace evener::data::client {

using std::chrono::milliseconds;
using transport::FrameKind;
using transport::FrameView;

namespace {

constexpr std::size_t kEventsPerCall = 64;
constexpr milliseconds kTick{50};
constexpr milliseconds kPing{1'000};
constexpr milliseconds kRetry{100};                      // then twice as long, up to kLongestRetry
constexpr milliseconds kLongestRetry{2'000};
constexpr milliseconds kStalled{10'000};                 // a worker in the middle of a batch
constexpr std::uint64_t kSmallBodyBytes = 64u << 10;
constexpr std::uint64_t kChunkBytes = 256u << 10;
constexpr std::uint64_t kChunksOfMemory = 16;            // a chunk is at most this part of all

enum Tag : std::uint64_t { kWakeTag = 0, kDispatcherTag = 1, kFirstStreamTag = 2 };

std::uint64_t chunk_bytes_for(std::uint64_t memory, std::uint64_t body) {
  const std::uint64_t chunk = std::min(kChunkBytes, memory / kChunksOfMemory / 64 * 64);
  return body <= kSmallBodyBytes && chunk >= 4 * (body + transport::kHeaderBytes) ? chunk : 0;
}

}  // namespace

class ReaderLoop::DispatcherSink final : public transport::FrameSink {
 public:
  explicit DispatcherSink(ReaderLoop& loop) : loop_(loop) {}
  Status on_frame(const FrameView& frame) override { return loop_.on_dispatcher_frame(frame); }

 private:
  ReaderLoop& loop_;
};

Result<std::unique_ptr<ReaderLoop>> ReaderLoop::start(const ReaderOptions& options,
                                                      const Clock& clock) {
  auto wake = transport::WakeQueue::open();
  if (!wake) return tl::unexpected(std::move(wake.error()));
  std::unique_ptr<ReaderLoop> loop(new ReaderLoop(options, clock, std::move(*wake)));
  RETURN_IF_ERROR(loop->open());
  return loop;
}

ReaderLoop::ReaderLoop(const ReaderOptions& options, const Clock& clock,
                       std::shared_ptr<transport::WakeQueue> wake)
    : options_(options),
      clock_(clock),
      wake_(std::move(wake)),
      handover_(clock, wake_),
      next_stream_id_(kFirstStreamTag) {}

void ReaderLoop::close() {
  thread_.request_stop();
  wake_->wake(kWakeTag);
  if (thread_.joinable()) thread_.join();
  handover_.finish(Error{ErrorCode::kCancelled, "the reader is closed"});
  handover_.drop_ready();
  streams_.clear();
  lost_.clear();
  window_.reset();
  ready_.clear();
  if (feed_ != nullptr) feed_->arrived.clear();
  dispatcher_.close();
  epoll_.reset();
  wake_->close();
}

Status ReaderLoop::open() {
  auto endpoint = transport::parse_endpoint(options_.dispatcher);
  if (!endpoint) return tl::unexpected(std::move(endpoint.error()));
  dispatcher_endpoint_ = std::move(*endpoint);
  if (options_.ranks == 0 || options_.rank >= options_.ranks)
    return failure(ErrorCode::kInvalidArgument, "rank must be below ranks");
  if (!options_.tls_authority.empty()) {
    auto tls = transport::make_tls_client(options_.tls_authority);
    if (!tls) return tl::unexpected(std::move(tls.error()));
    tls_ = std::move(*tls);
  }
  if (auto host = transport::host_identity()) host_ = std::move(*host);
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return errno_failure(errno, "epoll");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWakeTag;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_->fd(), &event) != 0)
    return errno_failure(errno, "epoll_ctl");
  now_ = next_tick_ = dispatcher_retry_at_ = clock_.monotonic_now();
  next_ping_ = now_ + kPing;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  return ok();
}

Result<ReaderLoop::Welcomed> ReaderLoop::wait_welcome(std::stop_token stop) {
  MutexLock lock(mutex_);
  const bool came = changed_.wait_for(mutex_, stop, options_.connect_timeout,
                                      [this] { return outcome_.has_value(); });
  if (!came && stop.stop_requested())
    return failure(ErrorCode::kCancelled, "stopped before dispatcher " + options_.dispatcher + " answered");
  if (!came)
    return failure(ErrorCode::kTimedOut, "dispatcher " + options_.dispatcher + " does not answer");
  return *outcome_;
}

void ReaderLoop::run(const std::stop_token& stop) {
  connect_dispatcher();
  while (!stop.stop_requested()) turn(stop);
  // What the user has is acknowledged, so that nobody makes it again.
  tell_progress();
  if (dispatcher_.connected()) static_cast<void>(dispatcher_.flush());
}

void ReaderLoop::turn(const std::stop_token& stop) {
  std::array<epoll_event, kEventsPerCall> ready;
  const auto left = std::chrono::ceil<milliseconds>(next_tick_ - clock_.monotonic_now());
  const int wait = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kTick.count()));
  const int count = ::epoll_wait(epoll_.get(), ready.data(), kEventsPerCall, wait);
  if (stop.stop_requested()) return;
  now_ = clock_.monotonic_now();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<std::size_t>(i)];
    if (event.data.u64 == kWakeTag) static_cast<void>(wake_->take());
    else if (event.data.u64 == kDispatcherTag) serve_dispatcher(event.events);
    else serve_stream(event.data.u64, event.events);
  }
  place_arrivals();
  tell_progress();
  grant_credit();
  if (now_ >= next_tick_) tick();
  flush_streams();
  publish_counts();
}

void ReaderLoop::flush_streams() {
  for (auto& [id, stream] : streams_) {
    WorkerStream& each = *stream;
    if (!each.link().connected()) continue;
    if (auto flushed = each.link().flush(); !flushed) lose_stream(each, flushed.error());
    else watch(each.link(), each.id());
  }
}

void ReaderLoop::serve_dispatcher(std::uint32_t events) {
  if (!dispatcher_.started()) return;
  DispatcherSink sink(*this);
  if (auto served = dispatcher_.serve(events, sink, now_); !served)
    lose_dispatcher(served.error());
  else
    watch(dispatcher_, kDispatcherTag);
}

void ReaderLoop::serve_stream(std::uint64_t id, std::uint32_t events) {
  for (auto& [worker, stream] : streams_) {
    if (stream->id() != id || !stream->link().started()) continue;
    if (auto served = stream->serve(events, now_); !served) lose_stream(*stream, served.error());
    else watch(stream->link(), id);
    return;
  }
}

Status ReaderLoop::on_dispatcher_frame(const FrameView& frame) {
  if (frame.header.kind == FrameKind::kRefuse) {
    auto refusal = read_refusal(frame);
    if (!refusal) return tl::unexpected(std::move(refusal.error()));
    fail({refusal->code, "dispatcher " + options_.dispatcher + ": " + refusal->message});
    return failure(refusal->code, refusal->message);
  }
  if (!welcomed_) return on_welcome(frame);
  switch (frame.header.kind) {
    case FrameKind::kWorkers: {
      auto workers = read_workers(frame);
      if (!workers) return tl::unexpected(std::move(workers.error()));
      set_workers(workers->workers);
      return ok();
    }
    case FrameKind::kFailed: return on_failed(frame);
    default: return ok();                                // ping, and what later versions add
  }
}

Status ReaderLoop::on_welcome(const FrameView& frame) {
  auto welcome = read_reader_welcome(frame);
  if (!welcome) return tl::unexpected(std::move(welcome.error()));
  welcomed_ = true;
  if (feed_ != nullptr) {
    if (welcome->feed != feed_->feed || welcome->schema != feed_->description->schema) {
      fail({ErrorCode::kUnavailable, "the dispatcher came back with another feed"});
      return failure(ErrorCode::kUnavailable, "another feed");
    }
    if (welcome->generation != feed_->generation) {
      // Data streams of the generation before are refused from now on.
      feed_->generation = welcome->generation;
      streams_.clear();
    }
    set_workers(welcome->workers);
    return ok();
  }
  auto feed = std::make_unique<FeedState>();
  feed->description = std::make_shared<FeedDescription>(
      FeedDescription{welcome->schema, welcome->batch_size, welcome->batches_per_epoch,
                      welcome->epochs});
  feed->feed = welcome->feed;
  feed->generation = welcome->generation;
  feed->token = options_.token;
  feed->order = {options_.rank, options_.ranks, welcome->batches_per_epoch, welcome->epochs};
  feed->body_bytes = transport::layout(welcome->schema, welcome->batch_size)->body_bytes;
  feed->place_bytes = transport::place_bytes(feed->body_bytes);
  const std::uint64_t chunk = chunk_bytes_for(options_.memory_bytes, feed->body_bytes);
  const std::uint64_t told = std::min(feed->place_bytes, options_.memory_bytes / 16);
  feed->ledger = std::make_shared<Ledger>(
      chunk == 0 ? told : std::max(chunk, options_.memory_bytes / 64), wake_);
  feed->bodies = std::make_shared<transport::SlabPool>(feed->place_bytes);
  if (chunk != 0) feed->chunks = std::make_shared<transport::SlabPool>(chunk);
  feed_ = std::move(feed);
  window_.emplace(feed_->order, options_.from);
  if (window_->ended()) handover_.finish(std::nullopt);
  set_workers(welcome->workers);
  const MutexLock lock(mutex_);
  outcome_ = Welcomed{feed_->description, feed_->order};
  changed_.notify_all();
  return ok();
}

Status ReaderLoop::on_failed(const FrameView& frame) {
  auto failed = read_failed(frame);
  if (!failed) return tl::unexpected(std::move(failed.error()));
  if (!feed_->order.contains(failed->unit)) return ok();
  Arrival arrival{.header = frame.header};
  Error error{ErrorCode::kIo, "dispatcher, " + to_string(failed->unit) + ": " + failed->message};
  arrival.failed = std::make_shared<FailedUnit>(
      FailedUnit{failed->unit, std::move(failed->samples), failed->worker, std::move(error)});
  feed_->arrived.push_back(std::move(arrival));
  return ok();
}

void ReaderLoop::connect_dispatcher() {
  transport::ReaderHello hello{options_.token, options_.rank, options_.ranks, options_.feed,
                               options_.pipeline, options_.from, 0};
  if (feed_ != nullptr) {
    hello.generation = feed_->generation;
    hello.from = told_ ? window_->order().after(*told_) : options_.from;
  }
  welcomed_ = false;
  if (auto started = dispatcher_.start(dispatcher_endpoint_, tls_.get(), frame_of(hello), now_);
      !started)
    lose_dispatcher(started.error());
  else
    watch(dispatcher_, kDispatcherTag);
}

void ReaderLoop::lose_dispatcher(const Error& why) {
  dispatcher_.close();
  welcomed_ = false;
  last_trouble_ = "dispatcher " + options_.dispatcher + ": " + why.message;
  // The first time, whoever opens the reader hears it; later there may be data for a while.
  if (feed_ == nullptr) fail({why.code, last_trouble_});
  dispatcher_retry_at_ = now_ + kRetry * 2;
}

void ReaderLoop::set_workers(const std::vector<transport::WorkerPlace>& workers) {
  const auto same = [](const WorkerStream& stream, const transport::WorkerPlace& place) {
    return stream.place() == place;
  };
  std::erase_if(streams_, [&](const auto& entry) {
    return std::none_of(workers.begin(), workers.end(),
                        [&](const auto& place) { return same(*entry.second, place); });
  });
  std::vector<WorkerStream*> added;
  for (const transport::WorkerPlace& place : workers) {
    auto& stream = streams_[place.id];
    if (stream != nullptr) continue;
    stream = std::make_unique<WorkerStream>(*feed_, place, next_stream_id_++);
    added.push_back(stream.get());
  }
  for (WorkerStream* stream : added) connect_stream(*stream);
}

void ReaderLoop::connect_stream(WorkerStream& stream) {
  const transport::WorkerPlace& place = stream.place();
  // Each second try goes the other way, should this one lead nowhere.
  const bool local = options_.local == LocalPath::kWhenPossible && !place.local.empty() &&
                     place.host == host_ && stream.failures % 2 == 0;
  const std::uint64_t target = target_bytes();
  const std::uint64_t credit =
      std::max(std::min(target, free_bytes()) / feed_->place_bytes, std::uint64_t{1}) *
      feed_->place_bytes;
  auto endpoint = transport::parse_endpoint(local ? "unix:" + place.local : place.address);
  auto started = endpoint ? stream.start(*endpoint, tls_.get(), credit, now_)
                          : Status(tl::unexpected(endpoint.error()));
  if (!started)
    lose_stream(stream, started.error());
  else
    watch(stream.link(), stream.id());
}

void ReaderLoop::lose_stream(WorkerStream& stream, const Error& why) {
  last_trouble_ = "worker " + std::to_string(stream.place().id) + " (" + stream.place().address +
                  "): " + why.message;
  stream.failures = stream.open() ? 0 : stream.failures + 1;
  const milliseconds pause = std::min(kRetry * (1 << std::min(stream.failures, 5)), kLongestRetry);
  // Late batches of this connection must not count for the next one, so that has another id.
  const transport::WorkerPlace place = stream.place();
  const int failures = stream.failures;
  auto next = std::make_unique<WorkerStream>(*feed_, place, next_stream_id_++);
  next->failures = failures;
  next->retry_at = now_ + pause;
  stream.close();
  lost_.push_back(std::exchange(streams_[place.id], std::move(next)));
}

void ReaderLoop::place_arrivals() {
  if (feed_ == nullptr || feed_->arrived.empty()) return;
  for (Arrival& arrival : feed_->arrived) {
    const bool failed = arrival.failed != nullptr;
    const bool arena = arrival.in_arena;
    if (!window_->add(std::move(arrival), ready_)) ++counted_.duplicates;
    else if (failed) ++counted_.failed;
    else if (arena) ++counted_.arena;
  }
  feed_->arrived.clear();
  publish_counts();                         // before anyone can see these batches
  handover_.push(ready_);
  if (window_->ended()) handover_.finish(std::nullopt);
}

void ReaderLoop::tell_progress() {
  if (feed_ == nullptr || !welcomed_) return;
  const Handover::Progress progress = handover_.progress();
  if (!progress.taken || progress.taken == told_) return;
  told_ = progress.taken;
  dispatcher_.queue(frame_of(
      transport::Ack{feed_->feed, feed_->generation, window_->order().after(*told_)}));
  if (auto flushed = dispatcher_.flush(); !flushed) lose_dispatcher(flushed.error());
  else watch(dispatcher_, kDispatcherTag);
}

void ReaderLoop::grant_credit() {
  if (feed_ == nullptr) return;
  const Handover::Progress progress = handover_.progress();
  const std::uint64_t target = target_bytes();
  std::uint64_t free = free_bytes();
  for (auto& [id, stream] : streams_) {
    if (!stream->open()) continue;
    stream->give_back_places();
    free -= stream->grant(target, free);
    if (progress.waiting && !window_->ended()) stream->grant_only(window_->next());
  }
}

// Of the memory that neither holds a body nor is promised to a worker.
std::uint64_t ReaderLoop::free_bytes() const {
  std::uint64_t used = feed_->ledger->held_bytes();
  for (const auto& [id, stream] : streams_) used += stream->potential();
  const std::uint64_t all = target_bytes() * std::max<std::size_t>(streams_.size(), 1);
  return all > used ? all - used : 0;
}

// What each worker has in all: at least a body, and one body of all stays for a unit that is waited for.
std::uint64_t ReaderLoop::target_bytes() const {
  const std::uint64_t workers = std::max<std::size_t>(streams_.size(), 1);
  const std::uint64_t body = feed_->place_bytes;
  const std::uint64_t memory = options_.memory_bytes > body ? options_.memory_bytes - body : 0;
  return std::max<std::uint64_t>(memory / workers / body, 1) * body;
}

void ReaderLoop::tick() {
  next_tick_ = now_ + kTick;
  lost_.clear();
  if (!dispatcher_.started() && feed_ != nullptr && now_ >= dispatcher_retry_at_)
    connect_dispatcher();
  std::vector<WorkerStream*> waiting;
  std::vector<WorkerStream*> late;
  for (auto& [id, stream] : streams_) {
    const Link& link = stream->link();
    if (!link.started() && now_ >= stream->retry_at) waiting.push_back(stream.get());
    if (link.started() && !stream->open() && now_ - link.started_at() > options_.connect_timeout)
      late.push_back(stream.get());
    if (stream->open() && stream->link().input().in_frame() && now_ - link.heard_at() > kStalled)
      late.push_back(stream.get());
  }
  for (WorkerStream* stream : waiting) connect_stream(*stream);
  for (WorkerStream* stream : late)
    lose_stream(*stream, {ErrorCode::kTimedOut, stream->open() ? "stopped in the middle of a batch"
                                                               : "does not answer"});
  if (now_ >= next_ping_) {
    next_ping_ = now_ + kPing;
    // Also while a worker makes the index, before the welcome.
    if (dispatcher_.connected()) dispatcher_.queue(sign_of_life());
    for (auto& [id, stream] : streams_)
      if (stream->open()) stream->link().queue(transport::ping_frame());
    if (dispatcher_.connected()) serve_dispatcher(0);
  }
  check_patience();
}

// How much of the time since the last one was spent waiting, in thousandths.
std::string ReaderLoop::sign_of_life() {
  if (!welcomed_) return transport::ping_frame();
  const std::chrono::nanoseconds wait = handover_.wait();
  const std::int64_t passed = std::max<std::int64_t>((now_ - wait_told_at_).count(), 1);
  const std::int64_t permille = std::min<std::int64_t>((wait - wait_told_).count() * 1000 / passed, 1000);
  wait_told_ = wait;
  wait_told_at_ = now_;
  document::Value values = document::make_object();
  values.set("wait_permille", document::make_integer(permille));
  return transport::frame_of(transport::Statistics{std::move(values)});
}

void ReaderLoop::check_patience() {
  if (feed_ == nullptr) return;
  const Handover::Progress progress = handover_.progress();
  if (!progress.waiting || now_ - progress.waiting_since < options_.patience) return;
  if (welcomed_ && open_streams() != 0) return;
  fail({ErrorCode::kUnavailable, "no batch: " + (last_trouble_.empty() ? "there is no worker"
                                                                       : last_trouble_)});
}

void ReaderLoop::fail(Error why) {
  {
    const MutexLock lock(mutex_);
    if (!outcome_) outcome_ = tl::unexpected(why);
    changed_.notify_all();
  }
  handover_.finish(std::move(why));
}

void ReaderLoop::watch(Link& link, std::uint64_t tag) {
  const std::uint32_t wanted = link.wanted_events();
  if (wanted == link.watched) return;
  epoll_event event{};
  event.events = wanted;
  event.data.u64 = tag;
  ::epoll_ctl(epoll_.get(), link.watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, link.fd(), &event);
  link.watched = wanted;
}

std::uint32_t ReaderLoop::open_streams() const {
  return static_cast<std::uint32_t>(
      std::count_if(streams_.begin(), streams_.end(),
                    [](const auto& entry) { return entry.second->open(); }));
}

void ReaderLoop::publish_counts() {
  if (feed_ == nullptr) return;
  ReaderStatistics counts;
  counts.duplicates = counted_.duplicates;
  counts.failed_units = counted_.failed;
  counts.arena_batches = counted_.arena;
  counts.held_back = window_->held_back();
  counts.workers = open_streams();
  counts.memory_bytes = feed_->ledger->held_bytes();
  const MutexLock lock(mutex_);
  published_ = counts;
}

ReaderStatistics ReaderLoop::statistics() const {
  ReaderStatistics counts;
  {
    const MutexLock lock(mutex_);
    counts = published_;
  }
  counts.ready = handover_.ready();
  counts.wait = handover_.wait();
  return counts;
}

}  // namespace evener::data::client
