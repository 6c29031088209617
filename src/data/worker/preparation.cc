#include "data/worker/preparation.h"

namespace evener::data::worker {

Preparation::Preparation(const storage::StoreSet& stores, OnReady ready)
    : stores_(stores), ready_(std::move(ready)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Preparation::prepare(transport::Feed feed) {
  const MutexLock lock(mutex_);
  waiting_.push_back(std::move(feed));
  wake_.notify_all();
}

void Preparation::forget(std::uint32_t feed) {
  const MutexLock lock(mutex_);
  std::erase_if(waiting_, [&](const transport::Feed& other) { return other.feed == feed; });
  kept_.erase(feed);
}

void Preparation::run(const std::stop_token& stop) {
  while (true) {
    transport::Feed feed;
    {
      const MutexLock lock(mutex_);
      if (!wake_.wait(mutex_, stop, [this] { return !waiting_.empty(); })) return;
      feed = std::move(waiting_.front());
      waiting_.pop_front();
    }
    auto compiled = compile(feed, stop);
    if (stop.stop_requested()) return;
    ready_(feed, std::move(compiled));
  }
}

Preparation::Compiled Preparation::compile(const transport::Feed& feed,
                                           const std::stop_token& stop) {
  auto definition = pipeline::read_definition(feed.definition);
  if (!definition) return tl::unexpected(std::move(definition.error()));
  std::string fingerprint = pipeline::fingerprint(*definition);
  {
    const MutexLock lock(mutex_);
    const auto found = kept_.find(feed.feed);
    if (found != kept_.end() && found->second.fingerprint == fingerprint)
      return found->second.program;
  }
  auto program = pipeline::Program::compile(std::move(*definition), stores_, stop);
  if (!program) return program;
  const MutexLock lock(mutex_);
  kept_[feed.feed] = {std::move(fingerprint), *program};
  return program;
}

}  // namespace evener::data::worker
