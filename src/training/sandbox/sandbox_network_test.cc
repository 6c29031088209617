// What a job reaches: services of its host, the outside, and nothing else.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>

#include "os/netlink.h"
#include "training/sandbox/network.h"
#include "training/sandbox/sandbox_lab_test.h"
#include "training/sandbox/uplink.h"

namespace evener::sandbox {
namespace {

// A service at `address` of this process's network that sends back what it gets.
class EchoService {
 public:
  explicit EchoService(std::uint32_t address = INADDR_LOOPBACK)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(address);
    socklen_t size = sizeof at;
    ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&at), size);
    ::listen(listener_.get(), 16);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
  }
  std::uint16_t port() const { return port_; }
  // Reads all that one client sends and sends it back.
  void serve_one() {
    const os::UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    std::string all;
    std::array<char, 65536> chunk{};
    for (ssize_t size = 0; (size = ::read(client.get(), chunk.data(), chunk.size())) > 0;) {
      all.append(chunk.data(), static_cast<std::size_t>(size));
    }
    for (std::size_t sent = 0; sent < all.size();) {
      const ssize_t size = ::send(client.get(), all.data() + sent, all.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) return;
      sent += static_cast<std::size_t>(size);
    }
  }

 private:
  os::UniqueFd listener_;
  std::uint16_t port_ = 0;
};

std::string reach_host_service(Lab& lab) {
  EchoService service;
  SandboxOptions options = Lab::options(1);
  options.host_services = {{.port = 80, .target_host = "127.0.0.1", .target_port = service.port()},
                           {.port = 81, .target_host = "127.0.0.1", .target_port = 1}};
  if (std::string error = lab.start(options); !error.empty()) return error;
  // A megabyte there and back, then a service that nobody offers.
  lab.begin("algo-1",
            "python3 -c \"\nimport socket\nb=bytes(range(256))*4096\n"
            "s=socket.create_connection(('host.evener.internal',80)); s.sendall(b)\n"
            "s.shutdown(socket.SHUT_WR); r=b''\n"
            "while True:\n  c=s.recv(65536)\n  r+=c\n  if not c: break\n"
            "print(r==b)\n"
            "s=socket.create_connection(('host.evener.internal',81))\n"
            "try: print(len(s.recv(1)))\nexcept ConnectionResetError: print(0)\n\"");
  service.serve_one();
  lab.next();
  return differ("answer", lab.output("algo-1"), "True\n0\n");
}

TEST(SandboxNetwork, AServiceOfTheHostIsReachedUnderItsName) {
  check(Who::kRoot, reach_host_service);
}

TEST(SandboxNetwork, AServiceOfTheHostIsReachedByAUsersJob) {
  check(Who::kUser, reach_host_service);
}

// This process moves to a network of its own, whose only neighbour is 192.0.2.1 (itself).
std::string enter_small_world() {
  if (::unshare(CLONE_NEWNET) != 0) return "skip: no network namespace";
  Result<os::Netlink> links = os::Netlink::open();
  if (!links || !links->set_up(1) || !links->add_bridge("out0")) return "skip: no bridge";
  const Result<int> index = links->link_index("out0");
  if (!index || !links->add_address(*index, {0xc0000201}, 24)) return "no address";
  return {};
}

TEST(SandboxNetwork, TheOutsideIsReachedThroughTheUplinkAndTheHostsLoopbackIsNot) {
  check(Who::kRoot, [](Lab& lab) -> std::string {
    if (const auto program = Uplink::find_program(); !program) {
      return "skip: " + program.error().message;
    }
    if (std::string error = enter_small_world(); !error.empty()) return error;
    EchoService outside(0xc0000201);
    EchoService loopback;
    SandboxOptions options = Lab::options(2);
    options.reach_outside = true;
    if (std::string error = lab.start(options); !error.empty()) return error;
    lab.begin("algo-2", "python3 -c \"\nimport socket\n"
                        "s=socket.create_connection(('192.0.2.1'," +
                            std::to_string(outside.port()) + "),10)\n"
                        "s.sendall(b'hello'); s.shutdown(socket.SHUT_WR); print(s.recv(99))\n"
                        "s=socket.socket(); s.settimeout(5)\n"
                        "print(s.connect_ex(('10.91.0.2'," + std::to_string(loopback.port()) +
                            "))!=0)\n\"; cat /etc/resolv.conf");
    outside.serve_one();
    lab.next();
    return differ("answer", lab.output("algo-2"), "b'hello'\nTrue\nnameserver 10.91.0.3\n") +
           (lab.sandbox().notices().empty() ? "" : lab.sandbox().notices().front());
  });
}

