#include "data/transport/data_server.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "data/transport/outgoing_stream.h"
#include "data/transport/server_loop.h"

namespace evener::data::transport {
namespace {

using std::chrono::milliseconds;

// A reader whose machine sleeps or whose process is stopped for a while is not given up at once.
constexpr milliseconds kSilenceLimit{60'000};

class LoopDataServer final : public DataServer {
 public:
  LoopDataServer(DataServerOptions options, ReaderEvents events)
      : options_(std::move(options)), events_(std::move(events)) {}
  ~LoopDataServer() override {
    loop_.reset();
    for (auto& [number, stream] : streams_) stream->end();
  }
  Status open(const Clock& clock);
  std::uint16_t port() const override { return loop_->port(); }

 private:
  Status greet(const ConnectionPointer& connection, const FrameView& frame);
  Result<std::shared_ptr<ArenaMemory>> make_arena(const Connection& connection,
                                                  const StreamHello& hello,
                                                  std::uint64_t place_bytes,
                                                  os::UniqueFd& descriptor) const;
  Status take(const ConnectionPointer& connection, const FrameView& frame);
  void written(const ConnectionPointer& connection);
  void gone(const ConnectionPointer& connection, const Error& why);

  const DataServerOptions options_;
  const ReaderEvents events_;
  std::unordered_map<std::uint64_t, std::shared_ptr<OutgoingStream>> streams_;  // the loop's
  std::unique_ptr<ServerLoop> loop_;
};

Status LoopDataServer::open(const Clock& clock) {
  LoopOptions options;
  options.listen = options_.listen;
  options.silence_limit = kSilenceLimit;
  options.queue_limit_bytes = std::numeric_limits<std::uint64_t>::max();  // credit is the limit
  LoopEvents events;
  events.on_hello = [this](const auto& connection, const auto& frame) {
    return greet(connection, frame);
  };
  events.on_frame = [this](const auto& connection, const auto& frame) {
    return take(connection, frame);
  };
  events.on_written = [this](const auto& connection) { written(connection); };
  events.on_gone = [this](const auto& connection, const auto& why) { gone(connection, why); };
  auto loop = open_server_loop(std::move(options), std::move(events), clock);
  if (!loop) return tl::unexpected(std::move(loop.error()));
  loop_ = std::move(*loop);
  return ok();
}

Status LoopDataServer::greet(const ConnectionPointer& connection, const FrameView& frame) {
  auto hello = read_stream_hello(frame);
  if (!hello) return tl::unexpected(std::move(hello.error()));
  auto shape = events_.on_hello(*hello);
  if (!shape) return tl::unexpected(std::move(shape.error()));
  auto whole = layout(shape->schema, shape->batch_size);
  if (!whole) return tl::unexpected(std::move(whole.error()));
  const std::uint64_t place = place_bytes(whole->body_bytes);
  OutFrame welcome;
  auto arena = make_arena(*connection, *hello, place, welcome.descriptor);
  if (!arena) return tl::unexpected(std::move(arena.error()));
  const std::uint64_t arena_bytes = *arena == nullptr ? 0 : (*arena)->bytes();
  welcome.text = frame_of(StreamWelcome{shape->schema, shape->batch_size, arena_bytes, place});
  auto stream = std::make_shared<OutgoingStream>(
      OutgoingOptions{*hello, place, options_.checksum, *arena, options_.unsent_limit_bytes},
      connection);
  connection->outbox().set_pool(stream->pool());
  connection->send_frame(std::move(welcome));
  streams_.emplace(connection->number(), stream);
  events_.on_reader(stream);
  return ok();
}

// Nothing where the peer is on another host or has room for no place.
Result<std::shared_ptr<ArenaMemory>> LoopDataServer::make_arena(const Connection& connection,
                                                                const StreamHello& hello,
                                                                std::uint64_t place_bytes,
                                                                os::UniqueFd& descriptor) const {
  const std::uint64_t bytes =
      std::min(hello.credit_bytes, options_.arena_limit_bytes) / place_bytes * place_bytes;
  if (connection.facts().medium != Medium::kUnix || bytes == 0)
    return std::shared_ptr<ArenaMemory>();
  return ArenaMemory::create(bytes, descriptor);
}

Status LoopDataServer::take(const ConnectionPointer& connection, const FrameView& frame) {
  auto credit = read_credit(frame);
  if (!credit) return tl::unexpected(std::move(credit.error()));
  const auto found = streams_.find(connection->number());
  if (found == streams_.end()) return ok();
  RETURN_IF_ERROR(found->second->take_credit(*credit));
  // written() follows when all frames that came are read.
  return ok();
}

void LoopDataServer::written(const ConnectionPointer& connection) {
  const auto found = streams_.find(connection->number());
  if (found == streams_.end()) return;
  const std::uint64_t bytes = connection->outbox().take_written_slab_bytes();
  if (found->second->take_written(bytes) && events_.on_credit)
    events_.on_credit(found->second);
}

void LoopDataServer::gone(const ConnectionPointer& connection, const Error& why) {
  const auto found = streams_.find(connection->number());
  if (found == streams_.end()) return;
  const std::shared_ptr<OutgoingStream> stream = std::move(found->second);
  streams_.erase(found);
  stream->end();
  if (events_.on_gone) events_.on_gone(stream, why);
}

}  // namespace

Result<std::unique_ptr<DataServer>> open_data_server(DataServerOptions options, ReaderEvents events,
                                                     const Clock& clock) {
  auto server = std::make_unique<LoopDataServer>(std::move(options), std::move(events));
  RETURN_IF_ERROR(server->open(clock));
  return std::unique_ptr<DataServer>(std::move(server));
}

}  // namespace evener::data::transport
