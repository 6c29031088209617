// The engine's loop. Private to engine.
//
// Used by:  engine.
// Threads:  as engine.h says.
// Fails:    step() when the store cannot be read or written just now; the next one tries again.
#pragma once

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "training/engine/engine.h"
#include "training/engine/inbox.h"

namespace evener::engine {

class Loop final : public Engine {
 public:
  Loop(EngineOptions options, store::Store& store, const Clock& clock);
  ~Loop() override;

  // Connects the backend and takes over the jobs that the store calls active.
  Status open(const std::function<Result<std::unique_ptr<backends::Backend>>(
                  backends::EventSink)>& make_backend);

  void post(jobs::JobEvent event) override;
  void commit(std::vector<jobs::JobEvent> events, CommitAnswer done) override;
  void wake() override { inbox_.wake(); }
  Result<bool> step(std::chrono::milliseconds wait) override;
  void run(std::stop_token stop) override;
  std::size_t active_jobs() const override { return jobs_.size(); }

 private:
  Result<bool> turn(std::chrono::milliseconds wait, std::stop_token stop);
  Result<bool> settle();
  void gather_requests();
  std::chrono::milliseconds wait_at_most(std::chrono::milliseconds wait) const;
  bool backing_off() const;

  // Makes `queue_` and `requests_` durable; on failure the queue stays as it is and is tried again
  // later, the requests are answered.
  Status commit_queue();
  void report_refusals(const std::vector<Status>& answers, std::size_t count);
  static void answer(std::vector<CommitRequest> requests, const Result<std::vector<Status>>& answers,
                     std::size_t first);
  void release_ended();
  // Takes in what the store has gained, from whatever process.
  Result<bool> refresh();
  void absorb(const jobs::JobEvent& event);
  void absorb_into(jobs::TrainingJob& job, const jobs::JobEvent& event);
  void observe_past(const jobs::JobEvent& event);
  void fail_jobs_with_refused_end();

  // What the loop does about an event once it is durable.
  void react(const jobs::TrainingJob& job, const jobs::JobEvent& event);
  void start(const jobs::TrainingJob& job);
  void stop(const jobs::TrainingJob& job);
  void adopt(const jobs::TrainingJob& job);

  void decide();
  // What holds something and the oldest of what waits, in order of creation.
  std::vector<const jobs::TrainingJob*> considered() const;
  // Those that came since the last decision and wait behind its window.
  void refuse_impossible();
  void sort_in(std::uint64_t number, const jobs::TrainingJob& job);
  void carry_out(const scheduling::StartJob& decision);
  void carry_out(const scheduling::KeepPending& decision);
  void carry_out(const scheduling::RefuseJob& decision);

  Status load_active();
  Status failed(Error error);
  void enqueue(const std::string& job, jobs::JobChange change);
  void insert(jobs::TrainingJob job);
  void forget(const std::string& name);
  jobs::TrainingJob* find(const std::string& name);

  const EngineOptions options_;
  store::Store& store_;
  const Clock& clock_;
  Inbox inbox_;
  std::atomic<std::thread::id> turning_{};  // the thread inside step(), whose posts skip the inbox

  std::vector<jobs::JobEvent> queue_;       // not durable yet, in order
  std::vector<CommitRequest> requests_;     // as well
  std::int64_t last_row_ = 0;               // last event taken in
  std::map<std::uint64_t, jobs::TrainingJob> jobs_;  // active ones, in order of creation
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::uint64_t next_number_ = 0;
  std::set<std::uint64_t> launched_;        // of jobs_
  std::set<std::uint64_t> waiting_;         // of jobs_: for their turn, not for their stop
  std::uint64_t first_new_ = 0;             // came since the last decision
  std::set<std::string> released_;          // ended by the backend, the end not durable yet
  std::set<std::string> refused_ends_;
  bool changed_ = true;                     // since the last decision

  std::chrono::milliseconds pause_{0};      // between tries while the store refuses; 0: it works
  MonotonicTime retry_at_{};

  std::unique_ptr<backends::Backend> backend_;  // last: its threads post into the inbox
};

}  // namespace evener::engine
