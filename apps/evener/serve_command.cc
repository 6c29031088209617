#include <cstdio>

#include "base/document.h"
#include "evener/commands.h"
#include "evener/control_server.h"
#include "evener/interrupts.h"
#include "evener/isolation.h"
#include "evener/job_view.h"
#include "evener/machine.h"
#include "evener/run_service.h"
#include "evener/serve_command.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kDrain{10'000};
constexpr std::chrono::hours kTurn{24};       // of waiting for a signal

std::string ready_text(const ServeOptions& options, const ControlServer& server) {
  if (options.shared.form == OutputForm::kJson) {
    document::Value line = document::make_object();
    line.set("event", document::make_string("listening"));
    line.set("endpoint", document::make_string(server.endpoint()));
    return document::write(line) + "\n";
  }
  const std::string home =
      options.shared.home.empty() ? "" : " --home " + options.shared.home.string();
  return "listening on " + server.endpoint() + "; in another shell: eval \"$(evener env" + home +
         ")\"\n";
}

void warn(const ServeOptions& options, const ListenAddress& listen) {
  if (options.insecure)
    std::fputs("evener: --insecure: every program and user of this machine may run jobs as you\n",
               stderr);
  else if (!listen.loopback && options.tls_certificate.empty())
    std::fputs("evener: other machines reach this server without TLS: requests are signed, but "
               "anyone on the way can read them\n",
               stderr);
}

}  // namespace

Result<int> serve_until_signal(const ServeOptions& options, const S3Beside& s3,
                               Interrupts& interrupts) {
  const SystemClock clock;
  auto listen = parse_listen_address(options.listen);
  if (!listen) return tl::unexpected(listen.error());
  auto home = open_home(options.shared.home);
  if (!home) return tl::unexpected(home.error());
  auto files = os::make_real_file_system();
  auto isolation = choose_isolation(options.isolation, *home, *files);
  if (!isolation) return tl::unexpected(isolation.error());
  auto job_isolation = wished_isolation(options.isolation);
  if (!job_isolation) return tl::unexpected(job_isolation.error());
  std::optional<http::TlsFiles> tls;
  if (!options.tls_certificate.empty())
    tls = http::TlsFiles{options.tls_certificate, options.tls_key};
  raise_open_files_limit();
  auto server = ControlServer::start({.home = *home,
                                      .listen = *listen,
                                      .host_names = options.host_names,
                                      .region = options.shared.region,
                                      .isolation = *isolation,
                                      .job_isolation = *job_isolation,
                                      .tls = tls,
                                      .insecure = options.insecure,
                                      .s3_endpoint = s3.endpoint,
                                      .more_keys = s3.keys,
                                      .bucket = s3.bucket},
                                     *files, clock);
  if (!server) return tl::unexpected(server.error());
  warn(options, *listen);
  print(ready_text(options, **server));
  while (interrupts.wait(kTurn) == 0) {
  }
  (*server)->drain(kDrain);
  return kExitDone;
}

int run_serve(const ServeOptions& options) {
  return run_service(
      [&](Interrupts& interrupts) { return serve_until_signal(options, {}, interrupts); });
}

}  // namespace evener::app
