#include <unistd.h>

#include "evener/job_view.h"
#include "evener/live_table.h"
#include "evener/machine.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kRedraw{200};
// Lines of the terminal that the table leaves to the log.
constexpr int kRowsForLog = 8;

// Log lines scroll by above a table that is drawn again in place.
class LiveView final : public JobView {
 public:
  LiveView(double machine_cpus, const Clock& clock) : clock_(clock) {
    state_.machine_cpus = machine_cpus;
  }

  void show(const JobUpdate& update, const jobs::TrainingJob& job) override {
    for (const auto& sample : update.live.samples) state_.last_samples[sample.host] = sample;
    for (const auto& progress : update.live.progress) state_.progress[progress.phase] = progress;
    const auto now = clock_.monotonic_now();
    const bool news = !update.events.empty() || !update.lines.empty();
    if (!news && now - drawn_at_ < kRedraw) return;
    drawn_at_ = now;
    std::string text = erase();
    for (const auto& event : update.events)
      if (const std::string line = event_text(event, job); !line.empty()) text += line + "\n";
    for (const auto& line : update.lines) text += line_text(line) + "\n";
    const auto size = terminal_size(STDOUT_FILENO);
    const int rows = std::max(1, size.rows - kRowsForLog);
    const auto lines =
        render_live_table(job, state_, clock_.wall_now(), static_cast<std::size_t>(size.columns),
                          static_cast<std::size_t>(rows));
    for (const auto& line : lines) text += line + "\n";
    drawn_lines_ = lines.size();
    print(text);
  }

  void finish(const JobSummary& summary) override {
    std::string text = erase();
    for (const auto& line : summary_lines(summary)) text += line + "\n";
    drawn_lines_ = 0;
    print(text);
  }

 private:
  // Back to the first line of the table, and clear to the end of the screen.
  std::string erase() const {
    if (drawn_lines_ == 0) return "";
    return "\x1b[" + std::to_string(drawn_lines_) + "F\x1b[J";
  }

  const Clock& clock_;
  LiveState state_;
  MonotonicTime drawn_at_{};
  std::size_t drawn_lines_ = 0;
};

}  // namespace

std::unique_ptr<JobView> make_live_view(double machine_cpus, const Clock& clock) {
  return std::make_unique<LiveView>(machine_cpus, clock);
}

}  // namespace evener::app
