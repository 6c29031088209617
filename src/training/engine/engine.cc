#include "training/engine/engine.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "training/engine/loop.h"

namespace evener::engine {
namespace {

using namespace std::chrono_literals;
using jobs::JobEvent;
using jobs::TrainingJob;

constexpr std::size_t kInboxEvents = 4096;
constexpr std::size_t kMostQueued = 10'000;   // events that wait for the disk; then backends wait
constexpr std::size_t kPage = 1000;           // events read from the store at once
constexpr int kRounds = 16;                   // of commit and decide in one turn
// How soon events of a process are seen that was killed before it could wake this one.
constexpr auto kPoll = 5000ms;
constexpr auto kFirstPause = 50ms;            // before a refused commit is tried again; doubles
constexpr auto kLongestPause = 2000ms;

jobs::Ended failed_with(std::string reason) {
  return {.status = jobs::JobStatus::kFailed,
          .secondary = jobs::SecondaryStatus::kFailed,
          .failure_reason = std::move(reason)};
}

}  // namespace

// ---- the turn --------------------------------------------------------------------------

Result<bool> Loop::step(std::chrono::milliseconds wait) { return turn(wait, {}); }

void Loop::run(std::stop_token stop) {
  while (!stop.stop_requested()) (void)turn(kPoll, stop);  // failed() has logged and backs off
}

Result<bool> Loop::turn(std::chrono::milliseconds wait, std::stop_token stop) {
  const std::size_t room = kMostQueued - std::min(queue_.size(), kMostQueued);
  for (JobEvent& event : inbox_.take(wait_at_most(wait), room, std::move(stop)))
    queue_.push_back(std::move(event));
  gather_requests();
  if (backing_off()) return false;
  turning_ = std::this_thread::get_id();
  auto moved = settle();
  turning_ = std::thread::id();
  if (!moved) return tl::unexpected<Error>(failed(std::move(moved.error())).error());
  pause_ = 0ms;
  return moved;
}

// Commits, takes in, decides, until nothing follows from what happened.
Result<bool> Loop::settle() {
  bool moved = false;
  if (pause_ > 0ms) {  // a commit that seemed to fail may be durable: look before trying again
    const auto gained = refresh();
    if (!gained) return tl::unexpected<Error>(gained.error());
    moved = *gained;
  }
  for (int round = 0; round < kRounds; ++round) {
    gather_requests();  // those that came meanwhile share the sync of what was decided
    RETURN_IF_ERROR(commit_queue());
    const auto gained = refresh();
    if (!gained) return tl::unexpected<Error>(gained.error());
    moved = moved || *gained;
    fail_jobs_with_refused_end();
    if (queue_.empty() && changed_) decide();
    if (queue_.empty()) break;
  }
  return moved;
}

void Loop::gather_requests() {
  for (CommitRequest& request : inbox_.take_requests()) requests_.push_back(std::move(request));
}

std::chrono::milliseconds Loop::wait_at_most(std::chrono::milliseconds wait) const {
  if (pause_ > 0ms) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(retry_at_ - clock_.monotonic_now());
    return std::clamp(left, 0ms, std::max(wait, 0ms));
  }
  const bool idle = queue_.empty() && requests_.empty() && !changed_;
  return idle ? std::min<std::chrono::milliseconds>(wait, kPoll) : 0ms;
}

bool Loop::backing_off() const { return pause_ > 0ms && clock_.monotonic_now() < retry_at_; }

Status Loop::failed(Error error) {
  if (pause_ == 0ms)
    log_line(LogLevel::kError, "engine", "the store refuses; trying again until it does not",
             {{"error", error.message}, {"waiting_events", std::to_string(queue_.size())}});
  pause_ = pause_ == 0ms ? kFirstPause : std::min<std::chrono::milliseconds>(pause_ * 2, kLongestPause);
  retry_at_ = clock_.monotonic_now() + pause_;
  return tl::unexpected<Error>(std::move(error));
}

