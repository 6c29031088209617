#include "world.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "random_jobs.h"

namespace evener::simulation {
namespace {

using namespace std::chrono_literals;
using enum jobs::SecondaryStatus;

constexpr int kTurnsToSettle = 3000;
constexpr auto kLongerThanAnyPause = 2500ms;

// Which status may follow which.
const std::set<std::pair<jobs::SecondaryStatus, jobs::SecondaryStatus>> kLegalSteps{
    {kStarting, kPending},     {kStarting, kDownloading}, {kStarting, kTraining},
    {kStarting, kUploading},   {kStarting, kFailed},      {kStarting, kStopping},
    {kPending, kStarting},     {kPending, kStopping},     {kPending, kFailed},
    {kDownloading, kTraining}, {kDownloading, kStopping}, {kDownloading, kFailed},
    {kTraining, kUploading},   {kTraining, kStopping},    {kTraining, kFailed},
    {kStopping, kUploading},   {kStopping, kStopped},     {kStopping, kFailed},
    {kUploading, kCompleted},  {kUploading, kFailed},     {kUploading, kStopped},
    {kUploading, kMaxRuntimeExceeded}};

template <class T>
T must(Result<T> result) {
  CHECK(result.has_value(), result.has_value() ? "" : result.error().message);
  return std::move(*result);
}

std::unique_ptr<store::Store> open_home(const std::filesystem::path& home) {
  return must(store::open_store({.home = home, .synchronous = store::Synchronous::kOff}));
}

}  // namespace

World::World(WorldOptions options)
    : options_(std::move(options)),
      random_(options_.seed),
      clock_(from_millis(1'790'000'000'000)),
      cluster_(random_cluster(random_)),
      home_(options_.folder / ("home" + std::to_string(options_.seed))) {
  std::filesystem::remove_all(home_);
  user_ = open_home(home_);
  machine_ = backends::make_scripted_backend(clock_, [](jobs::JobEvent) {});
  if (!options_.faults) options_.faults = [this] { return draw_fault(); };
  boot();
}

World::~World() {
  bury();
  user_.reset();
  std::filesystem::remove_all(home_);
}

// ---- what happens ----------------------------------------------------------------------

void World::live() {
  switch (random_.below(10)) {
    case 0:
    case 1:
      submit();
      break;
    case 2:
      stop_some_job();
      break;
    case 3:
      delete_some_job();
      break;
    case 4:
    case 5:
    case 6:
      pass_time();
      break;
    default:
      break;
  }
  turn_engine();
  if (random_.below(4) == 0) check_jobs();
}

void World::submit() {
  if (alive_.size() >= 12) return;
  const std::string name = "job-" + std::to_string(random_.below(16));
  const jobs::JobSpec spec = random_job(random_, name);
  const std::string arn = name + "#" + std::to_string(++submitted_);
  const jobs::JobEvent event{name, clock_.wall_now(), 0, jobs::Submitted{spec, arn}};
  const auto answers = must(user_->commit({&event, 1}));
  if (answers[0])
    alive_.insert(name);
  else if (!alive_.contains(name) || answers[0].error().code != ErrorCode::kAlreadyExists)
    complain("a new name was refused: " + answers[0].error().message);
}

void World::stop_some_job() {
  if (alive_.empty()) return;
  const auto name = std::next(alive_.begin(), static_cast<std::ptrdiff_t>(random_.below(alive_.size())));
  const jobs::JobEvent event{*name, clock_.wall_now(), 0,
                             jobs::StopRequested{jobs::StopCause::kUser, random_.below(2) == 0}};
  const bool ended = must(user_->find(*name)).ended();
  const auto answers = must(user_->commit({&event, 1}));
  if (answers[0].has_value() == ended) complain("a stop is allowed until the end, not later");
}

void World::delete_some_job() {
  if (alive_.empty()) return;
  const auto name = std::next(alive_.begin(), static_cast<std::ptrdiff_t>(random_.below(alive_.size())));
  const jobs::TrainingJob job = must(user_->find(*name));
  if (job.ended()) check_events(*name);
  const jobs::JobEvent event{*name, clock_.wall_now(), 0, jobs::Deleted{}};
  const auto answers = must(user_->commit({&event, 1}));
  if (answers[0].has_value() != job.ended()) complain("only an ended job can be deleted");
  if (answers[0]) alive_.erase(*name);
}

void World::pass_time() {
  if (const auto due = machine_->next_due(); due && random_.below(2) == 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - clock_.monotonic_now());
    clock_.advance(std::max(left, 0ms));
  } else {
    clock_.advance(std::chrono::milliseconds(random_.below(5000)));
  }
  if (random_.below(20) == 0)  // someone sets the machine's clock back
    clock_.set_wall(clock_.wall_now() - std::chrono::hours(random_.below(48)));
  let_die([this] { machine_->advance(); });
}

void World::turn_engine() {
  let_die([this] { (void)engine_->step(0ms); });
}

