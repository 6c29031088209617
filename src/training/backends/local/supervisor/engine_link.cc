#include "training/backends/local/supervisor/engine_link.h"

#include <algorithm>

#include "base/log.h"

namespace evener::backends {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxWaiting = 8;

std::optional<StopMode> stronger(std::optional<StopMode> left, StopMode right) {
  if (left == StopMode::kAtOnce) return left;
  return right;
}

}  // namespace

Result<std::unique_ptr<EngineLink>> EngineLink::open(const std::filesystem::path& socket,
                                                     os::UniqueFd inherited, EngineKind kind,
                                                     const std::vector<std::string>& records,
                                                     const Clock& clock) {
  auto listener = os::listen_unix(socket);
  if (!listener) return failure_in("open the job's socket", listener.error());
  std::unique_ptr<EngineLink> link(new EngineLink(std::move(*listener), records, clock));
  link->kind_ = kind;
  link->alone_since_ = clock.monotonic_now();
  if (inherited) link->waiting_.emplace_back(std::move(inherited));
  return link;
}

void EngineLink::add_descriptors(std::vector<pollfd>& polled) const {
  polled.push_back({.fd = listener_.get(), .events = POLLIN, .revents = 0});
  for (const auto& peer : waiting_) {
    polled.push_back({.fd = peer.fd(), .events = POLLIN, .revents = 0});
  }
  if (attached_) polled.push_back({.fd = attached_->fd(), .events = POLLIN, .revents = 0});
}

std::optional<StopMode> EngineLink::take_commands() {
  std::optional<StopMode> stop;
  accept_new();
  if (attached_) {
    std::optional<AttachCommand> again;
    const bool keep = read_from(*attached_, stop, again);
    if (!keep || (again && !send_from(*attached_, again->from))) lose_engine();
  }
  for (std::size_t i = 0; i < waiting_.size();) {
    std::optional<AttachCommand> attach;
    const bool keep = read_from(waiting_[i], stop, attach);
    if (keep && !attach) {
      ++i;
      continue;
    }
    os::LineConnection peer = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!keep || !send_from(peer, attach->from)) continue;
    attached_.emplace(std::move(peer));
    kind_ = attach->engine;
    alone_since_.reset();
  }
  return stop;
}

void EngineLink::publish(const std::string& record) {
  if (!attached_) return;
  if (auto sent = attached_->send_line(record); !sent) lose_engine();
}

std::optional<MonotonicTime> EngineLink::engine_lost_at() const {
  if (attached_ || !alone_since_ || kind_ == EngineKind::kServer) return std::nullopt;
  return *alone_since_ + kEngineLostAfter;
}

void EngineLink::accept_new() {
  while (true) {
    auto peer = os::accept_unix(listener_.get(), milliseconds(0));
    if (!peer || !*peer) return;
    if (waiting_.size() == kMaxWaiting) waiting_.erase(waiting_.begin());
    waiting_.emplace_back(std::move(**peer));
  }
}

bool EngineLink::read_from(os::LineConnection& peer, std::optional<StopMode>& stop,
                           std::optional<AttachCommand>& attach) {
  // Until nothing is left: what stays in its buffer would wake no poll.
  while (true) {
    auto line = peer.receive_line(milliseconds(0));
    if (!line) return false;
    if (!*line) return true;
    auto command = command_from(**line);
    if (!command) {
      log_line(LogLevel::kWarning, "local", "engine dropped", {{"error", command.error().message}});
      return false;
    }
    if (auto* asked = std::get_if<StopCommand>(&*command)) stop = stronger(stop, asked->mode);
    if (auto* wanted = std::get_if<AttachCommand>(&*command)) attach = *wanted;
  }
}

bool EngineLink::send_from(os::LineConnection& peer, std::uint64_t position) {
  for (std::size_t i = position == 0 ? 0 : position - 1; i < records_.size(); ++i) {
    if (!peer.send_line(records_[i])) return false;
  }
  return true;
}

void EngineLink::lose_engine() {
  attached_.reset();
  alone_since_ = clock_.monotonic_now();
}

}  // namespace evener::backends