// ---- the store -------------------------------------------------------------------------

Status Loop::commit_queue() {
  if (queue_.empty() && requests_.empty()) return ok();
  release_ended();
  const auto own = static_cast<std::ptrdiff_t>(queue_.size());
  for (CommitRequest& request : requests_)
    queue_.insert(queue_.end(), std::make_move_iterator(request.events.begin()),
                  std::make_move_iterator(request.events.end()));
  const auto answers = store_.commit(queue_);
  if (answers) {
    report_refusals(*answers, static_cast<std::size_t>(own));
    queue_.clear();
  } else {
    queue_.erase(queue_.begin() + own, queue_.end());
  }
  answer(std::exchange(requests_, {}), answers, static_cast<std::size_t>(own));
  if (!answers) return tl::unexpected<Error>(answers.error());
  return ok();
}

// Of the first `count` of what is queued: those that are no request's.
void Loop::report_refusals(const std::vector<Status>& answers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (answers[i]) continue;
    log_line(LogLevel::kWarning, "engine", "an event was refused",
             {{"job", queue_[i].job},
              {"kind", kind_of(queue_[i].change)},
              {"error", answers[i].error().message}});
    if (std::holds_alternative<jobs::Ended>(queue_[i].change)) refused_ends_.insert(queue_[i].job);
  }
}

void Loop::answer(std::vector<CommitRequest> requests, const Result<std::vector<Status>>& answers,
                  std::size_t first) {
  for (const CommitRequest& request : requests) {
    const std::size_t count = request.events.size();
    if (!answers) {
      request.done(tl::unexpected<Error>(answers.error()));
      continue;
    }
    const auto begin = answers->begin() + static_cast<std::ptrdiff_t>(first);
    request.done(std::vector<Status>(begin, begin + static_cast<std::ptrdiff_t>(count)));
    first += count;
  }
}

// Before its end is durable, so that a crash between the two leaves a job that is adopted and
// released again, never one whose remains nobody looks for.
void Loop::release_ended() {
  for (const JobEvent& event : queue_) {
    if (!std::holds_alternative<jobs::Ended>(event.change)) continue;
    const TrainingJob* job = find(event.job);
    if (!job || !job->launched || !released_.insert(event.job).second) continue;
    TrainingJob ended = *job;
    for (const JobEvent& queued : queue_)  // refusals are dealt with after the commit
      if (queued.job == event.job) (void)jobs::apply(ended, queued);
    if (Status status = backend_->release(ended); !status)
      log_line(LogLevel::kWarning, "engine", "could not free what a job held",
               {{"job", event.job}, {"error", status.error().message}});
  }
}

Result<bool> Loop::refresh() {
  bool gained = false;
  while (true) {
    const auto page = store_.events_after(last_row_, kPage);
    if (!page) return tl::unexpected<Error>(page.error());
    for (const store::StoredEvent& stored : *page) {
      last_row_ = stored.row;
      absorb(stored.event);
    }
    gained = gained || !page->empty();
    if (page->size() < kPage) break;
  }
  changed_ = changed_ || gained;
  return gained;
}

void Loop::absorb(const JobEvent& event) {
  if (TrainingJob* job = find(event.job)) return absorb_into(*job, event);
  if (!std::holds_alternative<jobs::Submitted>(event.change)) return observe_past(event);
  auto job = jobs::create(event);
  if (!job) return;  // the store accepts none that this refuses
  if (options_.observer) options_.observer(event, *job);
  insert(std::move(*job));
}

void Loop::absorb_into(TrainingJob& job, const JobEvent& event) {
  if (Status status = jobs::apply(job, event); !status) {
    log_line(LogLevel::kError, "engine", "the store holds an event that its job does not allow",
             {{"job", event.job}, {"error", status.error().message}});
    return;
  }
  if (options_.observer) options_.observer(event, job);
  sort_in(numbers_.at(job.spec.name), job);
  react(job, event);
}

