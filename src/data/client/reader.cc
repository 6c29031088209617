#include <atomic>
#include <utility>

#include "data/client/client.h"
#include "data/client/reader_loop.h"

namespace evener::data::client {
namespace {

class LoopReader final : public Reader {
 public:
  LoopReader(std::unique_ptr<ReaderLoop> loop, ReaderLoop::Welcomed welcomed, Unit from)
      : loop_(std::move(loop)), feed_(std::move(welcomed.description)), order_(welcomed.order) {
    position_ = order_.first(from);
  }
  ~LoopReader() override { close(); }

  const FeedDescription& feed() const override { return *feed_; }

  Result<std::optional<Batch>> next() override {
    failure_.reset();
    if (closed_) return failure(ErrorCode::kCancelled, "the reader is closed");
    auto arrival = loop_->handover().take();
    if (!arrival) return tl::unexpected(std::move(arrival.error()));
    if (!arrival->has_value()) return std::optional<Batch>();
    const transport::FrameHeader& header = (*arrival)->header;
    {
      const MutexLock lock(mutex_);
      position_ = order_.after(header.unit());
      if ((*arrival)->failed == nullptr) {
        ++batches_;
        body_bytes_ += header.body_bytes;
      }
    }
    if ((*arrival)->failed != nullptr) {
      failure_ = *(*arrival)->failed;
      return tl::unexpected<Error>(failure_->error);
    }
    return std::optional<Batch>(Batch(feed_, std::move((*arrival)->body), header));
  }

  bool wait(std::chrono::milliseconds timeout) override {
    return closed_ || loop_->handover().wait_for(timeout);
  }
  const std::optional<FailedUnit>& failed_unit() const override { return failure_; }

  Unit position() const override {
    const MutexLock lock(mutex_);
    return position_;
  }

  ReaderStatistics statistics() const override {
    ReaderStatistics counts = loop_->statistics();
    const MutexLock lock(mutex_);
    counts.batches = batches_;
    counts.body_bytes = body_bytes_;
    return counts;
  }

  void close() override {
    if (closed_.exchange(true)) return;
    loop_->close();
  }

 private:
  const std::unique_ptr<ReaderLoop> loop_;
  const std::shared_ptr<const FeedDescription> feed_;
  const UnitOrder order_;
  std::atomic<bool> closed_{false};
  std::optional<FailedUnit> failure_;       // next()'s own
  mutable Mutex mutex_;
  Unit position_ GUARDED_BY(mutex_);
  std::uint64_t batches_ GUARDED_BY(mutex_) = 0;
  std::uint64_t body_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(ReaderOptions options, const Clock& clock,
                                             std::stop_token stop) {
  auto loop = ReaderLoop::start(options, clock);
  if (!loop) return tl::unexpected(std::move(loop.error()));
  auto welcomed = (*loop)->wait_welcome(std::move(stop));
  if (!welcomed) return tl::unexpected(std::move(welcomed.error()));
  return std::make_unique<LoopReader>(std::move(*loop), std::move(*welcomed), options.from);
}

}  // namespace evener::data::client
