// The supervisor's side of one instance: its init, and the channel to it.
//
// Used by:  sandbox.
// Threads:  one; start() in a process with one thread.
// Fails:    kUnavailable once the init is gone.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"
#include "training/sandbox/control_message.h"
#include "training/sandbox/instance_plan.h"

namespace evener::sandbox {

class Instance {
 public:
  // Clones the init; `plan` is copied with the process.
  static Result<std::unique_ptr<Instance>> start(const InstancePlan& plan);
  ~Instance();   // kills the init, and so the instance, and waits for its end
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const std::string& host() const { return host_; }
  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }
  int channel_fd() const { return channel_.fd(); }
  bool lost() const { return lost_; }
  // The init has closed its side: it is ending, and its channel is readable for ever.
  bool channel_ended() const { return channel_ended_; }

  Status tell(const Message& message);
  Status mount(const std::vector<Mount>& mounts);
  Status make_read_only(const std::string& target);
  Status run(const Command& command, os::UniqueFd output);
  // Of the processes inside, where there are no control groups.
  Result<std::pair<std::uint64_t, std::uint64_t>> usage();   // CPU nanoseconds, memory bytes

  // The init tries it beside its preparation; the answer is waited for where it is asked.
  Status begin_overlay_probe(const std::filesystem::path& folder);
  Result<bool> overlay_possible();

  // The next kExited or kStartFailed, if one came.
  std::optional<Message> next_report();
  // Whether reports wait that the channel does not show any more.
  bool has_reports() const { return !reports_.empty(); }
  // Takes the end of an init that is gone, and ends what a plain one left behind.
  void note_end();
  // Begins the end without waiting for it.
  void begin_end();

 private:
  Instance(const InstancePlan& plan, pid_t pid, os::UniqueFd pidfd, os::UniqueFd channel)
      : host_(plan.host),
        isolation_(plan.isolation),
        marker_(plan.marker),
        pid_(pid),
        pidfd_(std::move(pidfd)),
        channel_(std::move(channel)) {}
  Status await_mounted();
  Result<Message> await(MessageKind kind, std::chrono::milliseconds timeout);
  Result<bool> read_one(std::chrono::milliseconds timeout);

  void kill_orphans();

  std::string host_;
  Isolation isolation_;
  std::string marker_;
  pid_t pid_;
  os::UniqueFd pidfd_;
  ControlChannel channel_;
  std::deque<Message> reports_;   // kExited, kStartFailed
  std::deque<Message> answers_;   // the rest
  bool lost_ = false;
  bool running_ = false;
  bool channel_ended_ = false;
};

}  // namespace evener::sandbox