// The pid of a child of this process whose name is `name`; 0 for none.
pid_t child_named(const std::string& name) {
  std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  for (pid_t pid = 0; children >> pid;) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
    std::string found;
    std::getline(in, found);
    if (found == name) return pid;
  }
  return 0;
}

TEST(SandboxNetwork, AnUplinkThatIsKilledIsToldAndStartedAgain) {
  check(Who::kRoot, [](Lab& lab) -> std::string {
    if (const auto program = Uplink::find_program(); !program) {
      return "skip: " + program.error().message;
    }
    if (std::string error = enter_small_world(); !error.empty()) return error;
    EchoService outside(0xc0000201);
    SandboxOptions options = Lab::options(1);
    options.reach_outside = true;
    if (std::string error = lab.start(options); !error.empty()) return error;
    if (lab.run("algo-1", "true").exit_code != 0) return "the first program failed";
    for (int round = 0; round < 2; ++round) {
      const pid_t uplink = child_named("slirp4netns");
      if (uplink <= 0) return "skip: no child of the uplink's name is shown";
      ::kill(uplink, SIGKILL);
      if (!lab.await_notice("is closed: slirp4netns was ended by signal 9; it is being")) {
        return "no notice of the end";
      }
      if (!lab.await_notice("is open again")) return "no notice of the new start";
    }
    lab.begin("algo-1", "python3 -c \"\nimport socket\n"
                        "s=socket.create_connection(('192.0.2.1'," +
                            std::to_string(outside.port()) +
                            "),10)\ns.sendall(b'hello'); s.shutdown(socket.SHUT_WR)\n"
                            "print(s.recv(99))\n\"");
    outside.serve_one();
    lab.next();
    return differ("answer", lab.output("algo-1"), "b'hello'\n");
  });
}

TEST(SandboxNetwork, EventsAwaitedBeforeTheFirstProgramLeaveTheUplinkToIt) {
  check(Who::kRoot, [](Lab& lab) -> std::string {
    if (const auto program = Uplink::find_program(); !program) {
      return "skip: " + program.error().message;
    }
    if (std::string error = enter_small_world(); !error.empty()) return error;
    SandboxOptions options = Lab::options(1);
    options.reach_outside = true;
    if (std::string error = lab.start(options); !error.empty()) return error;
    // Long enough for the uplink to be ready.
    const auto early = lab.sandbox().next_event(std::chrono::milliseconds(500));
    if (!early) return early.error().message;
    if (*early) return "an event before any program: " + (*early)->text;
    if (lab.run("algo-1", "true").exit_code != 0) return "the program failed";
    const auto later = lab.sandbox().next_event(std::chrono::milliseconds(0));
    if (later && *later) return "an event after it: " + (*later)->text;
    return "";
  });
}

TEST(SandboxNetwork, WhereThereIsNoUplinkANoticeSaysSo) {
  check(Who::kUser, [](Lab& lab) -> std::string {
    if (Uplink::find_program()) return "skip: the uplink works for this user";
    SandboxOptions options = Lab::options(1);
    options.reach_outside = true;
    if (std::string error = lab.start(options); !error.empty()) return error;
    for (const std::string& notice : lab.sandbox().notices()) {
      if (notice.starts_with("no way outside the job's network: ")) return "";
    }
    return "no notice";
  });
}

TEST(SandboxNetwork, AHundredsHostHasAnAddressAndAThousandthToo) {
  EXPECT_EQ(os::to_string(instance_address(subnet_for(100), 99)), "10.91.0.110");
  EXPECT_EQ(subnet_for(240).prefix_bits, 24);
  EXPECT_EQ(subnet_for(241).prefix_bits, 16);
  EXPECT_EQ(os::to_string(instance_address(subnet_for(1000), 999)), "10.91.3.242");
}

}  // namespace
}  // namespace evener::sandbox
