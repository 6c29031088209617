// The floors of the transport: what the kernel and memory allow between two processes.
//   transport_floor tcp|ring|ring-reader BYTES SECONDS
// tcp: one stream on loopback, calls of 4 MB, from one buffer into one buffer. ring: slots in a
// memfd; the worker writes every byte of a slot and the reader reads every byte. ring-reader: the
// worker writes nothing. Prints what flow.py prints.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t kCallBytes = 4u << 20;
constexpr int kSlots = 4;
constexpr double kWarmSeconds = 0.5;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

double cpu_of(pid_t pid) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) die("clock");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Keeps what was read from being left out by the compiler.
volatile std::uint64_t seen = 0;

struct Job {
  std::string_view kind{};
  std::size_t bytes = 0;
  double seconds = 0;
};

// `take` takes one message. Prints what `seconds` of it come to.
void measure(const Job& job, pid_t worker, const std::function<void()>& take) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto since = [&](auto begin) { return std::chrono::duration<double>(now() - begin).count(); };
  const auto warm = now();
  while (since(warm) < kWarmSeconds) take();
  const double reader = cpu_of(0);
  const double work = cpu_of(worker);
  const auto begin = now();
  std::uint64_t count = 0;
  while (since(begin) < job.seconds) {
    take();
    ++count;
  }
  const double seconds = since(begin);
  const double gigabytes = static_cast<double>(count) * static_cast<double>(job.bytes) / 1e9;
  std::printf("{\"peer\": \"floor_%.*s\", \"bytes\": %zu, \"gigabytes_per_second\": %.4f, "
              "\"messages_per_second\": %.1f, \"reader_cpu_seconds_per_gigabyte\": %.4f, "
              "\"worker_cpu_seconds_per_gigabyte\": %.4f}\n",
              static_cast<int>(job.kind.size()), job.kind.data(), job.bytes, gigabytes / seconds,
              static_cast<double>(count) / seconds, (cpu_of(0) - reader) / gigabytes,
              (cpu_of(worker) - work) / gigabytes);
}

// Runs `work` in a child that ends with this process.
pid_t start(const std::function<void()>& work) {
  const pid_t pid = ::fork();
  if (pid < 0) die("fork");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    std::_Exit(0);
  }
  return pid;
}

void send_for_ever(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = port;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) die("connect");
  const std::vector<char> buffer(kCallBytes, 1);
  while (::send(fd, buffer.data(), buffer.size(), MSG_NOSIGNAL) > 0) {
  }
}

void run_tcp(const Job& job) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener, 1) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    die("listen");
  const pid_t worker = start([&] { send_for_ever(address.sin_port); });
  const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) die("accept");
  std::vector<char> buffer(kCallBytes);
  std::size_t ahead = 0;   // bytes of the next messages that the last call brought
  measure(job, worker, [&] {
    while (ahead < job.bytes) {
      const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
      if (got <= 0) die("recv");
      ahead += static_cast<std::size_t>(got);
    }
    ahead -= job.bytes;
  });
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
}

struct Ring {
  sem_t full;
  sem_t free;
};

std::uint64_t sum_of(const char* bytes, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + 8 <= count; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, 8);
    sum += word;
  }
  return sum;
}

void run_ring(const Job& job) {
  const int memory = ::memfd_create("ring", MFD_CLOEXEC);
  const std::size_t bytes = kSlots * job.bytes;
  if (memory < 0 || ::ftruncate(memory, static_cast<off_t>(bytes)) != 0) die("memfd");
  char* slots = static_cast<char*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_POPULATE, memory, 0));
  auto* ring = static_cast<Ring*>(::mmap(nullptr, sizeof(Ring), PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (slots == MAP_FAILED || ring == MAP_FAILED) die("mmap");
  std::memset(slots, 1, bytes);
  ::sem_init(&ring->full, 1, 0);
  ::sem_init(&ring->free, 1, kSlots);
  const bool writes = job.kind == "ring";
  const pid_t worker = start([&] {
    for (int at = 0;; ++at) {
      ::sem_wait(&ring->free);
      if (writes) std::memset(slots + at % kSlots * static_cast<std::ptrdiff_t>(job.bytes), at, job.bytes);
      ::sem_post(&ring->full);
    }
  });
  int at = 0;
  measure(job, worker, [&] {
    ::sem_wait(&ring->full);
    seen = sum_of(slots + at++ % kSlots * static_cast<std::ptrdiff_t>(job.bytes), job.bytes);
    ::sem_post(&ring->free);
  });
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "transport_floor tcp|ring|ring-reader BYTES SECONDS\n");
    return 2;
  }
  const Job job{argv[1], std::strtoull(argv[2], nullptr, 10), std::atof(argv[3])};
  if (job.kind == "tcp") {
    run_tcp(job);
  } else {
    run_ring(job);
  }
  return 0;
}
