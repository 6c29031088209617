#include "data/dispatcher/feed.h"

#include <algorithm>

#include "base/log.h"

namespace evener::data::dispatcher {
namespace {

// A reader waits so long for the first worker.
constexpr std::chrono::seconds kWorkerPatience{8};

std::uint64_t body_bytes_of(const pipeline::Definition& definition) {
  const auto layout = transport::layout(schema_of(definition), definition.batch_size);
  return layout ? layout->body_bytes : 0;
}

}  // namespace

Feed::Feed(std::uint32_t id, std::string name, pipeline::Definition definition)
    : id_(id),
      name_(std::move(name)),
      definition_(std::move(definition)),
      fingerprint_(pipeline::fingerprint(definition_)),
      body_bytes_(body_bytes_of(definition_)) {}

// ---- readers -----------------------------------------------------------------------------------

Status Feed::check_rejoin(const transport::ReaderHello& hello) const {
  if (hello.generation != generation_ || hello.ranks != ranks_)
    return failure(ErrorCode::kPermissionDenied,
                   "readers of generation " + std::to_string(hello.generation) + " of feed '" +
                       name_ + "' were replaced by generation " + std::to_string(generation_));
  return ok();
}

Status Feed::join(const PeerPointer& peer, const transport::ReaderHello& hello, Workers& workers,
                  MonotonicTime now) {
  if (hello.ranks == 0 || hello.ranks > kMaxRanks || hello.rank >= hello.ranks)
    return failure(ErrorCode::kInvalidArgument, "rank " + std::to_string(hello.rank) + " of " +
                                                    std::to_string(hello.ranks) + " ranks");
  if (hello.generation != 0 && generation_ != 0) {
    RETURN_IF_ERROR(check_rejoin(hello));
    // Its old connection may not know yet that it is gone.
    if (readers_.contains(hello.rank)) leave(*readers_.at(hello.rank).peer, now);
  } else if (hello.generation != 0) {
    begin_generation(hello.generation, hello.ranks, workers);   // this dispatcher began after them
  } else if (generation_ == 0 || hello.ranks != ranks_ || used_ranks_.contains(hello.rank)) {
    begin_generation(generation_ + 1, hello.ranks, workers);
  }
  idle_since_.reset();
  used_ranks_.insert(hello.rank);
  readers_[hello.rank] = {.peer = peer, .from = hello.from, .came = now};
  for (const auto& [id, worker] : workers)
    if (!services_.contains(id)) ask(worker);
  welcome_all(workers);
  return ok();
}

void Feed::begin_generation(std::uint32_t generation, std::uint32_t ranks, Workers& workers) {
  refuse_all({ErrorCode::kPermissionDenied,
              "a new generation of readers of feed '" + name_ + "' began"});
  generation_ = generation;
  ranks_ = ranks;
  used_ranks_.clear();
  leases_.reset();
  for (auto& [id, service] : services_) service.ready = false;
  for (const auto& [id, worker] : workers) ask(worker);
}

void Feed::refuse_all(const Error& error) {
  for (auto& [rank, reader] : std::exchange(readers_, {})) reader.peer->refuse(error);
}

void Feed::leave(const transport::Peer& peer, MonotonicTime now) {
  const auto rank = rank_of(peer);
  if (!rank) return;
  readers_.erase(*rank);
  if (leases_) leases_->leave(*rank);
  if (readers_.empty()) idle_since_ = now;
}

std::optional<std::uint32_t> Feed::rank_of(const transport::Peer& peer) const {
  for (const auto& [rank, reader] : readers_)
    if (reader.peer->number() == peer.number()) return rank;
  return std::nullopt;
}

Status Feed::ack(const transport::Peer& peer, const transport::Ack& ack, Workers& workers) {
  const auto rank = rank_of(peer);
  if (!rank || ack.generation != generation_ || !leases_) return ok();    // old news
  const Unit before = leases_->next_of(*rank);
  RETURN_IF_ERROR(leases_->ack(*rank, ack.next));
  const Unit after = leases_->next_of(*rank);
  const std::uint64_t epoch_batches = pipeline::batches_per_epoch(definition_, *samples_);
  const std::uint64_t passed =
      (after.epoch - before.epoch) * epoch_batches + after.batch - before.batch;
  readers_.at(*rank).batches += passed / ranks_;
  grant(workers);
  return ok();
}

void Feed::note_wait(const transport::Peer& peer, double wait) {
  if (const auto rank = rank_of(peer)) readers_.at(*rank).wait = wait;
}

void Feed::welcome_all(Workers& workers) {
  if (!somebody_is_ready()) return;
  if (!leases_) start_leases();
  for (auto& [rank, reader] : readers_)
    if (!reader.welcomed) welcome(rank, reader, workers);
  grant(workers);
}

void Feed::welcome(std::uint32_t rank, Reader& reader, const Workers& workers) {
  if (Status joined = leases_->join(rank, reader.from); !joined) {
    reader.peer->refuse(joined.error());
    return;
  }
  reader.welcomed = true;
  reader.peer->send(transport::frame_of(transport::ReaderWelcome{
      .feed = id_,
      .generation = generation_,
      .schema = schema_of(definition_),
      .batch_size = definition_.batch_size,
      .batches_per_epoch = pipeline::batches_per_epoch(definition_, *samples_),
      .epochs = definition_.epochs,
      .workers = places(workers)}));
}

void Feed::start_leases() {
  leases_.emplace(
      LeaseOptions{.ranks = ranks_,
                   .batches_per_epoch = pipeline::batches_per_epoch(definition_, *samples_),
                   .epochs = definition_.epochs,
                   .body_bytes = body_bytes_});
}

// ---- workers -----------------------------------------------------------------------------------

void Feed::add_worker(const KnownWorker& worker) {
  if (has_readers()) ask(worker);
}

void Feed::ask(const KnownWorker& worker) {
  Service& service = services_[worker.id];
  ++service.asked;
  service.ready = false;
  service.error.clear();
  worker.peer->send(transport::frame_of(transport::Feed{.feed = id_,
                                                        .generation = generation_,
                                                        .definition = to_document(definition_),
                                                        .ranks = ranks_}));
}

void Feed::remove_worker(WorkerId worker, Workers& workers) {
  const auto found = services_.find(worker);
  if (found == services_.end()) return;
  const bool was_ready = found->second.ready;
  services_.erase(found);
  if (!was_ready) return;
  if (leases_) leases_->remove_worker(worker);
  tell_workers(workers);
  grant(workers);
}

void Feed::ready(WorkerId worker, const transport::FeedReady& answer, Workers& workers) {
  const auto found = services_.find(worker);
  if (found == services_.end() || found->second.asked == 0) return;
  Service& service = found->second;
  // An answer to an earlier generation says nothing about this one.
  if (--service.asked > 0) return;
  service.error = answer.error;
  if (service.error.empty() && samples_ && index_fingerprint_ != answer.fingerprint)
    service.error = "its data set is another: " + std::to_string(answer.samples) +
                    " samples, fingerprint " + answer.fingerprint.substr(0, 12) + ", not " +
                    std::to_string(*samples_) + ", " + index_fingerprint_.substr(0, 12);
  if (!service.error.empty()) {
    log_line(LogLevel::kWarning, "dispatcher", "a worker cannot serve a feed",
             {{"feed", name_}, {"worker", std::to_string(worker)}, {"why", service.error}});
    return;
  }
  samples_ = answer.samples;
  index_fingerprint_ = answer.fingerprint;
  service.ready = true;
  if (!leases_) start_leases();
  leases_->add_worker(worker, workers.at(worker).threads);
  tell_workers(workers);
  welcome_all(workers);
}

void Feed::tell_workers(const Workers& workers) {
  const std::string frame = transport::frame_of(transport::Workers{places(workers)});
  for (const auto& [rank, reader] : readers_)
    if (reader.welcomed) reader.peer->send(frame);
}

std::vector<transport::WorkerPlace> Feed::places(const Workers& workers) const {
  std::vector<transport::WorkerPlace> places;
  for (const auto& [id, service] : services_)
    if (service.ready && workers.contains(id)) places.push_back(workers.at(id).place);
  return places;
}

bool Feed::somebody_is_ready() const {
  return std::ranges::any_of(services_, [](const auto& one) { return one.second.ready; });
}

void Feed::failed(WorkerId worker, const transport::Failed& failed, Workers& workers) {
  if (failed.generation != generation_ || !leases_) return;
  switch (leases_->failed(worker, failed.attempt, failed.unit)) {
    case Leases::Failure::kStale: return;
    case Leases::Failure::kAgain: return grant(workers);
    case Leases::Failure::kFinal: break;
  }
  ++failed_units_;
  const auto rank = static_cast<std::uint32_t>(failed.unit.batch % ranks_);
  if (const auto reader = readers_.find(rank); reader != readers_.end())
    reader->second.peer->send(transport::frame_of(failed));
}

void Feed::give_back(WorkerId worker, const transport::LeaseRange& range, Workers& workers) {
  if (range.generation != generation_ || !leases_) return;
  leases_->give_back(worker, static_cast<std::uint32_t>(range.first.batch % ranks_));
  grant(workers);
}

void Feed::grant(Workers& workers) {
  if (!leases_) return;
  for (const Grant& grant : leases_->grant()) {
    const auto worker = workers.find(grant.worker);
    if (worker == workers.end()) continue;
    worker->second.peer->send(transport::lease_frame({.feed = id_,
                                                      .generation = generation_,
                                                      .attempt = grant.attempt,
                                                      .first = grant.first,
                                                      .units = grant.units}));
  }
}

// ---- time --------------------------------------------------------------------------------------

void Feed::tick(const Workers& workers, MonotonicTime now) {
  if (readers_.empty() && !idle_since_) idle_since_ = now;   // its first reader was refused
  if (somebody_is_ready()) return;
  const bool asked =
      std::ranges::any_of(services_, [](const auto& one) { return one.second.asked > 0; });
  if (asked) return;                       // somebody makes the index
  const bool all_failed = !services_.empty();
  std::vector<PeerPointer> refused;
  for (const auto& [rank, reader] : readers_)
    if (!reader.welcomed && (all_failed || now - reader.came > kWorkerPatience))
      refused.push_back(reader.peer);
  for (const PeerPointer& peer : refused) {
    peer->refuse({ErrorCode::kUnavailable, why_nobody(workers)});
    leave(*peer, now);
  }
}

std::string Feed::why_nobody(const Workers& workers) const {
  if (services_.empty()) return "no worker is connected; start one with `evener data worker`";
  std::string why = "no worker can serve feed '" + name_ + "'";
  for (const auto& [id, service] : services_)
    if (workers.contains(id)) why += "; " + workers.at(id).place.address + ": " + service.error;
  return why;
}

FeedState Feed::state() const {
  FeedState state{.id = id_,
                  .name = name_,
                  .generation = generation_,
                  .ranks = ranks_,
                  .epochs = definition_.epochs,
                  .samples = samples_.value_or(0),
                  .batches_per_epoch = pipeline::batches_per_epoch(definition_, samples_.value_or(0)),
                  .fingerprint = fingerprint_,
                  .waiting_units = leases_ ? leases_->waiting_units() : 0,
                  .failed_units = failed_units_,
                  .readers = {}};
  for (const auto& [rank, reader] : readers_)
    state.readers.push_back({.rank = rank,
                             .address = reader.peer->address(),
                             .next = reader.welcomed && leases_ ? leases_->next_of(rank) : reader.from,
                             .batches = reader.batches,
                             .wait = reader.wait});
  return state;
}

}  // namespace evener::data::dispatcher