void World::settle() {
  faults_on_ = false;
  for (int i = 0; i < kTurnsToSettle && !(all_ended() && engine_->active_jobs() == 0); ++i) {
    clock_.advance(kLongerThanAnyPause);
    machine_->advance();
    turn_engine();
  }
  for (const jobs::TrainingJob& job : must(user_->active()))
    complain(job.spec.name + " never ends: " + jobs::to_json(job));
  if (engine_->active_jobs() != 0) complain("the engine remembers jobs that have ended");
  check_jobs();
  for (const std::string& name : alive_) check_events(name);
  for (const std::string& difference : must(store::verify(*user_))) complain(difference);
}

// ---- life and death of the engine ------------------------------------------------------

void World::boot() {
  seen_positions_.clear();
  let_die([this] {
    disk_ = open_home(home_);
    faulty_ = std::make_unique<FaultyStore>(*disk_, options_.faults);
    engine_ = must(engine::make_engine(
        {.cluster = cluster_,
         .observer = [this](const auto& event, const auto& job) { observe(event, job); }},
        *faulty_, clock_, [this](backends::EventSink sink) {
          machine_->reconnect(std::move(sink));
          return Result<std::unique_ptr<backends::Backend>>(
              std::make_unique<BorrowedBackend>(*machine_, options_.faults, released_));
        }));
  });
}

void World::bury() {
  machine_->reconnect([](jobs::JobEvent) {});
  engine_.reset();
  faulty_.reset();
  disk_.reset();
}

// A crash during `what` ends the engine's process; another takes over.
void World::let_die(const std::function<void()>& what) {
  try {
    what();
  } catch (const Crash&) {
    ++crashes_;
    bury();
    boot();
  }
}

Fault World::draw_fault() {
  if (!faults_on_ || random_.below(12) != 0) return Fault::kNone;
  return static_cast<Fault>(1 + random_.below(4));
}

// ---- the promises ----------------------------------------------------------------------

void World::observe(const jobs::JobEvent& event, const jobs::TrainingJob& job) {
  std::uint64_t& seen = seen_positions_[job.arn];
  if (event.journal_position != 0 && event.journal_position <= seen)
    complain("a journal record of " + event.job + " was seen twice or out of order");
  seen = std::max(seen, event.journal_position);
}

void World::check_jobs() {
  const auto jobs = must(user_->list({.status = std::nullopt, .name_contains = ""}));
  std::set<std::string> names;
  for (const jobs::TrainingJob& job : jobs) {
    names.insert(job.spec.name);
    check_job(job);
  }
  if (names != alive_) complain("the store lists other jobs than were submitted");
  check_capacity(jobs);
}

void World::check_job(const jobs::TrainingJob& job) {
  const std::string& name = job.spec.name;
  for (std::size_t i = 1; i < job.transitions.size(); ++i) {
    const auto step = std::pair(job.transitions[i - 1].status, job.transitions[i].status);
    if (!kLegalSteps.contains(step))
      complain(name + " went from " + std::string(to_string(step.first)) + " to " +
               std::string(to_string(step.second)));
    if (job.transitions[i].start < job.transitions[i - 1].start)
      complain("time runs backwards in " + name);
  }
  std::size_t hosts = 0;
  for (const auto& group : job.spec.groups) hosts += static_cast<std::size_t>(group.count);
  if (job.launched && job.instances.size() != hosts) complain(name + " runs without its gang");
  if (!job.launched && !job.instances.empty()) complain(name + " has instances before its launch");
  if (job.ended() && job.launched && !released_.contains(job.arn))
    complain(name + " has ended but what it held was never released");
  if (job.status == jobs::JobStatus::kFailed && job.failure_reason.empty())
    complain(name + " failed without a reason");
}

void World::check_capacity(const std::vector<jobs::TrainingJob>& jobs) {
  double cpus = 0;
  int running = 0;
  for (const jobs::TrainingJob& job : jobs) {
    if (!job.launched || job.ended()) continue;
    ++running;
    for (const auto& group : job.spec.groups) {
      const double vcpus = group.count * group.shape.vcpus;
      if (job.spec.fit == jobs::Fit::kStrict) cpus += vcpus;
      if (job.spec.fit == jobs::Fit::kScaled) cpus += vcpus * job.spec.fit_scale;
    }
  }
  if (cpus > cluster_.cpus) complain("more vCPUs are given out than there are");
  if (running > cluster_.max_running_jobs) complain("too many jobs run");
}

// Journal records came in exactly once and in order: 1, 2, 3, ...
void World::check_events(const std::string& name) {
  std::uint64_t next = 1;
  for (const store::StoredEvent& stored : must(user_->events_of(name, 0, store::kAllEvents))) {
    if (stored.event.journal_position == 0) continue;
    if (stored.event.journal_position != next++) complain("the journal of " + name + " has gaps");
  }
}

bool World::all_ended() { return must(user_->active()).empty(); }

void World::complain(const std::string& what) { complaints_.push_back(what); }

}  // namespace evener::simulation
