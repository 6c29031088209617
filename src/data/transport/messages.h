// What dispatcher, workers and readers say to each other, and their frames.
//
// Used by:  data/client, data/dispatcher, data/worker.
// Threads:  values and pure functions.
// Fails:    read_...: kInvalidArgument, naming the message and the member.
// Source:   formats/wire.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "data/transport/frame.h"
#include "data/transport/schema.h"

namespace evener::data::transport {

// Who says hello: a reader or a worker to a dispatcher, or a reader's data stream to a worker.
enum class Role { kReader, kWorker, kStream };
std::string_view to_string(Role role);

// What every hello begins with; enough to refuse it.
struct HelloStart {
  Role role = Role::kReader;
  std::string token;                        // "": none
};

struct ReaderHello {                        // reader -> dispatcher
  std::string token;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::string feed;                         // name
  std::optional<document::Value> pipeline;  // its definition; nothing: join the feed that is there
  Unit from;                                // the first batch that is wanted
  std::uint32_t generation = 0;             // not 0: this reader comes back, its connection was lost
};

struct WorkerHello {                        // worker -> dispatcher
  std::string token;
  std::string address;                      // "host:port" of its data server
  std::uint32_t threads = 1;
  std::string host;                         // host_identity()
  std::string local;                        // name of its abstract unix socket; "": none
};

struct StreamHello {                        // reader -> worker
  std::string token;
  std::uint32_t feed = 0;
  std::uint32_t generation = 0;
  std::uint32_t rank = 0;
  std::uint64_t credit_bytes = 0;           // the first credit; on a unix socket the arena's size
};

struct WorkerPlace {
  std::uint32_t id = 0;
  std::string address;
  std::string host;
  std::string local;
  bool operator==(const WorkerPlace&) const = default;
};

struct ReaderWelcome {                      // dispatcher -> reader
  std::uint32_t feed = 0;
  std::uint32_t generation = 0;
  Schema schema;
  std::uint32_t batch_size = 1;
  std::uint64_t batches_per_epoch = 0;      // of all ranks together
  std::uint32_t epochs = 0;                 // 0: without end
  std::vector<WorkerPlace> workers;
};

struct WorkerWelcome {                      // dispatcher -> worker
  std::uint32_t worker = 0;
};

struct StreamWelcome {                      // worker -> reader
  Schema schema;
  std::uint32_t batch_size = 1;
  std::uint64_t arena_bytes = 0;            // 0: bodies travel through the socket
  std::uint64_t place_bytes = 0;            // the arena is cut into places of this size
};

struct Refusal {                            // then the connection is closed
  ErrorCode code = ErrorCode::kPermissionDenied;
  std::string message;
};

struct Workers {                            // dispatcher -> reader: all there are now
  std::vector<WorkerPlace> workers;
};

struct Feed {                               // dispatcher -> worker
  std::uint32_t feed = 0;
  std::uint32_t generation = 0;             // 0 and no ranks: the feed has ended
  document::Value definition;
  std::uint32_t ranks = 1;
};

struct FeedReady {                          // worker -> dispatcher, the answer to Feed
  std::uint32_t feed = 0;
  std::uint64_t samples = 0;                // of an epoch
  std::string fingerprint;                  // of the index
  std::string error;                        // not empty: this worker cannot serve it, and why
};

// dispatcher -> worker. Units of one rank: first, first + ranks, ...; kLease gives them, kRevoke
// takes back those that were not begun.
struct LeaseRange {
  std::uint32_t feed = 0;
  std::uint32_t generation = 0;
  std::uint32_t attempt = 0;
  Unit first;
  std::uint32_t units = 1;
  bool operator==(const LeaseRange&) const = default;
};

struct Ack {                                // reader -> dispatcher: all of its rank before `next`
  std::uint32_t feed = 0;
  std::uint32_t generation = 0;
  Unit next;
  bool operator==(const Ack&) const = default;
};

struct Credit {                             // reader -> worker
  std::uint64_t bytes = 0;                  // padded body bytes that it may send more; or
  std::optional<std::uint64_t> place{};     // offset of a place of the arena that is free again; or
  std::optional<Unit> only{};               // room for one body, of this unit alone
  bool operator==(const Credit&) const = default;
};

// A unit that cannot be made, from worker to reader (who shows it) or to dispatcher.
struct Failed {
  std::uint32_t feed = 0;
  std::uint32_t generation = 0;
  std::uint32_t attempt = 0;
  Unit unit;
  std::uint32_t worker = 0;                 // id by the dispatcher
  std::vector<std::uint64_t> samples;       // indices that failed, at most kMaxFailedSamples
  std::string message;
};
inline constexpr std::size_t kMaxFailedSamples = 256;

struct Statistics {                         // worker -> dispatcher, each second; also a sign of life
  document::Value values;
};

std::string frame_of(const ReaderHello& message);
std::string frame_of(const WorkerHello& message);
std::string frame_of(const StreamHello& message);
std::string frame_of(const ReaderWelcome& message);
std::string frame_of(const WorkerWelcome& message);
std::string frame_of(const StreamWelcome& message);
std::string frame_of(const Refusal& message);
std::string frame_of(const Workers& message);
std::string frame_of(const Feed& message);
std::string frame_of(const FeedReady& message);          // a feed frame of the other direction
std::string lease_frame(const LeaseRange& message);
std::string revoke_frame(const LeaseRange& message);
std::string frame_of(const Ack& message);
std::string frame_of(const Credit& message);
std::string frame_of(const Failed& message);
std::string frame_of(const Statistics& message);
std::string ping_frame();

Result<HelloStart> read_hello_start(const FrameView& frame);
Result<ReaderHello> read_reader_hello(const FrameView& frame);
Result<WorkerHello> read_worker_hello(const FrameView& frame);
Result<StreamHello> read_stream_hello(const FrameView& frame);
Result<ReaderWelcome> read_reader_welcome(const FrameView& frame);
Result<WorkerWelcome> read_worker_welcome(const FrameView& frame);
Result<StreamWelcome> read_stream_welcome(const FrameView& frame);
Result<Refusal> read_refusal(const FrameView& frame);
Result<Workers> read_workers(const FrameView& frame);
Result<Feed> read_feed(const FrameView& frame);
Result<FeedReady> read_feed_ready(const FrameView& frame);
Result<LeaseRange> read_lease_range(const FrameView& frame);
Result<Ack> read_ack(const FrameView& frame);
Result<Credit> read_credit(const FrameView& frame);
Result<Failed> read_failed(const FrameView& frame);
Result<Statistics> read_statistics(const FrameView& frame);

}  // namespace evener::data::transport
