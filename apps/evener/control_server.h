// The server of one home: its engine, the operations of all services, and the HTTP server in front.
//
// Used by:  serve, up.
// Threads:  those of the engine's seat and of the HTTP server, one that removes folders and one for
//           those who wait for news; all end in the destructor. Jobs go on.
// Fails:    start() when the home has another server or engine, its keys are not safe, the port is
//           taken, or --insecure is asked for elsewhere than on a loopback address.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "control_plane/background/background.h"
#include "control_plane/evener/evener.h"
#include "control_plane/keys/keys.h"
#include "control_plane/stores/stores.h"
#include "evener/current_catalog.h"
#include "evener/engine_seat.h"
#include "evener/folder_remover.h"
#include "evener/home.h"
#include "evener/listen_address.h"
#include "http/server/server.h"
#include "os/file_system.h"

namespace evener::app {

struct ControlServerOptions {
  Home home;
  ListenAddress listen;
  std::vector<std::string> host_names{};
  std::string region = "us-east-1";
  sandbox::Isolation isolation = sandbox::Isolation::kNamespaces;
  std::optional<jobs::Isolation> job_isolation{};   // that jobs keep, whoever runs them
  std::optional<http::TlsFiles> tls{};
  bool insecure = false;
  std::string s3_endpoint{};            // that `evener env` tells clients of
  std::vector<control_plane::Key> more_keys{};      // besides those of the home
  std::string bucket{};                 // for what clients bring, where the server has one
};

class LateFront;

class ControlServer {
 public:
  static Result<std::unique_ptr<ControlServer>> start(ControlServerOptions options,
                                                      os::FileSystem& files, const Clock& clock);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  const std::string& endpoint() const { return endpoint_; }
  // Takes no more connections and answers what was asked.
  void drain(std::chrono::milliseconds limit) {
    followers_->release();
    server_->drain(limit);
  }

 private:
  ControlServer(ControlServerOptions options, os::FileSystem& files, const Clock& clock);
  Status take_home();
  Status open_port();
  Status take_seat();
  Status open_front();
  std::vector<control_plane::Operation> file_operations();
  std::vector<control_plane::Operation> own_operations();
  Status complete(jobs::JobSpec& spec, std::vector<std::string>& notices);
  void forget(const std::string& job);

  const ControlServerOptions options_;
  os::FileSystem& files_;
  const Clock& clock_;
  SystemRandom random_;
  ListenAddress listening_;
  std::string endpoint_;
  std::optional<os::FileLock> lock_;
  std::vector<control_plane::Key> keys_;
  FolderRemover remover_;
  CurrentCatalog catalog_;
  const jobs::InstanceShape machine_;       // what an unknown instance type gets
  std::unique_ptr<EngineSeat> seat_;
  control_plane::Stores stores_;
  control_plane::Background background_;    // long reads
  std::unique_ptr<control_plane::Followers> followers_;
  std::shared_ptr<LateFront> front_;        // what the port answers with, once it can
  std::unique_ptr<http::Server> server_;    // last: its requests use all of the above
};

}  // namespace evener::app
