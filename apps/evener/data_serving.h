// What dispatcher and worker have in common: token, address, TLS, the HTTP endpoint for Prometheus.
//
// Used by:  data_dispatcher_command.cc, data_worker_command.cc; reader commands.
// Threads:  the endpoint has one of its own; it calls back on it.
// Fails:    kInvalidArgument on a flag, kPermissionDenied and kNotFound for a token file.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "data/pipeline/pipeline.h"
#include "data/transport/transport.h"
#include "evener/data_options.h"
#include "evener/object_stores.h"
#include "http/server/server.h"
#include "storage/storage.h"

namespace evener::app {

// The file's first line, else EVENER_DATA_TOKEN, else "".
Result<std::string> data_token(const std::filesystem::path& file);

// `local`: what the name of the abstract unix socket begins with.
Result<data::transport::ListenOptions> data_listen(const DataServeOptions& options,
                                                   const std::string& local);

// Answers `give` the text and its type, on any thread.
using GivePage = std::function<void(std::string text, std::string type)>;
struct DataPages {
  std::function<void(GivePage)> metrics;     // GET /metrics
  std::function<void(GivePage)> status;      // GET /status, JSON
};
// Nothing where no address was given. Others than loopback addresses are refused: the pages have no
// token.
Result<std::unique_ptr<http::Server>> serve_data_pages(const std::string& address, DataPages pages);

// file://, and s3:// where the environment knows an endpoint.
class DataStores {
 public:
  static Result<std::unique_ptr<DataStores>> make();
  const storage::StoreSet& set() const { return set_; }

 private:
  DataStores() = default;
  std::unique_ptr<os::FileSystem> files_;
  ObjectStores object_stores_;
  storage::StoreSet set_;
};

// Told on standard output once a server listens.
void print_listening(OutputForm form, const std::string& what, const std::string& endpoint,
                     const http::Server* pages);

// Of a TOML file; relative places count from its folder.
Result<data::pipeline::Definition> load_pipeline(const std::string& path);

// As many CPUs as this process may use.
std::uint32_t usable_cpus();

}  // namespace evener::app
