#include "training/sandbox/cluster.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "os/namespace.h"
#include "os/namespace_privileges.h"

namespace evener::sandbox {
namespace {

constexpr std::chrono::milliseconds kUplinkTimeout(2'000);

Message message_of(MessageKind kind) {
  Message message;
  message.kind = kind;
  return message;
}

// A machine that refuses namespaces says so in several ways.
tl::unexpected<Error> refused(Error error) {
  if (error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kNoSpace ||
      error.code == ErrorCode::kInvalidArgument) {
    error.code = ErrorCode::kUnsupported;
    error.message += " (this machine refuses namespaces; plain isolation works without)";
  }
  return tl::unexpected<Error>(std::move(error));
}

Status make_folders(const SandboxOptions& options) {
  for (const InstanceOptions& instance : options.instances) {
    std::error_code error;
    const std::filesystem::path folder = options.folder / instance.host / "ml";
    std::filesystem::create_directories(folder, error);
    if (error) return errno_failure(error.value(), "make " + folder.string());
  }
  return ok();
}

}  // namespace

Status Cluster::build() {
  RETURN_IF_ERROR(check_options(options_));
  events_.reset(::epoll_create1(EPOLL_CLOEXEC));
  waiting_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!events_ || !waiting_) return errno_failure(errno, "epoll_create1");
  RETURN_IF_ERROR(watch(waiting_.get()));
  RETURN_IF_ERROR(make_folders(options_));
  // First of all, since it takes longest; and before the user namespace, in which the folders of
  // control groups belong to nobody.
  Result<InstanceLimits> limits = InstanceLimits::start(options_);
  if (!limits) return tl::unexpected<Error>(limits.error());
  limits_.emplace(std::move(*limits));
  for (std::string& notice : limit_notices(limits_->missing())) {
    notices_.push_back(std::move(notice));
  }
  Rootness rootness = Rootness::kMachine;
  subnet_ = subnet_for(options_.instances.size());
  if (options_.isolation == Isolation::kPlain) {
    // Orphans of an init that was killed fall to us, not to the machine.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    notices_.emplace_back("plain isolation: the instances share the machine's files, network and "
                          "processes, on addresses of 127.0.0.0/8; /opt/ml is a folder of the job");
    if (!options_.reach_outside) {
      notices_.emplace_back("plain isolation cannot cut the job off from the network: what asked for "
                            "network isolation does not have it");
    }
  } else if (Status made = build_network(rootness); !made) {
    return refused(made.error());
  }
  std::string uplink_program;
  if (network_ && options_.reach_outside) {
    if (Result<std::string> program = Uplink::find_program(); program) {
      uplink_program = *program;
    } else {
      notices_.push_back("no way outside the job's network: " + program.error().message);
    }
  }
  const Machine machine = this_machine(rootness, limits_->missing());
  RETURN_IF_ERROR(start_instances(
      plan_instances(options_, machine, subnet_,
                     uplink_program.empty() ? Outside::kNone : Outside::kThroughUplink)));
  return start_outside(uplink_program);
}

// Only now: the relay has a thread, and the inits are clones of a process that has none.
Status Cluster::start_outside(const std::string& uplink_program) {
  if (!uplink_program.empty()) {
    Result<std::unique_ptr<OutsideWay>> outside =
        OutsideWay::start(uplink_program, *network_, subnet_);
    if (!outside) return tl::unexpected<Error>(outside.error());
    outside_ = std::move(*outside);
  }
  if (network_ && !options_.host_services.empty()) {
    Result<std::unique_ptr<HostRelay>> relay = HostRelay::start(
        network_->take_service_sockets(), options_.host_services, bridge_address(subnet_));
    if (!relay) return tl::unexpected<Error>(relay.error());
    relay_ = std::move(*relay);
  }
  return ok();
}

Status Cluster::build_network(Rootness& rootness) {
  if (!os::may_administer()) {
    Result<os::IdRange> range = os::enter_new_user_namespace();
    if (!range) return tl::unexpected<Error>(range.error());
    rootness = Rootness::kUserNamespace;
    if (*range == os::IdRange::kSingle) {
      notices_.emplace_back("one user per instance: no subordinate ids (/etc/subuid) to map");
    }
  }
  Result<JobNetwork> network = JobNetwork::create(subnet_, options_.host_services.size());
  if (!network) return tl::unexpected<Error>(network.error());
  network_.emplace(std::move(*network));
  return ok();
}

Status Cluster::start_instances(const std::vector<InstancePlan>& plans) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Result<std::unique_ptr<Instance>> started = Instance::start(plans[i]);
    if (!started) {
      return options_.isolation == Isolation::kNamespaces
                 ? Status(refused(started.error()))
                 : Status(tl::unexpected<Error>(started.error()));
    }
    Instance& instance = **started;
    RETURN_IF_ERROR(limits_->enter(instance.pid()));
    if (network_) {
      if (Status linked = network_->connect(i, instance.pid()); !linked) {
        return refused(linked.error());
      }
      RETURN_IF_ERROR(instance.tell(message_of(MessageKind::kNetworkReady)));
      if (i == 0) RETURN_IF_ERROR(instance.begin_overlay_probe(options_.folder));
    }
    RETURN_IF_ERROR(watch(instance.channel_fd()));
    RETURN_IF_ERROR(watch(instance.pidfd()));
    hosts_.push_back({std::move(*started), plans[i].address, 0, {}});
  }
  return ok();
}

