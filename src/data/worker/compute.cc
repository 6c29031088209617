#include "data/worker/compute.h"

namespace evener::data::worker {
namespace {

TaskResult make_rows(const Task& task, pipeline::Lane& lane) {
  const Work& work = *task.work;
  TaskResult result;
  for (std::uint32_t i = 0; i < task.count; ++i) {
    const pipeline::Place place{work.unit, task.first + i};
    auto made = work.program->make(lane, place, work.slot.body(), task.reading.get());
    if (!made) {
      result.error = std::move(made.error());
      result.failed_samples.push_back(work.program->sample_at(lane, place));
      break;
    }
    if (*made == pipeline::Made::kSkipped) result.skipped.push_back(place.slot);
  }
  return result;
}

void deliver(UnitQueue& queue, Work& work, const OnFailed& failed) {
  if (work.error) {
    work.slot = {};                  // the room is free again before anyone hears
    if (work.error->code == ErrorCode::kCancelled) return;
    failed(work, {.feed = work.feed,
                  .generation = work.generation,
                  .attempt = work.attempt,
                  .unit = work.unit,
                  .samples = work.failed_samples,
                  .message = work.error->message});
    return;
  }
  const pipeline::Finished finished =
      work.program->finish(work.unit, work.skipped, work.slot.body());
  const transport::FrameHeader header{.kind = transport::FrameKind::kData,
                                      .feed = work.feed,
                                      .attempt = work.attempt,
                                      .epoch = work.unit.epoch,
                                      .samples = finished.samples,
                                      .batch = work.unit.batch,
                                      .body_bytes = finished.body_bytes,
                                      .generation = work.generation};
  // A reader that is gone comes back or not: its units are leased again by then.
  if (work.stream->send(header, std::move(work.slot))) queue.sent(work, finished.body_bytes);
}

}  // namespace

void compute(UnitQueue& queue, const Clock& clock, const OnFailed& failed,
             const std::stop_token& stop) {
  pipeline::Lane lane(clock);
  while (auto task = queue.next(stop)) {
    TaskResult result = make_rows(*task, lane);
    if (const auto work = queue.finished(std::move(*task), std::move(result), lane))
      deliver(queue, *work, failed);
  }
}

void read_ahead(UnitQueue& queue, const Clock& clock, const std::stop_token& stop) {
  pipeline::Lane lane(clock);
  while (auto order = queue.next_read(stop)) {
    const MonotonicTime begin = clock.monotonic_now();
    const std::uint64_t sample = order->program->sample_at(lane, {order->unit, order->slot});
    Status status = order->program->source().read(sample, *order->reading);
    queue.was_read(std::move(*order), std::move(status), clock.monotonic_now() - begin);
  }
}

}  // namespace evener::data::worker
