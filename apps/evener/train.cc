#include "base/log.h"
#include "evener/catalog_source.h"
#include "evener/commands.h"
#include "evener/engine_seat.h"
#include "evener/interrupts.h"
#include "evener/isolation.h"
#include "evener/job_view.h"
#include "evener/submission.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kFollowTurn{20};

// The first signal stops the job with its grace period, the second at once.
Status request_stop(const std::string& job, int signals_so_far, const Home& home,
                    store::Store& store, const Clock& clock) {
  const jobs::JobEvent event{
      .job = job, .time = clock.wall_now(),
      .change = jobs::StopRequested{.cause = jobs::StopCause::kUser,
                                    .at_once = signals_so_far > 1}};
  auto committed = store.commit({&event, 1});
  if (!committed) return tl::unexpected(committed.error());
  wake_engine(home);
  return ok();
}

int exit_code_of(const jobs::TrainingJob& job) {
  switch (job.status) {
    case jobs::JobStatus::kCompleted: return kExitDone;
    case jobs::JobStatus::kStopped: return kExitStopped;
    case jobs::JobStatus::kInProgress:
    case jobs::JobStatus::kFailed:
    case jobs::JobStatus::kStopping:
    case jobs::JobStatus::kDeleting: return kExitFailed;
  }
  return kExitFailed;
}

// Shows the job until it has ended and all of it was seen.
Status follow(JobFollower& follower, JobView& view, Interrupts& interrupts, const Home& home,
              store::Store& store, const Clock& clock) {
  const std::string name = follower.job().spec.name;
  int signals = 0;
  for (;;) {
    auto update = follower.poll();
    if (!update) return tl::unexpected(update.error());
    view.show(*update, follower.job());
    if (follower.job().ended() && update->empty()) return ok();
    const int came = update->empty() ? interrupts.wait(kFollowTurn)
                                     : interrupts.wait(std::chrono::milliseconds(0));
    if (came == 0 || follower.job().ended()) continue;
    signals += came;
    RETURN_IF_ERROR(request_stop(name, signals, home, store, clock));
  }
}

int follow_to_the_end(const std::string& name, const TrainOptions& options, const Home& home,
                      os::FileSystem& files, store::Store& store, Interrupts& interrupts,
                      const Clock& clock) {
  auto follower = JobFollower::open(home, store, name);
  if (!follower) return report_error(follower.error(), kExitFailed);
  auto view = make_job_view(options.shared.form, clock);
  if (auto followed = follow(**follower, *view, interrupts, home, store, clock); !followed)
    return report_error(followed.error(), kExitFailed);
  auto catalog = load_catalog(home, files);
  if (!catalog) return report_error(catalog.error(), kExitFailed);
  const jobs::TrainingJob& job = (*follower)->job();
  view->finish(summarize(job, *catalog, options.shared.region, clock.wall_now()));
  return exit_code_of(job);
}

// Jobs that this process took over from others go on after it.
void hand_over(const Home& home, sandbox::Isolation isolation, store::Store& store) {
  auto active = store.active();
  if (active && active->empty()) return;
  if (auto started = start_background_engine(home, isolation); !started)
    log_line(LogLevel::kWarning, "engine", "the jobs of this home are left alone",
             {{"error", started.error().message}});
}

}  // namespace

int run_train(const TrainOptions& options) {
  const SystemClock clock;
  auto interrupts = Interrupts::make();
  if (!interrupts) return report_error(interrupts.error(), kExitFailed);
  auto home = open_home(options.shared.home);
  if (!home) return report_error(home.error(), kExitUsage);
  auto files = os::make_real_file_system();
  auto isolation = choose_isolation(options.isolation);
  if (!isolation) return report_error(isolation.error(), kExitUsage);
  auto request = request_text(options, *home, *files, clock.wall_now());
  if (!request) return report_error(request.error(), kExitUsage);
  auto store = store::open_store(home->root);
  if (!store) return report_error(store.error(), kExitUsage);
  auto name = submit(*request, options, *home, *files, **store, clock);
  if (!name) return report_error(name.error(), kExitUsage);

  if (options.waiting == Waiting::kDetach) {
    if (auto started = start_background_engine(*home, *isolation); !started)
      return report_error(started.error(), kExitFailed);
    print(*name + "\n");
    return kExitDone;
  }
  auto seat = EngineSeat::start({.home = *home, .isolation = *isolation}, *files, clock);
  if (!seat) return report_error(seat.error(), kExitFailed);
  if (!(*seat)->taken()) wake_engine(*home);
  const int code = follow_to_the_end(*name, options, *home, *files, **store, *interrupts, clock);
  if ((*seat)->taken()) hand_over(*home, *isolation, **store);
  return code;
}

}  // namespace evener::app