Cluster::~Cluster() {
  relay_.reset();
  outside_.reset();
  for (Host& host : hosts_) host.instance->begin_end();
  hosts_.clear();
  if (limits_) (void)limits_->remove();
}

Status Cluster::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return errno_failure(errno, "epoll_ctl");
  }
  return ok();
}

Result<std::size_t> Cluster::find(const std::string& host) const {
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i].instance->host() == host) return i;
  }
  return failure(ErrorCode::kNotFound, "the job has no host " + host);
}

bool Cluster::overlay_possible() const {
  if (options_.isolation == Isolation::kPlain) return false;
  if (!overlay_possible_) overlay_possible_ = hosts_.front().instance->overlay_possible().value_or(false);
  return *overlay_possible_;
}

std::string Cluster::address(const std::string& host) const {
  const Result<std::size_t> index = find(host);
  return index ? os::to_string(hosts_[*index].address) : std::string();
}

std::filesystem::path Cluster::ml_folder(const std::string& host) const {
  return options_.folder / host / "ml";
}

std::string Cluster::ml_path(const std::string& host) const {
  return options_.isolation == Isolation::kPlain ? ml_folder(host).string() : "/opt/ml";
}

Status Cluster::mount(const std::string& host, const std::vector<Mount>& mounts) {
  const Result<std::size_t> index = find(host);
  if (!index) return tl::unexpected<Error>(index.error());
  if (options_.isolation == Isolation::kPlain) {
    for (const Mount& mount : mounts) RETURN_IF_ERROR(link_plain(host, mount));
    return hosts_[*index].instance->mount({});
  }
  Status mounted = hosts_[*index].instance->mount(mounts);
  show_waiting_reports();
  return mounted;
}

// Without a mount namespace a bind below /opt/ml is a symlink below the job's folder.
Status Cluster::link_plain(const std::string& host, const Mount& mount) {
  const std::filesystem::path relative = mount.target.lexically_relative("/opt/ml");
  if (mount.kind == Mount::Kind::kOverlay || relative.empty() || *relative.begin() == "..") {
    return failure(ErrorCode::kUnsupported,
                   "plain isolation cannot mount on " + mount.target.string());
  }
  const std::filesystem::path link = ml_folder(host) / relative;
  std::error_code error;
  std::filesystem::create_directories(link.parent_path(), error);
  std::filesystem::remove(link, error);   // an empty folder that stands for the mount point
  std::filesystem::create_symlink(mount.source, link, error);
  if (error) return errno_failure(error.value(), "link " + link.string());
  return ok();
}

// What went on beside the caller's own preparation has to be there before a program starts.
Status Cluster::finish_preparation() {
  if (prepared_) return ok();
  prepared_ = true;
  if (outside_) {
    if (Status up = outside_->connect(kUplinkTimeout); up) {
      RETURN_IF_ERROR(watch(outside_->fd()));
    } else {
      later_notices_.push_back("no way outside the job's network: " + up.error().message);
      outside_.reset();
    }
  }
  const std::map<os::Controller, std::string> known = limits_->missing();
  RETURN_IF_ERROR(limits_->finish());
  std::map<os::Controller, std::string> found = limits_->missing();
  for (const auto& [controller, why] : known) found.erase(controller);
  for (std::string& notice : limit_notices(found)) later_notices_.push_back(std::move(notice));
  show_waiting_reports();
  return ok();
}

Status Cluster::make_read_only(const std::string& host, const std::string& target) {
  const Result<std::size_t> index = find(host);
  if (!index) return tl::unexpected<Error>(index.error());
  if (options_.isolation == Isolation::kPlain) return ok();
  Status made = hosts_[*index].instance->make_read_only(target);
  show_waiting_reports();
  return made;
}

Status Cluster::run(const std::string& host, const Command& command, os::UniqueFd output) {
  const Result<std::size_t> index = find(host);
  if (!index) return tl::unexpected<Error>(index.error());
  RETURN_IF_ERROR(finish_preparation());
  hosts_[*index].out_of_memory_kills = limits_->group(*index).out_of_memory_kills();
  return hosts_[*index].instance->run(command, std::move(output));
}

Status Cluster::signal(const std::string& host, int signal) {
  const Result<std::size_t> index = find(host);
  if (!index) return tl::unexpected<Error>(index.error());
  Message message = message_of(MessageKind::kSignal);
  message.numbers = {signal};
  return hosts_[*index].instance->tell(message);
}

Status Cluster::kill(const std::string& host) {
  const Result<std::size_t> index = find(host);
  if (!index) return tl::unexpected<Error>(index.error());
  return hosts_[*index].instance->tell(message_of(MessageKind::kKill));
}

}  // namespace evener::sandbox
