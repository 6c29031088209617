#include "data/worker/worker.h"

#include <thread>
#include <vector>

#include "base/log.h"
#include "data/worker/compute.h"
#include "data/worker/dispatcher_link.h"
#include "data/worker/preparation.h"
#include "data/worker/unit_queue.h"

namespace evener::data::worker {
namespace {

using transport::FrameKind;
using transport::FrameView;

class RunningWorker final : public Worker {
 public:
  RunningWorker(WorkerOptions options, const storage::StoreSet& stores, const Clock& clock)
      : options_(std::move(options)),
        stores_(stores),
        clock_(clock),
        queue_(clock, options_.threads, {.bytes = kReadAheadBytes, .samples = kReadAheadSamples}) {}

  // Who calls others ends before they do.
  ~RunningWorker() override {
    for (auto& thread : threads_) thread.request_stop();
    threads_.clear();
    if (link_) link_->stop();
    preparation_.reset();
    server_.reset();
  }

  Status start() {
    auto host = transport::host_identity();
    if (!host) return tl::unexpected(std::move(host.error()));
    auto server = transport::open_data_server(
        {.listen = options_.listen, .checksum = options_.checksum}, reader_events(), clock_);
    if (!server) return tl::unexpected(std::move(server.error()));
    server_ = std::move(*server);
    preparation_.emplace(stores_, [this](const transport::Feed& feed, Preparation::Compiled program) {
      on_ready(feed, std::move(program));
    });
    const std::string name = options_.advertise.empty() ? options_.listen.address : options_.advertise;
    const transport::WorkerHello hello{
        .token = options_.listen.token,
        .address = transport::to_string(transport::Endpoint{.host = name, .port = server_->port()}),
        .threads = options_.threads,
        .host = *host,
        .local = options_.listen.local};
    link_.emplace(options_.dispatcher, hello, link_events(), clock_);
    for (std::uint32_t i = 0; i < options_.threads; ++i)
      threads_.emplace_back([this](const std::stop_token& stop) {
        compute(queue_, clock_,
                [this](const Work& work, const transport::Failed& failed) { on_failed(work, failed); },
                stop);
      });
    for (std::uint32_t i = 0; i < options_.read_threads; ++i)
      threads_.emplace_back(
          [this](const std::stop_token& stop) { read_ahead(queue_, clock_, stop); });
    return ok();
  }

  std::uint16_t port() const override { return server_->port(); }
  statistics::Worker statistics() const override { return queue_.statistics(); }
  std::string state() const override { return link_->state(); }

 private:
  transport::ReaderEvents reader_events() {
    using Stream = const std::shared_ptr<transport::Outgoing>&;
    return {.on_hello = [this](const transport::StreamHello& hello) { return queue_.admit(hello); },
            .on_reader = [this](Stream stream) { on_reader(stream); },
            .on_credit = [this](Stream stream) { queue_.credit(stream); },
            .on_gone = [this](Stream stream, const Error&) { queue_.remove_stream(stream); }};
  }

  LinkEvents link_events() {
    return {.on_welcome = [this] { queue_.forget_leases(); },
            .on_frame = [this](const FrameView& frame) { return on_frame(frame); },
            .statistics = [this] {
              return transport::frame_of(
                  transport::Statistics{statistics::to_document(queue_.statistics())});
            }};
  }

  void on_reader(const std::shared_ptr<transport::Outgoing>& stream) {
    if (queue_.add_stream(stream) != UnitQueue::Stream::kSecond) return;
    // What was on its way when the stream broke is leased again, here or elsewhere.
    const transport::StreamHello& hello = stream->hello();
    link_->send(transport::revoke_frame({.feed = hello.feed,
                                         .generation = hello.generation,
                                         .first = {.epoch = 0, .batch = hello.rank}}));
  }

  Status on_frame(const FrameView& frame) {
    switch (frame.header.kind) {
      case FrameKind::kFeed: return on_feed(frame);
      case FrameKind::kLease: {
        auto range = transport::read_lease_range(frame);
        if (!range) return tl::unexpected(std::move(range.error()));
        return queue_.lease(*range);
      }
      case FrameKind::kRevoke: {
        auto range = transport::read_lease_range(frame);
        if (!range) return tl::unexpected(std::move(range.error()));
        queue_.revoke(*range);
        return ok();
      }
      case FrameKind::kPing: return ok();
      case FrameKind::kHello:
      case FrameKind::kWelcome:
      case FrameKind::kRefuse:
      case FrameKind::kWorkers:
      case FrameKind::kAck:
      case FrameKind::kCredit:
      case FrameKind::kData:
      case FrameKind::kFailed:
      case FrameKind::kStatistics: break;
    }
    return failure(ErrorCode::kInvalidArgument,
                   "a dispatcher does not send " + std::string(to_string(frame.header.kind)));
  }

  Status on_feed(const FrameView& frame) {
    auto feed = transport::read_feed(frame);
    if (!feed) return tl::unexpected(std::move(feed.error()));
    if (feed->generation == 0) {
      preparation_->forget(feed->feed);
      queue_.remove_feed(feed->feed);
    } else {
      preparation_->prepare(std::move(*feed));
    }
    return ok();
  }

  // On the thread of the preparation.
  void on_ready(const transport::Feed& feed, Preparation::Compiled program) {
    transport::FeedReady answer;
    answer.feed = feed.feed;
    if (program) {
      answer.samples = (*program)->source().samples();
      answer.fingerprint = (*program)->source().fingerprint();
      queue_.add_feed(feed.feed, feed.generation, feed.ranks, std::move(*program));
    } else {
      answer.error = program.error().message;
      log_line(LogLevel::kWarning, "worker", "cannot serve a feed", {{"why", answer.error}});
    }
    link_->send(transport::frame_of(answer));
  }

  // The dispatcher lets another worker try. While it is away, the reader is told at once.
  void on_failed(const Work& work, transport::Failed failed) {
    failed.worker = link_->worker();
    log_line(LogLevel::kWarning, "worker", "a batch could not be made",
             {{"unit", to_string(failed.unit)}, {"why", failed.message}});
    if (!link_->send(transport::frame_of(failed))) (void)work.stream->fail(failed);
  }

  const WorkerOptions options_;
  const storage::StoreSet& stores_;
  const Clock& clock_;
  UnitQueue queue_;
  std::unique_ptr<transport::DataServer> server_;
  std::optional<Preparation> preparation_;
  std::optional<DispatcherLink> link_;
  std::vector<std::jthread> threads_;
};

}  // namespace

Result<std::unique_ptr<Worker>> Worker::start(WorkerOptions options,
                                              const storage::StoreSet& stores, const Clock& clock) {
  if (options.threads == 0)
    return failure(ErrorCode::kInvalidArgument, "a worker needs a thread at least");
  auto worker = std::make_unique<RunningWorker>(std::move(options), stores, clock);
  RETURN_IF_ERROR(worker->start());
  return worker;
}

}  // namespace evener::data::worker
