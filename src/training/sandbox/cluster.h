// The one implementation of Sandbox, for both isolations.
//
// Used by:  sandbox.
// Threads:  as Sandbox.
// Fails:    as Sandbox.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "training/sandbox/instance.h"
#include "training/sandbox/limits.h"
#include "training/sandbox/network.h"
#include "training/sandbox/outside.h"
#include "training/sandbox/plan.h"
#include "training/sandbox/relay.h"
#include "training/sandbox/sandbox.h"

namespace evener::sandbox {

class Cluster final : public Sandbox {
 public:
  explicit Cluster(const SandboxOptions& options) : options_(options) {}
  ~Cluster() override;
  Status build();

  const std::vector<std::string>& notices() const override { return notices_; }
  bool overlay_possible() const override;
  std::string address(const std::string& host) const override;
  std::filesystem::path ml_folder(const std::string& host) const override;
  std::string ml_path(const std::string& host) const override;
  Status mount(const std::string& host, const std::vector<Mount>& mounts) override;
  Status make_read_only(const std::string& host, const std::string& target) override;
  Status run(const std::string& host, const Command& command, os::UniqueFd output) override;
  Status signal(const std::string& host, int signal) override;
  Status kill(const std::string& host) override;
  int event_fd() const override { return events_.get(); }
  Result<std::optional<HostEvent>> next_event(std::chrono::milliseconds timeout) override;
  metrics::Counters counters(const std::string& host) override;

 private:
  struct Host {
    std::unique_ptr<Instance> instance;
    os::Ipv4 address;
    std::uint64_t out_of_memory_kills = 0;   // at the start of the program
    metrics::Counters counters;              // last read
  };

  Status build_network(Rootness& rootness);
  Status start_instances(const std::vector<InstancePlan>& plans);
  Status watch(int fd);
  Result<std::size_t> find(const std::string& host) const;
  Status link_plain(const std::string& host, const Mount& mount);
  Status start_outside(const std::string& uplink_program);
  Status finish_preparation();
  std::optional<HostEvent> take_notice();
  std::optional<HostEvent> take_event(std::size_t index);
  HostEvent event_of(std::size_t index, const Message& report);
  HostEvent lost_event(std::size_t index);
  bool ran_out_of_memory(std::size_t index);
  void show_waiting_reports();

  SandboxOptions options_;
  Subnet subnet_;
  std::vector<std::string> notices_;
  std::deque<std::string> later_notices_;
  mutable std::optional<bool> overlay_possible_;   // asked once, when first wanted
  bool prepared_ = false;
  std::optional<InstanceLimits> limits_;
  std::optional<JobNetwork> network_;
  std::unique_ptr<OutsideWay> outside_;
  std::vector<Host> hosts_;
  os::UniqueFd events_;    // epoll: channels, pidfds, and waiting_
  os::UniqueFd waiting_;   // eventfd, readable while reports wait in memory
  std::unique_ptr<HostRelay> relay_;   // has a thread: ends first
};

}  // namespace evener::sandbox