// An event of a job that has ended already: a late notice, its deletion.
void Loop::observe_past(const JobEvent& event) {
  if (!options_.observer) return;
  if (const auto job = store_.find(event.job)) options_.observer(event, *job);
}

// A job whose end is not allowed would never end.
void Loop::fail_jobs_with_refused_end() {
  for (const std::string& name : refused_ends_)
    if (find(name))
      enqueue(name, failed_with("InternalServerError: the job ended in a way that its state does "
                                "not allow; see Evener's log."));
  refused_ends_.clear();
}

// ---- the backend -----------------------------------------------------------------------

void Loop::react(const TrainingJob& job, const JobEvent& event) {
  if (std::holds_alternative<jobs::Launching>(event.change)) return start(job);
  if (std::holds_alternative<jobs::Ended>(event.change)) return forget(event.job);
  // A stop that the supervisor journaled is under way already.
  if (std::holds_alternative<jobs::StopRequested>(event.change) && event.journal_position == 0)
    stop(job);
}

void Loop::start(const TrainingJob& job) {
  if (Status status = backend_->start(job); !status)
    enqueue(job.spec.name, failed_with("InternalServerError: " + status.error().message));
}

void Loop::stop(const TrainingJob& job) {
  if (!job.launched) return enqueue(job.spec.name, jobs::decide_outcome(job));
  backend_->stop(job.spec.name, job.stop->at_once ? backends::StopMode::kAtOnce
                                                  : backends::StopMode::kGraceful);
}

void Loop::adopt(const TrainingJob& job) {
  if (job.launched) {
    Status status = backend_->adopt(job);
    if (!status && status.error().code == ErrorCode::kNotFound)
      start(job);  // the last engine died between the decision and its carrying out
    else if (!status)
      enqueue(job.spec.name, failed_with("InternalServerError: " + status.error().message));
  }
  if (job.stop && job.stop->cause == jobs::StopCause::kUser) stop(job);
}

// ---- decisions -------------------------------------------------------------------------

void Loop::decide() {
  changed_ = false;
  for (const scheduling::Decision& decision : scheduling::decide(considered(), options_.cluster))
    std::visit([this](const auto& one) { carry_out(one); }, decision);
  refuse_impossible();
  first_new_ = next_number_;
}

std::vector<const TrainingJob*> Loop::considered() const {
  std::vector<std::uint64_t> numbers(launched_.begin(), launched_.end());
  auto waiting = waiting_.begin();
  for (std::size_t i = 0; i < scheduling::kWindowJobs && waiting != waiting_.end(); ++i)
    numbers.push_back(*waiting++);
  std::ranges::sort(numbers);
  std::vector<const TrainingJob*> jobs;
  jobs.reserve(numbers.size());
  for (const std::uint64_t number : numbers) jobs.push_back(&jobs_.at(number));
  return jobs;
}

void Loop::refuse_impossible() {
  if (waiting_.size() <= scheduling::kWindowJobs) return;
  const std::uint64_t behind = *std::next(waiting_.begin(), scheduling::kWindowJobs);
  const auto first = waiting_.lower_bound(std::max(behind, first_new_));
  for (auto at = first; at != waiting_.end(); ++at) {
    const TrainingJob& job = jobs_.at(*at);
    if (auto reason = scheduling::refusal(job, options_.cluster))
      carry_out(scheduling::RefuseJob{job.spec.name, std::move(*reason)});
  }
}

void Loop::carry_out(const scheduling::StartJob& decision) {
  const TrainingJob* job = find(decision.job);
  enqueue(decision.job, jobs::Launching{jobs::place_instances(job->spec)});
}

void Loop::carry_out(const scheduling::KeepPending& decision) {
  if (find(decision.job)->pending_reason != decision.reason)
    enqueue(decision.job, jobs::PendingReasonChanged{decision.reason});
}

