// Instances that run nothing: tests say what happens to them, and see what was asked of them.
//
// Used by:  tests.
// Threads:  one.
// Fails:    run() on hosts that refuses_to_run() named.
#pragma once

#include <sys/eventfd.h>

#include <csignal>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "training/sandbox/sandbox.h"

namespace evener::backends {

class FakeSandbox final : public sandbox::Sandbox {
 public:
  explicit FakeSandbox(std::filesystem::path folder)
      : folder_(std::move(folder)), ready_(::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)) {}

  const std::vector<std::string>& notices() const override { return notices_; }
  bool overlay_possible() const override { return false; }
  std::string address(const std::string&) const override { return "10.0.0.1"; }
  std::filesystem::path ml_folder(const std::string& host) const override {
    return folder_ / host / "ml";
  }
  std::string ml_path(const std::string&) const override { return "/opt/ml"; }
  Status mount(const std::string& host, const std::vector<sandbox::Mount>& mounts) override {
    mounts_[host] = mounts;
    return ok();
  }
  Status make_read_only(const std::string& host, const std::string& target) override {
    asked.push_back("close " + target + " of " + host);
    return ok();
  }
  Status run(const std::string& host, const sandbox::Command& command, os::UniqueFd) override {
    if (refused_.contains(host)) return failure(ErrorCode::kIo, refused_[host]);
    asked.push_back("run " + host);
    commands[host].push_back(command);
    if (on_run) on_run(*this, host);
    return ok();
  }
  Status signal(const std::string& host, int signal) override {
    asked.push_back((signal == SIGTERM ? "term " : "signal ") + host);
    if (on_term) on_term(*this, host);
    return ok();
  }
  Status kill(const std::string& host) override {
    asked.push_back("kill " + host);
    exits(host, 128 + SIGKILL, SIGKILL);
    return ok();
  }
  int event_fd() const override { return ready_.get(); }
  Result<std::optional<sandbox::HostEvent>> next_event(std::chrono::milliseconds) override {
    if (events_.empty()) return std::optional<sandbox::HostEvent>();
    eventfd_t one = 0;
    ::eventfd_read(ready_.get(), &one);
    sandbox::HostEvent event = std::move(events_.front());
    events_.pop_front();
    return std::optional<sandbox::HostEvent>(std::move(event));
  }
  metrics::Counters counters(const std::string&) override { return {}; }

  // ---- the test's side ----
  void happens(sandbox::HostEvent event) {
    events_.push_back(std::move(event));
    ::eventfd_write(ready_.get(), 1);
  }
  void exits(const std::string& host, int code, int signal = 0) {
    sandbox::HostEvent event;
    event.host = host;
    event.exit_code = code;
    event.signal = signal;
    happens(event);
  }
  void refuses_to_run(const std::string& host, const std::string& why) { refused_[host] = why; }
  void says(std::string notice) { notices_.push_back(std::move(notice)); }

  std::vector<std::string> asked;
  std::map<std::string, std::vector<sandbox::Command>> commands;
  std::function<void(FakeSandbox&, const std::string& host)> on_run;
  std::function<void(FakeSandbox&, const std::string& host)> on_term;

 private:
  std::filesystem::path folder_;
  os::UniqueFd ready_;
  std::deque<sandbox::HostEvent> events_;
  std::map<std::string, std::vector<sandbox::Mount>> mounts_;
  std::map<std::string, std::string> refused_;
  std::vector<std::string> notices_;
};

}  // namespace evener::backends
