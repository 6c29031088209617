// What plain sockets take to get files from a static HTTP server, the floor of s3_driver:
//   s3_floor large PORT PATH CONNECTIONS FILE   one file by as many ranges as connections
//   s3_floor many PORT NAMES CONNECTIONS FOLDER the paths that the file NAMES lists, one a line
// FILE or FOLDER "-": the bytes are read and thrown away. The server is on 127.0.0.1.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBufferBytes = 1u << 20;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) die("connect");
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

// The value of a header, by its name as nginx writes it.
std::uint64_t number_after(std::string_view head, std::string_view name) {
  const auto at = head.find(name);
  if (at == std::string_view::npos) {
    std::fprintf(stderr, "no %.*s in %.*s\n", static_cast<int>(name.size()), name.data(),
                 static_cast<int>(head.size()), head.data());
    std::exit(1);
  }
  return std::strtoull(head.data() + at + name.size(), nullptr, 10);
}

void write_all(int file, const char* bytes, std::size_t count, std::uint64_t offset) {
  while (count > 0) {
    const ssize_t written = ::pwrite(file, bytes, count, static_cast<off_t>(offset));
    if (written <= 0) die("pwrite");
    bytes += written;
    count -= static_cast<std::size_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
}

class Connection {
 public:
  explicit Connection(std::uint16_t port) : fd_(connect_to(port)), buffer_(kBufferBytes) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(fd_); }

  // Sends the request and reads the head of the answer; what is left of the buffer is body.
  std::uint64_t ask(const std::string& request) {
    if (::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size()))
      die("send");
    filled_ = 0;
    for (;;) {
      filled_ += receive(filled_);
      const std::string_view seen(buffer_.data(), filled_);
      const auto end = seen.find("\r\n\r\n");
      if (end == std::string_view::npos) continue;
      if (!seen.starts_with("HTTP/1.1 20")) {
        std::fprintf(stderr, "%.*s\n", static_cast<int>(end), seen.data());
        std::exit(1);
      }
      begin_ = end + 4;
      return number_after(seen.substr(0, end), "Content-Length: ");
    }
  }

  void body(std::uint64_t length, int file, std::uint64_t offset) {
    for (std::uint64_t left = length;;) {
      const std::size_t got = filled_ - begin_;
      if (file >= 0) write_all(file, buffer_.data() + begin_, got, offset);
      offset += got;
      left -= got;
      if (left == 0) return;
      begin_ = 0;
      filled_ = receive(0);
    }
  }

 private:
  std::size_t receive(std::size_t at) {
    const ssize_t got = ::recv(fd_, buffer_.data() + at, buffer_.size() - at, 0);
    if (got <= 0) die("recv");
    return static_cast<std::size_t>(got);
  }

  int fd_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t filled_ = 0;
};

std::string request_for(const char* verb, const std::string& path, const std::string& more) {
  return std::string(verb) + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + more + "\r\n";
}

std::uint64_t get_large(std::uint16_t port, const std::string& path, std::size_t connections,
                        const std::string& target) {
  const std::uint64_t size = Connection(port).ask(request_for("HEAD", path, ""));
  const int file = target == "-" ? -1 : ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (target != "-" && file < 0) die(target.c_str());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < connections; ++i) {
    threads.emplace_back([&, i] {
      const std::uint64_t first = size * i / connections;
      const std::uint64_t last = size * (i + 1) / connections - 1;
      Connection connection(port);
      const std::string range =
          "Range: bytes=" + std::to_string(first) + "-" + std::to_string(last) + "\r\n";
      connection.body(connection.ask(request_for("GET", path, range)), file, first);
    });
  }
  threads.clear();
  if (file >= 0) ::close(file);
  return size;
}

std::uint64_t get_many(std::uint16_t port, const std::string& names, std::size_t connections,
                       const std::string& folder) {
  std::vector<std::string> paths;
  std::ifstream list(names);
  for (std::string line; std::getline(list, line);) paths.push_back(line);
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> bytes{0};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < connections; ++i) {
    threads.emplace_back([&] {
      Connection connection(port);
      for (std::size_t at = next++; at < paths.size(); at = next++) {
        const std::string file_path = folder + "/" + paths[at].substr(paths[at].rfind('/') + 1);
        const int file =
            folder == "-" ? -1 : ::open(file_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (folder != "-" && file < 0) die(file_path.c_str());
        const std::uint64_t length = connection.ask(request_for("GET", paths[at], ""));
        connection.body(length, file, 0);
        bytes += length;
        if (file >= 0) ::close(file);
      }
    });
  }
  threads.clear();
  return bytes;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: s3_floor large|many PORT PATH|NAMES CONNECTIONS TARGET\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[2]));
  const auto connections = static_cast<std::size_t>(std::atoi(argv[4]));
  const auto begin = std::chrono::steady_clock::now();
  const bool many = std::string_view(argv[1]) == "many";
  const std::uint64_t bytes = many ? get_many(port, argv[3], connections, argv[5])
                                   : get_large(port, argv[3], connections, argv[5]);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("{\"seconds\": %.3f, \"cpu_seconds\": %.3f, \"bytes\": %llu, \"peak_kib\": %ld}\n",
              seconds.count(), seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
              static_cast<unsigned long long>(bytes), usage.ru_maxrss);
  return 0;
}