void Loop::carry_out(const scheduling::RefuseJob& decision) {
  enqueue(decision.job, failed_with("ClientError: " + decision.reason));
}

// ---- opening and bookkeeping -----------------------------------------------------------

Loop::Loop(EngineOptions options, store::Store& store, const Clock& clock)
    : options_(std::move(options)), store_(store), clock_(clock), inbox_(kInboxEvents) {}

Loop::~Loop() {
  inbox_.close();  // frees the backend's threads, so that they can be joined
  backend_.reset();
  gather_requests();
  answer(std::move(requests_), failure(ErrorCode::kUnavailable, "the engine has ended"), 0);
}

Status Loop::open(const std::function<Result<std::unique_ptr<backends::Backend>>(
                      backends::EventSink)>& make_backend) {
  RETURN_IF_ERROR(load_active());
  auto backend = make_backend([this](JobEvent event) { post(std::move(event)); });
  if (!backend) return tl::unexpected<Error>(backend.error());
  backend_ = std::move(*backend);
  turning_ = std::this_thread::get_id();
  for (const auto& [number, job] : jobs_) adopt(job);
  turning_ = std::thread::id();
  return ok();
}

// The active jobs as of one row: other processes may commit while we read.
Status Loop::load_active() {
  while (true) {
    const auto before = store_.last_row();
    if (!before) return tl::unexpected<Error>(before.error());
    auto active = store_.active();
    if (!active) return tl::unexpected<Error>(active.error());
    const auto after = store_.last_row();
    if (!after) return tl::unexpected<Error>(after.error());
    if (*before != *after) continue;
    last_row_ = *after;
    for (TrainingJob& job : *active) insert(std::move(job));
    return ok();
  }
}

void Loop::post(JobEvent event) {
  if (turning_.load() == std::this_thread::get_id())
    queue_.push_back(std::move(event));
  else
    inbox_.post(std::move(event));
}

void Loop::commit(std::vector<JobEvent> events, CommitAnswer done) {
  CommitRequest request{std::move(events), std::move(done)};
  if (auto refused = inbox_.ask(request)) request.done(tl::unexpected<Error>(std::move(*refused)));
}

void Loop::enqueue(const std::string& job, jobs::JobChange change) {
  queue_.push_back({job, clock_.wall_now(), 0, std::move(change)});
}

void Loop::insert(TrainingJob job) {
  const std::uint64_t number = next_number_++;
  numbers_[job.spec.name] = number;
  sort_in(number, jobs_.emplace(number, std::move(job)).first->second);
}

void Loop::sort_in(std::uint64_t number, const TrainingJob& job) {
  if (job.launched)
    launched_.insert(number);
  else
    launched_.erase(number);
  if (!job.launched && !job.stop)
    waiting_.insert(number);
  else
    waiting_.erase(number);
}

// What is still queued for it belongs to the past: its name may be used again at any time.
void Loop::forget(const std::string& name) {
  std::erase_if(queue_, [&](const JobEvent& event) { return event.job == name; });
  released_.erase(name);
  const auto number = numbers_.find(name);
  launched_.erase(number->second);
  waiting_.erase(number->second);
  jobs_.erase(number->second);
  numbers_.erase(number);
}

TrainingJob* Loop::find(const std::string& name) {
  const auto number = numbers_.find(name);
  return number == numbers_.end() ? nullptr : &jobs_.at(number->second);
}

Result<std::unique_ptr<Engine>> make_engine(
    EngineOptions options, store::Store& store, const Clock& clock,
    const std::function<Result<std::unique_ptr<backends::Backend>>(backends::EventSink)>&
        make_backend) {
  auto loop = std::make_unique<Loop>(std::move(options), store, clock);
  RETURN_IF_ERROR(loop->open(make_backend));
  return loop;
}

}  // namespace evener::engine
