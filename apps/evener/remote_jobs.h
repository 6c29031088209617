// The jobs behind a server, for `--server`: SageMaker's operations where they carry what is needed,
// Evener's own for the rest.
//
// Used by:  job_source, train_remote.
// Threads:  a ServerConnection may be shared; a JobSource belongs to one.
// Fails:    connect() with what the user can mend: kInvalidArgument (URL, no Evener),
//           kPermissionDenied (key), kUnavailable (nobody answers). Later see job_source.h: a server
//           that is lost is said on standard error and waited for.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "control_plane/client/client.h"
#include "control_plane/evener/evener.h"
#include "evener/job_source.h"

namespace evener::app {

// --server, else EVENER_SERVER unless --home names a home; "" where jobs are local.
std::string chosen_server(const SharedOptions& options);

// How long a server that does not answer is waited for.
enum class Patience { kView, kSignal };

struct ServerConnection {
  std::string url;
  std::string region;
  std::optional<http::AccessKey> key;
  std::shared_ptr<http::Client> http;
  const Clock* clock = nullptr;
  control_plane::ServerFacts facts;

  control_plane::ServerClient client(Patience patience) const;
};

// Asks the server what it is, once.
Result<ServerConnection> connect(const std::string& url, const SharedOptions& options,
                                 const Clock& clock);

// After a deletion whose answer may have been lost; a server that does not answer says nothing.
bool is_gone(const Result<jobs::TrainingJob>& looked_up);

std::unique_ptr<JobSource> make_remote_jobs(const ServerConnection& server, Patience patience);

}  // namespace evener::app
