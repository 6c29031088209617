#include "evener/data_serving.h"

#include <sched.h>

#include <algorithm>

#include "base/document.h"
#include "base/ids.h"
#include "evener/job_view.h"
#include "evener/listen_address.h"
#include "evener/machine.h"

namespace evener::app {
namespace {

constexpr std::uint64_t kTokenLimitBytes = 4096;
constexpr std::size_t kLocalNameLength = 12;

}  // namespace

Result<std::string> data_token(const std::filesystem::path& file) {
  if (file.empty()) {
    const auto environment = environment_variables();
    const auto found = environment.find("EVENER_DATA_TOKEN");
    return found == environment.end() ? "" : found->second;
  }
  auto files = os::make_real_file_system();
  auto text = os::read_text(*files, file, kTokenLimitBytes);
  if (!text) return tl::unexpected(std::move(text.error()));
  std::string token = text->substr(0, text->find_first_of("\r\n"));
  if (token.empty())
    return failure(ErrorCode::kInvalidArgument, file.string() + " holds no token in its first line");
  return token;
}

Result<data::transport::ListenOptions> data_listen(const DataServeOptions& options,
                                                   const std::string& local) {
  auto address = parse_listen_address(options.listen);
  if (!address) return tl::unexpected(std::move(address.error()));
  auto token = data_token(options.token_file);
  if (!token) return tl::unexpected(std::move(token.error()));
  if (token->empty() && !address->loopback)
    return failure(ErrorCode::kInvalidArgument,
                   "--listen " + options.listen + " is open to other machines: give --token-file or "
                   "EVENER_DATA_TOKEN, the same to dispatcher, workers and readers");
  SystemRandom random;
  data::transport::ListenOptions listen;
  listen.address = address->address;
  listen.port = address->port;
  listen.local = local + "-" + random_suffix(random, kLocalNameLength);
  listen.token = std::move(*token);
  if (!options.tls_certificate.empty())
    listen.tls = data::transport::TlsServerFiles{options.tls_certificate, options.tls_key};
  return listen;
}

Result<std::unique_ptr<http::Server>> serve_data_pages(const std::string& address,
                                                       DataPages pages) {
  if (address.empty()) return std::unique_ptr<http::Server>();
  auto parsed = parse_listen_address(address);
  if (!parsed) return failure_in("--metrics", std::move(parsed.error()));
  if (!parsed->loopback)
    return failure(ErrorCode::kInvalidArgument,
                   "--metrics " + address + ": the page asks nobody who he is; use a loopback address");
  http::ServerOptions options;
  options.address = parsed->address;
  options.port = parsed->port;
  options.threads = 1;
  return http::listen(options, [pages = std::move(pages)](const http::Request& request,
                                                          const http::Reply& reply) {
    const bool read = request.method == "GET" || request.method == "HEAD";
    const auto give = [reply](std::string text, std::string type) {
      reply({.status = 200, .headers = {{"Content-Type", type}}, .body = std::move(text)});
    };
    if (read && request.path == "/metrics") return pages.metrics(give);
    if (read && request.path == "/status") return pages.status(give);
    reply({.status = read ? 404 : 405, .headers = {}, .body = "there are /metrics and /status\n"});
  });
}

Result<std::unique_ptr<DataStores>> DataStores::make() {
  std::unique_ptr<DataStores> stores(new DataStores);
  stores->files_ = os::make_real_file_system();
  stores->set_.add("file", storage::make_file_store(*stores->files_));
  // Those of the job whose host this is; without a job there are none.
  const auto environment = environment_variables();
  const auto base = environment.find("SAGEMAKER_BASE_DIR");
  const std::filesystem::path ml = base == environment.end() ? "/opt/ml" : base->second;
  stores->set_.add("channel", storage::make_channel_store(*stores->files_, ml / "input/data"));
  auto access = storage::access_from(environment);
  if (!access) return tl::unexpected(std::move(access.error()));
  if (!*access) return stores;
  const storage::S3Access known = **access;
  stores->set_.add("s3", stores->object_stores_.make(
                             [known]() -> Result<storage::S3Access> { return known; }, {}));
  return stores;
}

void print_listening(OutputForm form, const std::string& what, const std::string& endpoint,
                     const http::Server* pages) {
  if (form == OutputForm::kJson) {
    document::Value line = document::make_object();
    line.set("event", document::make_string("listening"));
    line.set("endpoint", document::make_string(endpoint));
    if (pages != nullptr) line.set("metrics_port", document::make_integer(pages->port()));
    return print(document::write(line) + "\n");
  }
  std::string text = what + " listens on " + endpoint;
  if (pages != nullptr)
    text += "; http://127.0.0.1:" + std::to_string(pages->port()) + "/metrics and /status";
  print(text + "\n");
}

Result<data::pipeline::Definition> load_pipeline(const std::string& path) {
  auto files = os::make_real_file_system();
  auto text = os::read_text(*files, path, data::pipeline::kMaxDefinitionBytes);
  if (!text) return tl::unexpected(std::move(text.error()));
  const auto folder = std::filesystem::absolute(path).parent_path();
  return data::pipeline::read_toml_definition(*text, path, folder.string());
}

std::uint32_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::uint32_t>(std::max(CPU_COUNT(&set), 1));
}

}  // namespace evener::app
