#include <semaphore>

#include "base/log.h"
#include "evener/commands.h"
#include "evener/engine_seat.h"
#include "evener/interrupts.h"
#include "evener/job_view.h"
#include "evener/local_jobs.h"
#include "evener/remote_jobs.h"
#include "evener/run_home.h"
#include "evener/submission.h"
#include "evener/train_remote.h"
#include "evener/train_view.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kFollowTurn{20};

using News = std::counting_semaphore<>;

// Jobs that this process took over from others go on after it.
void hand_over(const Home& home, sandbox::Isolation isolation, store::Store& store) {
  auto active = store.active();
  if (active && active->empty()) return;
  if (auto started = start_background_engine(home, isolation); !started)
    log_line(LogLevel::kWarning, "engine", "the jobs of this home are left alone",
             {{"error", started.error().message}});
}

// A view of the home's jobs; events are seen when `news` is released, lines of the job itself every
// kFollowTurn.
Result<std::unique_ptr<JobSource>> view_of(const Home& home, const Clock& clock, News& news) {
  auto store = store::open_store(home.root);
  if (!store) return tl::unexpected(store.error());
  const auto rest = [&news] {
    if (news.try_acquire_for(kFollowTurn))
      while (news.try_acquire()) {
      }
  };
  return make_local_jobs({home, os::make_real_file_system(), std::move(*store)}, clock,
                         {.engines = Engines::kHere, .rest = rest});
}

int follow_here(const std::string& name, const TrainOptions& options, const Home& home,
                Interrupts& interrupts, News& news, const Clock& clock) {
  auto source = view_of(home, clock, news);
  if (!source) return report_error(source.error(), kExitFailed);
  auto stopper = view_of(home, clock, news);
  if (!stopper) return report_error(stopper.error(), kExitFailed);
  return follow_to_the_end(name, {.options = options.shared,
                                  .source = **source,
                                  .stopper = std::move(*stopper),
                                  .interrupts = interrupts,
                                  .clock = clock});
}

}  // namespace

int run_train(const TrainOptions& options) {
  if (const std::string server = chosen_server(options.shared); !server.empty())
    return run_train_on(server, options);
  const SystemClock clock;
  auto interrupts = Interrupts::make();
  if (!interrupts) return report_error(interrupts.error(), kExitFailed);
  auto opened = open_run_home(options.shared, "");
  if (!opened) return report_error(opened.error(), kExitUsage);
  auto& [home, files, isolation] = *opened;
  auto request = request_text(options, home.output().string(), *files, clock.wall_now());
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
  News news(0);
  const auto show_now = [&](const jobs::JobEvent&, const jobs::TrainingJob&) { news.release(); };
  auto seat = EngineSeat::start({.home = home, .isolation = isolation, .observer = show_now},
                                *files, clock);
  if (!seat) return report_error(seat.error(), kExitFailed);
  if (!(*seat)->taken()) wake_engine(home);
  const int code = follow_here(*name, options, home, *interrupts, news, clock);
  if ((*seat)->taken()) hand_over(home, isolation, **store);
  return code;
}

}  // namespace evener::app
