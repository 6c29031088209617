#include "evener/control_server.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/visible.h"
#include "control_plane/cloudwatch/cloudwatch.h"
#include "control_plane/front/front.h"
#include "control_plane/identity/identity.h"
#include "control_plane/logs/logs.h"
#include "control_plane/sagemaker/sagemaker.h"
#include "evener/catalog_source.h"
#include "evener/host_services.h"
#include "evener/local_inputs.h"
#include "evener/remote_inputs.h"
#include "evener/server_address.h"
#include "evener/submission.h"
#include "evener/summary.h"
#include "os/socket.h"
#include "training/backends/local/job_folder/job_folder.h"

namespace evener::app {
namespace {

constexpr std::string_view kAccount = "000000000000";
// An engine in the background makes room when it sees the server's lock.
constexpr std::chrono::milliseconds kSeatWait{5'000};
constexpr std::chrono::milliseconds kLockWait{1'000};
constexpr std::chrono::milliseconds kTurn{20};
constexpr int kLongReaders = 2;   // threads that read logs and metrics

std::vector<control_plane::Operation> joined(std::vector<std::vector<control_plane::Operation>> tables) {
  std::vector<control_plane::Operation> all;
  for (auto& table : tables)
    for (auto& operation : table) all.push_back(std::move(operation));
  return all;
}

// The words that a process was started with; "" where it cannot be asked.
std::string command_of(pid_t pid, os::FileSystem& files) {
  constexpr std::uint64_t kMostBytes = 4'096;
  auto text = os::read_text(files, "/proc/" + std::to_string(pid) + "/cmdline", kMostBytes);
  if (!text) return "";
  while (!text->empty() && text->back() == '\0') text->pop_back();
  std::ranges::replace(*text, '\0', ' ');
  return visible_ascii(*text);
}

tl::unexpected<Error> seat_is_taken(const Home& home, os::FileSystem& files) {
  const auto holder = os::lock_holder(home.lock());
  std::string who = "another evener";
  if (holder) {
    who = "process " + std::to_string(*holder);
    if (const std::string command = command_of(*holder, files); !command.empty())
      who += " (" + command + ")";
  }
  return failure(ErrorCode::kUnavailable,
                 who + " runs jobs of the home " + home.root.string() +
                     " and goes on until they have ended; wait for it, stop its job (evener jobs "
                     "stop NAME), or choose another --home");
}

}  // namespace

// The port is taken before jobs can start, since they are told of it; requests that come before
// there is an engine are to come again.
class LateFront {
 public:
  void open(http::OnRequest front) {
    front_ = std::move(front);
    open_ = true;
  }
  void take(http::Request request, http::Reply reply) const {
    if (open_) return front_(std::move(request), std::move(reply));
    reply({.status = 503, .headers = {}, .body = {}});
  }

 private:
  http::OnRequest front_;
  std::atomic<bool> open_{false};
};

ControlServer::ControlServer(ControlServerOptions options, os::FileSystem& files, const Clock& clock)
    : options_(std::move(options)), files_(files), clock_(clock), remover_(files),
      catalog_(options_.home, files), machine_(whole_machine()), stores_(options_.home.root), background_(kLongReaders) {}

Result<std::unique_ptr<ControlServer>> ControlServer::start(ControlServerOptions options,
                                                            os::FileSystem& files,
                                                            const Clock& clock) {
  if (options.insecure && !options.listen.loopback)
    return failure(ErrorCode::kInvalidArgument,
                   "--insecure on " + options.listen.address +
                       ": whoever reaches this server runs code on this machine; only a loopback "
                       "address such as 127.0.0.1 may be without signatures");
  std::unique_ptr<ControlServer> server(new ControlServer(std::move(options), files, clock));
  RETURN_IF_ERROR(server->take_home());
  RETURN_IF_ERROR(server->open_port());
  RETURN_IF_ERROR(server->take_seat());
  RETURN_IF_ERROR(server->open_front());
  return server;
}

ControlServer::~ControlServer() {
  server_.reset();
  seat_.reset();
  if (!endpoint_.empty()) {
    [[maybe_unused]] const auto removed = files_.remove_file(options_.home.server_file());
  }
}

Status ControlServer::take_home() {
  const auto deadline = clock_.monotonic_now() + kLockWait;
  while (true) {
    auto lock = os::FileLock::try_acquire(options_.home.server_lock());
    if (!lock) return tl::unexpected(lock.error());
    if (lock->has_value()) {
      lock_ = std::move(*lock);
      break;
    }
    if (clock_.monotonic_now() >= deadline)
      return failure(ErrorCode::kUnavailable,
                     "another evener serve runs on the home " + options_.home.root.string() +
                         "; use that one (evener env), stop it, or choose another --home");
    std::this_thread::sleep_for(kTurn);
  }
  auto keys = control_plane::open_keys(options_.home.keys(), random_);
  if (!keys) return tl::unexpected(keys.error());
  keys_ = std::move(*keys);
  keys_.insert(keys_.end(), options_.more_keys.begin(), options_.more_keys.end());
  // What a server that was killed had left to do.
  if (const auto left = files_.list(options_.home.deleted()))
    for (const os::DirectoryEntry& entry : *left)
      remover_.remove(options_.home.deleted() / entry.name);
  return ok();
}

Status ControlServer::open_port() {
  front_ = std::make_shared<LateFront>();
  auto server = http::listen(
      {.address = options_.listen.address, .port = options_.listen.port, .tls = options_.tls},
      [front = front_](http::Request request, http::Reply reply) {
        front->take(std::move(request), std::move(reply));
      });
  if (!server) return tl::unexpected(server.error());
  server_ = std::move(*server);
  listening_ = options_.listen;
  listening_.port = server_->port();
  return ok();
}

Status ControlServer::take_seat() {
  auto seat = EngineSeat::start({.home = options_.home,
                                 .isolation = options_.isolation,
                                 .kind = backends::EngineKind::kServer,
                                 .host_services = host_services(listening_, options_.s3_endpoint)},
                                files_, clock_);
  if (!seat) return tl::unexpected(seat.error());
  const auto deadline = clock_.monotonic_now() + kSeatWait;
  while (!(*seat)->taken()) {
    if (clock_.monotonic_now() >= deadline)
      return seat_is_taken(options_.home, files_);
    std::this_thread::sleep_for(kTurn);
  }
  seat_ = std::move(*seat);
  return ok();
}

// What `--server` asks for besides.
std::vector<control_plane::Operation> ControlServer::own_operations() {
  const auto& root = options_.home.root;
  followers_ = std::make_unique<control_plane::Followers>(
      stores_, clock_, [root](const std::string& job) {
        const auto folder = backends::job_folder(root, job);
        return following::JobFiles{folder.logs(), folder.samples()};
      });
  control_plane::ServerFacts facts{.version = EVENER_VERSION,
                                   .output = "file://" + options_.home.output().string(),
                                   .s3_endpoint = options_.s3_endpoint,
                                   .bucket = options_.bucket,
                                   .cpus = machine_cluster().cpus,
                                   .folder = root};
  add_machine(facts, files_);
  return control_plane::evener_operations(
      stores_, seat_->engine(), *followers_, clock_,
      {.facts = std::move(facts),
       .cost = [this](const auto& job, const std::string& region) -> Result<cost::JobCost> {
         const auto catalog = catalog_.get();
         if (!catalog) return tl::unexpected(catalog.error());
         return cost::job_cost(group_uses(job), **catalog, region, clock_.wall_now());
       }});
}

Status ControlServer::open_front() {
  using namespace control_plane;
  std::vector<std::string> names = options_.host_names;
  names.emplace_back("localhost");
  names.emplace_back(sandbox::kHostName);
  front_->open(make_front(
      {.keys = keys_,
       .signatures = options_.insecure ? Signatures::kIgnored : Signatures::kRequired,
       .addresses = options_.listen.loopback ? HostAddresses::kLoopback : HostAddresses::kAny,
       .host_names = std::move(names),
       .region = options_.region},
      joined({sagemaker_operations(
                  stores_, seat_->engine(), clock_,
                  {.account = std::string(kAccount),
                   .complete = [this](auto& spec, auto& notices) { return complete(spec, notices); },
                   .deleted = [this](const std::string& job) { forget(job); }}),
              background_.move(search_operations(stores_)), background_.move(file_operations()),
              own_operations(),
              identity_operations(std::string(kAccount))}),
      clock_, random_));
  endpoint_ = (options_.tls ? "https://" : "http://") + to_string(listening_);
  return write_server_address(options_.home, {endpoint_, options_.s3_endpoint}, files_);
}

// What reads the files of jobs.
std::vector<control_plane::Operation> ControlServer::file_operations() {
  using namespace control_plane;
  const auto root = options_.home.root;
  return joined({log_operations(stores_, {.account = std::string(kAccount),
                                          .folder = [root](const std::string& job) {
                                            return backends::job_folder(root, job).logs();
                                          }}),
                 cloudwatch_operations(stores_, clock_, {.files = [root](const std::string& job) {
                                         const auto folder = backends::job_folder(root, job);
                                         return MetricFiles{folder.metrics(), folder.samples()};
                                       }})});
}

Status ControlServer::complete(jobs::JobSpec& spec, std::vector<std::string>& notices) {
  RETURN_IF_ERROR(check_places(spec));
  RETURN_IF_ERROR(check_local_inputs(spec, files_));
  spec.isolation = options_.job_isolation;
  const auto catalog = catalog_.get();
  if (!catalog) return tl::unexpected(catalog.error());
  resolve_shapes(spec, **catalog, machine_, notices);
  return ok();
}

// The folder leaves its place at once, since the name may be used again; its removal takes longer.
void ControlServer::forget(const std::string& job) {
  const auto folder = backends::job_folder(options_.home.root, job).root;
  const auto aside = options_.home.deleted() / random_suffix(random_, 16);
  Status moved = files_.make_directories(options_.home.deleted());
  if (moved) moved = files_.rename(folder, aside);
  if (!moved && moved.error().code == ErrorCode::kNotFound) return;   // it never started
  if (!moved)
    log_line(LogLevel::kWarning, "server", "could not remove the folder of a deleted job",
             {{"job", job}, {"error", moved.error().message}});
  else
    remover_.remove(aside);
}

}  // namespace evener::app
