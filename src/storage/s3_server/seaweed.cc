#include "storage/s3_server/seaweed.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <initializer_list>

#include "base/document.h"
#include "base/endpoint.h"
#include "os/unique_fd.h"

namespace evener::storage {
namespace {

constexpr int kFirstPort = 20'000;
constexpr int kLastPort = 55'000 - kSecondPort;   // the second port must be one too

bool is_free(int port) {
  const os::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  // As the server itself does it: a port that only waits for its last packets is free.
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = ::htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  return fd && ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool is_usable(int port) { return is_free(port) && is_free(port + kSecondPort); }

// A port of the system's choice spreads the search, so that two servers do not meet.
int starting_point() {
  const os::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return kFirstPort;
  }
  return kFirstPort + ::ntohs(address.sin_port) % (kLastPort - kFirstPort);
}

document::Value identity(std::string_view name, const http::AccessKey& key,
                         std::initializer_list<std::string_view> actions) {
  document::Value credentials = document::make_object();
  credentials.set("accessKey", document::make_string(key.id));
  credentials.set("secretKey", document::make_string(key.secret));
  document::Value one = document::make_object();
  one.set("name", document::make_string(name));
  one.set("credentials", document::make_list({credentials}));
  std::vector<document::Value> allowed;
  for (const std::string_view action : actions) allowed.push_back(document::make_string(action));
  one.set("actions", document::make_list(std::move(allowed)));
  return one;
}

}  // namespace

Result<SeaweedPorts> find_ports(std::optional<std::uint16_t> wanted) {
  SeaweedPorts ports;
  std::vector<std::uint16_t*> open{&ports.filer, &ports.master, &ports.volume, &ports.admin};
  if (wanted && *wanted <= kLastPort && is_usable(*wanted)) {
    ports.s3 = *wanted;
  } else {
    open.push_back(&ports.s3);
  }
  const int start = starting_point();
  for (int i = 0; i < kLastPort - kFirstPort && !open.empty(); ++i) {
    const int port = kFirstPort + (start - kFirstPort + i) % (kLastPort - kFirstPort);
    if (port == ports.s3 || !is_usable(port)) continue;
    *open.back() = static_cast<std::uint16_t>(port);
    open.pop_back();
  }
  if (!open.empty()) return failure(ErrorCode::kUnavailable, "no free ports for the S3 server");
  return ports;
}

std::string ports_text(const SeaweedPorts& ports) {
  std::string text;
  for (const std::uint16_t port : {ports.s3, ports.filer, ports.master, ports.volume, ports.admin})
    text += (text.empty() ? "" : " ") + std::to_string(port);
  return text + "\n";
}

std::optional<SeaweedPorts> read_ports(std::string_view text) {
  SeaweedPorts ports;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  for (std::uint16_t* port :
       {&ports.s3, &ports.filer, &ports.master, &ports.volume, &ports.admin}) {
    const auto [stop, error] = std::from_chars(at, end, *port);
    if (error != std::errc() || *port == 0 || stop == end || (*stop != ' ' && *stop != '\n'))
      return std::nullopt;
    at = stop + 1;
  }
  return ports;
}

void remove_sockets(os::FileSystem& files, const SeaweedPorts& ports) {
  const std::pair<const char*, std::uint16_t> named[] = {{"s3", ports.s3},
                                                         {"filer", ports.filer},
                                                         {"master", ports.master},
                                                         {"volume", ports.volume},
                                                         {"admin", ports.admin}};
  for (const auto& [name, port] : named) {
    const std::string start = std::string("/tmp/seaweedfs-") + name;
    (void)files.remove_file(start + "-" + std::to_string(port) + ".sock");
    (void)files.remove_file(start + "-grpc-" + std::to_string(port + kSecondPort) + ".sock");
  }
}

std::vector<std::string> seaweed_command(const S3ServerOptions& options,
                                         const SeaweedPorts& ports) {
  const auto flag = [](const std::string& name, const std::string& value) {
    return "-" + name + "=" + value;
  };
  std::vector<std::string> command{options.program, "mini"};
  command.push_back(flag("dir", (options.folder / "data").string()));
  command.push_back(flag("ip", "127.0.0.1"));
  command.push_back(flag("ip.bind", "127.0.0.1"));
  command.push_back(flag("s3.config", (options.folder / "identities.json").string()));
  const std::pair<const char*, std::uint16_t> numbered[] = {{"s3", ports.s3},
                                                            {"filer", ports.filer},
                                                            {"master", ports.master},
                                                            {"volume", ports.volume},
                                                            {"admin", ports.admin}};
  for (const auto& [name, port] : numbered) {
    command.push_back(flag(std::string(name) + ".port", std::to_string(port)));
    command.push_back(flag(std::string(name) + ".port.grpc", std::to_string(port + kSecondPort)));
  }
  // What is not asked for stays off, and nothing is reported to anybody.
  for (const char* off : {"-admin.ui=false", "-webdav=false", "-s3.port.iceberg=0",
                          "-s3.port.lance=0", "-master.telemetry=false",
                          "-s3.autoCreateBucket=false", "-s3.allowDeleteBucketNotEmpty=false"})
    command.emplace_back(off);
  // Its parts talk by gRPC, where each shows its certificate; the HTTP of the master and the filer
  // would obey everybody.
  command.emplace_back("-disableHttp");
  // Web pages have no business here.
  command.push_back(flag("s3.allowedOrigins", "http://127.0.0.1"));
  command.push_back(flag("filer.allowedOrigins", "http://127.0.0.1"));
  return command;
}

std::string seaweed_identities(const http::AccessKey& full, const http::AccessKey& read_only) {
  std::vector<document::Value> all{
      identity("full", full, {"Admin", "Read", "Write", "List", "Tagging"})};
  if (!read_only.id.empty()) all.push_back(identity("read-only", read_only, {"Read", "List"}));
  document::Value file = document::make_object();
  file.set("identities", document::make_list(std::move(all)));
  return document::write(file) + "\n";
}

std::optional<std::string> announced_endpoint(std::string_view output) {
  constexpr std::string_view kLabel = "S3 Endpoint:";
  const auto label = output.rfind(kLabel);
  if (label == std::string_view::npos) return std::nullopt;
  output.remove_prefix(label + kLabel.size());
  const auto end = output.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  output = output.substr(0, end);
  const auto begin = output.find("http://");
  if (begin == std::string_view::npos) return std::nullopt;
  std::string endpoint(output.substr(begin));
  while (!endpoint.empty() && (endpoint.back() == ' ' || endpoint.back() == '\r' || endpoint.back() == '/'))
    endpoint.pop_back();
  if (!port_of(endpoint)) return std::nullopt;
  return endpoint;
}

}  // namespace evener::storage
