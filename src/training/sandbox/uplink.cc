#include "training/sandbox/uplink.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace evener::sandbox {
namespace {

constexpr const char* kLinkName = "tap0";
constexpr std::chrono::milliseconds kEndTimeout(2'000);
constexpr int kReadyDescriptor = 3;
constexpr int kEndDescriptor = 4;
constexpr int kNamespaceDescriptor = 5;

}  // namespace

Result<std::string> Uplink::find_program() {
  std::string program;
  for (const char* path : {"/usr/local/bin/slirp4netns", "/usr/bin/slirp4netns"}) {
    if (program.empty() && ::access(path, X_OK) == 0) program = path;
  }
  if (program.empty()) {
    return failure(ErrorCode::kUnsupported, "slirp4netns is not installed");
  }
  const os::UniqueFd tunnel(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  if (!tunnel) {
    return failure(ErrorCode::kUnsupported, errno_error(errno, "open /dev/net/tun").message);
  }
  return program;
}

Result<std::unique_ptr<Uplink>> Uplink::start(const std::string& program,
                                              const JobNetwork& network, const Subnet& subnet) {
  std::array<int, 2> ready{};
  std::array<int, 2> end{};
  if (::pipe2(ready.data(), O_CLOEXEC) != 0) return errno_failure(errno, "pipe");
  std::unique_ptr<Uplink> uplink(new Uplink());
  uplink->ready_.reset(ready[0]);
  const os::UniqueFd ready_child(ready[1]);
  if (::pipe2(end.data(), O_CLOEXEC) != 0) return errno_failure(errno, "pipe");
  const os::UniqueFd end_child(end[0]);
  uplink->end_.reset(end[1]);
  const os::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return errno_failure(errno, "open /dev/null");
  os::SpawnOptions options;
  options.argv = {program,
                  "--netns-type=path",
                  "--cidr=" + os::to_string(subnet.network) + "/" +
                      std::to_string(subnet.prefix_bits),
                  "--disable-host-loopback",
                  "--mtu=1500",
                  "--ready-fd=" + std::to_string(kReadyDescriptor),
                  "--exit-fd=" + std::to_string(kEndDescriptor),
                  "/proc/self/fd/" + std::to_string(kNamespaceDescriptor),
                  kLinkName};
  options.descriptors = {{null.get(), 0},
                         {null.get(), 1},
                         {null.get(), 2},
                         {ready_child.get(), kReadyDescriptor},
                         {end_child.get(), kEndDescriptor},
                         {network.namespace_fd(), kNamespaceDescriptor}};
  options.new_session = true;
  options.die_with_parent = true;
  Result<std::unique_ptr<os::Process>> process = os::spawn(options);
  if (!process) return tl::unexpected<Error>(process.error());
  uplink->process_ = std::move(*process);
  return uplink;
}

Status Uplink::connect(JobNetwork& network, std::chrono::milliseconds timeout) {
  pollfd waiting{ready_.get(), POLLIN, 0};
  const int polled = ::poll(&waiting, 1, static_cast<int>(timeout.count()));
  char byte = 0;
  if (polled <= 0 || ::read(ready_.get(), &byte, 1) != 1) {
    return failure(ErrorCode::kUnavailable,
                   polled <= 0 ? "slirp4netns did not get ready" : "slirp4netns ended");
  }
  ready_.reset();
  return network.adopt(kLinkName);
}

std::string Uplink::end() {
  const auto ended = process_->wait(std::chrono::milliseconds(0));
  if (!ended || !*ended) return "slirp4netns ended";
  const os::ExitStatus& status = **ended;
  return status.signal != 0 ? "slirp4netns was ended by signal " + std::to_string(status.signal)
                            : "slirp4netns ended with " + std::to_string(status.code);
}

Uplink::~Uplink() {
  end_.reset();
  if (!process_) return;
  (void)process_->kill(SIGTERM);
  const auto ended = process_->wait(kEndTimeout);
  if (ended && *ended) return;
  (void)process_->kill(SIGKILL);
  (void)process_->wait(kEndTimeout);
}

}  // namespace evener::sandbox
