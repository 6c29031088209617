#include "http/client/client.h"

#include <curl/curl.h>

#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "http/client/transfer.h"

namespace evener::http {
namespace {

class PooledClient final : public Client {
 public:
  explicit PooledClient(ClientOptions options) : options_(std::move(options)) {
    // Counted by libcurl, and safe from several threads since 7.84.
    CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "libcurl can be initialised");
  }
  PooledClient(const PooledClient&) = delete;
  PooledClient& operator=(const PooledClient&) = delete;
  ~PooledClient() override {
    idle_.clear();
    curl_global_cleanup();
  }

  Result<Response> send(const Exchange& exchange) override {
    auto handle = take();
    if (!handle) return tl::unexpected(std::move(handle.error()));
    auto response = (*handle)->perform(options_, exchange);
    give_back(std::move(*handle));
    return response;
  }

 private:
  // The one that was used last: its connection is the least likely to have been closed.
  Result<std::unique_ptr<CurlHandle>> take() {
    MutexLock lock(mutex_);
    if (idle_.empty()) return CurlHandle::make();
    auto handle = std::move(idle_.back());
    idle_.pop_back();
    return handle;
  }

  void give_back(std::unique_ptr<CurlHandle> handle) {
    MutexLock lock(mutex_);
    if (idle_.size() < options_.idle_connections) idle_.push_back(std::move(handle));
  }

  const ClientOptions options_;
  Mutex mutex_;
  std::vector<std::unique_ptr<CurlHandle>> idle_ GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Client> make_client(const ClientOptions& options) {
  return std::make_unique<PooledClient>(options);
}

}  // namespace evener::http
