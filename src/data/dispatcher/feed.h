// One feed of a dispatcher: its pipeline, its readers by rank, the workers that can serve it, and
// the leases between them. Says what is to be sent, to whom; sends through the peers it is given.
//
// Used by:  dispatcher.cc.
// Threads:  the dispatcher's.
// Fails:    join, ack, ...: kInvalidArgument, kAlreadyExists, kPermissionDenied for the peer that said
//           it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "data/dispatcher/leases.h"
#include "data/dispatcher/snapshot.h"
#include "data/pipeline/pipeline.h"
#include "data/transport/transport.h"

namespace evener::data::dispatcher {

using PeerPointer = std::shared_ptr<transport::Peer>;

// A worker as all feeds see it.
struct KnownWorker {
  WorkerId id = 0;
  PeerPointer peer;
  std::uint32_t threads = 1;
  transport::WorkerPlace place;
  statistics::Worker now{};                // as it last said
  statistics::Worker before{};             // some seconds ago
};
using Workers = std::map<WorkerId, KnownWorker>;

// How a feed stands to one worker.
struct Service {
  std::uint32_t asked = 0;                 // Feed messages without an answer yet
  bool ready = false;
  std::string error{};
};

class Feed {
 public:
  Feed(std::uint32_t id, std::string name, pipeline::Definition definition);

  std::uint32_t id() const { return id_; }
  const std::string& name() const { return name_; }
  const std::string& fingerprint() const { return fingerprint_; }
  bool has_readers() const { return !readers_.empty(); }
  std::optional<MonotonicTime> idle_since() const { return idle_since_; }

  // A reader that said hello with this feed's pipeline. It is welcomed once a worker is ready.
  Status join(const PeerPointer& peer, const transport::ReaderHello& hello, Workers& workers,
              MonotonicTime now);
  void leave(const transport::Peer& peer, MonotonicTime now);
  Status ack(const transport::Peer& peer, const transport::Ack& ack, Workers& workers);
  void note_wait(const transport::Peer& peer, double wait);

  void add_worker(const KnownWorker& worker);           // asks it to get ready
  void remove_worker(WorkerId worker, Workers& workers);
  void ready(WorkerId worker, const transport::FeedReady& answer, Workers& workers);
  void failed(WorkerId worker, const transport::Failed& failed, Workers& workers);
  void give_back(WorkerId worker, const transport::LeaseRange& range, Workers& workers);

  // Readers that wait though nobody will come are refused.
  void tick(const Workers& workers, MonotonicTime now);
  FeedState state() const;
  std::uint64_t open_units(WorkerId worker) const {
    return leases_ ? leases_->open_units(worker) : 0;
  }

 private:
  struct Reader {
    PeerPointer peer;
    transport::Unit from;
    bool welcomed = false;
    MonotonicTime came{};
    std::uint64_t batches = 0;
    double wait = -1;
  };

  Status check_rejoin(const transport::ReaderHello& hello) const;
  void begin_generation(std::uint32_t generation, std::uint32_t ranks, Workers& workers);
  void ask(const KnownWorker& worker);
  void welcome_all(Workers& workers);
  void welcome(std::uint32_t rank, Reader& reader, const Workers& workers);
  void start_leases();
  void tell_workers(const Workers& workers);
  void grant(Workers& workers);
  void refuse_all(const Error& error);
  std::vector<transport::WorkerPlace> places(const Workers& workers) const;
  std::optional<std::uint32_t> rank_of(const transport::Peer& peer) const;
  bool somebody_is_ready() const;
  std::string why_nobody(const Workers& workers) const;

  const std::uint32_t id_;
  const std::string name_;
  const pipeline::Definition definition_;
  const std::string fingerprint_;
  const std::uint64_t body_bytes_;
  std::uint32_t generation_ = 0;
  std::uint32_t ranks_ = 1;
  std::optional<std::uint64_t> samples_;
  std::string index_fingerprint_;
  std::optional<Leases> leases_;           // of the generation, once samples are known
  std::map<std::uint32_t, Reader> readers_;
  std::set<std::uint32_t> used_ranks_;     // that had a reader in this generation
  std::map<WorkerId, Service> services_;
  std::uint64_t failed_units_ = 0;
  std::optional<MonotonicTime> idle_since_;
};

}  // namespace evener::data::dispatcher
