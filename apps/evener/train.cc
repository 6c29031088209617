#include <semaphore>

#include "base/log.h"
#include "evener/catalog_source.h"
#include "evener/commands.h"
#include "evener/engine_seat.h"
#include "evener/interrupts.h"
#include "evener/job_view.h"
#include "evener/run_home.h"
#include "evener/stop_on_signal.h"
#include "evener/submission.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kFollowTurn{20};

using News = std::counting_semaphore<>;

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

// Shows the job until it has ended and all of it was seen. `news` is released at every event.
Status follow(JobFollower& follower, JobView& view, News& news) {
  for (;;) {
    auto update = follower.poll();
    if (!update) return tl::unexpected(update.error());
    view.show(*update, follower.job());
    if (!update->empty()) continue;
    if (follower.job().ended()) return ok();
    if (news.try_acquire_for(kFollowTurn))
      while (news.try_acquire()) {
      }
  }
}

int follow_to_the_end(const std::string& name, const TrainOptions& options, const Home& home,
                      os::FileSystem& files, store::Store& store, Interrupts& interrupts,
                      News& news, const Clock& clock) {
  auto follower = JobFollower::open(home, store, name);
  if (!follower) return report_error(follower.error(), kExitFailed);
  auto stopper = StopOnSignal::start(home, name, interrupts, clock);
  if (!stopper) return report_error(stopper.error(), kExitFailed);
  auto view = make_job_view(options.shared.form, clock);
  if (auto followed = follow(**follower, *view, news); !followed)
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
  auto opened = open_run_home(options.shared, "");
  if (!opened) return report_error(opened.error(), kExitUsage);
  auto& [home, files, isolation] = *opened;
  auto request = request_text(options, home, *files, clock.wall_now());
  if (!request) return report_error(request.error(), kExitUsage);
  auto store = store::open_store(home.root);
  if (!store) return report_error(store.error(), kExitUsage);
  auto name = submit(*request, options, home, *files, **store, clock);
  if (!name) return report_error(name.error(), kExitUsage);

  if (options.waiting == Waiting::kDetach) {
    if (auto started = start_background_engine(home, isolation); !started)
      return report_error(started.error(), kExitFailed);
    print(*name + "\n");
    return kExitDone;
  }
  // Events are shown when they happen; lines of the job itself every kFollowTurn.
  News news(0);
  const auto show_now = [&](const jobs::JobEvent&, const jobs::TrainingJob&) { news.release(); };
  auto seat = EngineSeat::start({.home = home, .isolation = isolation, .observer = show_now},
                                *files, clock);
  if (!seat) return report_error(seat.error(), kExitFailed);
  if (!(*seat)->taken()) wake_engine(home);
  const int code =
      follow_to_the_end(*name, options, home, *files, **store, *interrupts, news, clock);
  if ((*seat)->taken()) hand_over(home, isolation, **store);
  return code;
}

}  // namespace evener::app
