// A dispatcher and workers that do as a test says: a feed of numbered bytes.
//
// Used by:  tests of the reader.
// Threads:  the servers' own call what is guarded here; the rest is the test's.
// Fails:    as CHECK.
#pragma once

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "data/client/client.h"
#include "data/transport/transport.h"

namespace evener::data::client {

using transport::Outgoing;
using transport::Unit;

inline std::string unique_name() {
  static std::atomic<int> count{0};
  return "evener-test-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

inline std::byte byte_of(Unit unit) {
  return static_cast<std::byte>((unit.epoch * 31 + unit.batch * 7 + 1) & 0xff);
}

struct FeedScript {
  std::uint32_t row_bytes = 64;
  std::uint32_t batch_size = 16;
  std::uint64_t batches_per_epoch = 100;
  std::uint32_t epochs = 1;
  std::string token{};
  transport::BodyChecksum checksum = transport::BodyChecksum::kNone;
  transport::Schema schema() const {
    return {{{"x", transport::DType::kU8, {row_bytes}}, {"label", transport::DType::kI64, {}}}};
  }
};

// A worker whose readers are served by the test, by hand or by send_all().
class ScriptedWorker {
 public:
  enum class Door { kTcp, kBoth };
  ScriptedWorker(const FeedScript& script, std::uint32_t id, Door door = Door::kTcp)
      : script_(script), id_(id) {
    transport::DataServerOptions options;
    options.listen.token = script.token;
    options.checksum = script.checksum;
    if (door == Door::kBoth) options.listen.local = local_ = unique_name();
    transport::ReaderEvents events;
    events.on_hello = [this](const transport::StreamHello&) -> Result<transport::FeedShape> {
      return transport::FeedShape{script_.schema(), script_.batch_size};
    };
    events.on_reader = [this](const std::shared_ptr<Outgoing>& reader) {
      const MutexLock lock(mutex_);
      readers_.push_back(reader);
      changed_.notify_all();
    };
    events.on_gone = [this](const std::shared_ptr<Outgoing>& reader, const Error&) {
      const MutexLock lock(mutex_);
      std::erase(readers_, reader);
      changed_.notify_all();
    };
    auto server = transport::open_data_server(std::move(options), std::move(events), clock_);
    CHECK(server.has_value(), "a data server on a free port");
    server_ = std::move(*server);
  }
  ~ScriptedWorker() {
    senders_.clear();
    server_.reset();
  }

  transport::WorkerPlace place() const {
    return {id_, "127.0.0.1:" + std::to_string(server_->port()),
            transport::host_identity().value_or(""), local_};
  }
  // Waits for the newest reader.
  std::shared_ptr<Outgoing> reader() {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [this] { return !readers_.empty(); });
    return readers_.back();
  }
  std::size_t readers() {
    const MutexLock lock(mutex_);
    return readers_.size();
  }
  Status send(Outgoing& to, Unit unit, std::stop_token stop = {}, std::uint32_t samples = 0) {
    if (samples == 0) samples = script_.batch_size;
    const auto layout = transport::layout(script_.schema(), samples);
    auto slot = to.reserve(unit, layout->body_bytes, std::move(stop));
    if (!slot) return tl::unexpected(slot.error());
    std::memset(slot->body().data(), static_cast<int>(byte_of(unit)), slot->body().size());
    return to.send({.epoch = unit.epoch, .samples = samples, .batch = unit.batch},
                   std::move(*slot));
  }
  // On a thread of its own, until the last or until the reader is gone.
  void send_all(std::vector<Unit> units) {
    senders_.emplace_back([this, units = std::move(units)](const std::stop_token& stop) {
      const std::shared_ptr<Outgoing> to = reader();
      for (const Unit unit : units)
        if (!send(*to, unit, stop)) return;
    });
  }

 private:
  const SystemClock clock_;
  const FeedScript script_;
  const std::uint32_t id_;
  std::string local_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<Outgoing>> readers_ GUARDED_BY(mutex_);
  std::unique_ptr<transport::DataServer> server_;
  std::vector<std::jthread> senders_;
};

class ScriptedDispatcher {
 public:
  ScriptedDispatcher(const FeedScript& script, std::vector<transport::WorkerPlace> workers,
                     std::uint16_t port = 0)
      : script_(script), workers_(std::move(workers)) {
    transport::ControlServerOptions options;
    options.listen.port = port;
    options.listen.token = script.token;
    transport::ControlEvents events;
    events.on_hello = [this](const auto& peer, const auto& frame) { return greet(peer, frame); };
    events.on_frame = [this](const auto&, const auto& frame) { return take(frame); };
    events.on_gone = [](const auto&, const Error&) {};
    auto server = transport::open_control_server(options, std::move(events), clock_);
    CHECK(server.has_value(), "a control server on a free port");
    server_ = std::move(*server);
  }

  std::uint16_t port() const { return server_->port(); }
  ReaderOptions options() const {
    ReaderOptions options{.dispatcher = "127.0.0.1:" + std::to_string(server_->port())};
    options.token = script_.token;
    return options;
  }
  void send(const std::string& frame) {
    const MutexLock lock(mutex_);
    CHECK(reader_ != nullptr, "a reader said hello");
    reader_->send(frame);
  }
  void wait_ack(Unit next) {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [&] { return acked_ == next; });
  }
  transport::ReaderHello hello() {
    const MutexLock lock(mutex_);
    return hello_;
  }

 private:
  Status greet(const std::shared_ptr<transport::Peer>& peer, const transport::FrameView& frame) {
    auto hello = transport::read_reader_hello(frame);
    if (!hello) return tl::unexpected(hello.error());
    if (hello->feed == "refused") return failure(ErrorCode::kNotFound, "there is no such feed");
    peer->send(frame_of(transport::ReaderWelcome{1, 1, script_.schema(), script_.batch_size,
                                                 script_.batches_per_epoch, script_.epochs,
                                                 workers_}));
    const MutexLock lock(mutex_);
    hello_ = *hello;
    reader_ = peer;
    return ok();
  }
  Status take(const transport::FrameView& frame) {
    auto ack = transport::read_ack(frame);
    if (!ack) return tl::unexpected(ack.error());
    const MutexLock lock(mutex_);
    acked_ = ack->next;
    changed_.notify_all();
    return ok();
  }

  const SystemClock clock_;
  const FeedScript script_;
  const std::vector<transport::WorkerPlace> workers_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<transport::Peer> reader_ GUARDED_BY(mutex_);
  transport::ReaderHello hello_ GUARDED_BY(mutex_);
  Unit acked_ GUARDED_BY(mutex_);
  std::unique_ptr<transport::ControlServer> server_;
};

// The units of one epoch: first, first + step, ...
inline std::vector<Unit> units(std::uint64_t first, std::uint64_t step, std::uint64_t end) {
  std::vector<Unit> list;
  for (std::uint64_t batch = first; batch < end; batch += step) list.push_back({0, batch});
  return list;
}

}  // namespace evener::data::client
