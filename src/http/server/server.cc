#include "http/server/server.h"

#include <future>
#include <utility>
#include <vector>

#include "http/server/listener.h"
#include "http/server/tls.h"
#include "http/server/worker.h"

namespace evener::http {
namespace {

class AsioServer final : public Server {
 public:
  AsioServer(std::shared_ptr<ServerState> state, std::vector<std::shared_ptr<Worker>> workers,
             std::shared_ptr<Listener> listener)
      : state_(std::move(state)),
        workers_(std::move(workers)),
        listener_(std::move(listener)),
        port_(listener_->port()) {}

  ~AsioServer() override {
    close_listener();
    for (const auto& worker : workers_) worker->stop();
  }

  std::uint16_t port() const override { return port_; }

  void drain(std::chrono::milliseconds limit) override {
    state_->draining = true;
    close_listener();
    for (const auto& worker : workers_) {
      worker->post([&worker = *worker] { worker.drain(); });
    }
    state_->wait_until_closed(limit);
    for (const auto& worker : workers_) worker->stop();
  }

  void start() {
    for (const auto& worker : workers_) worker->run(worker);
    workers_.front()->post([listener = listener_] { listener->accept(); });
  }

 private:
  // Waits until all that was accepted has been handed to its worker.
  void close_listener() {
    auto closed = std::make_shared<std::promise<void>>();
    const auto done = closed->get_future();
    // A second turn, after an accept that had ended before the first. After stop() both are
    // dropped and the promise breaks, which ends the wait too.
    auto second_turn = [closed = std::move(closed)] { closed->set_value(); };
    workers_.front()->post([worker = workers_.front().get(), listener = listener_,
                            second_turn = std::move(second_turn)] {
      listener->close();
      worker->post(second_turn);
    });
    done.wait();
  }

  const std::shared_ptr<ServerState> state_;
  const std::vector<std::shared_ptr<Worker>> workers_;
  const std::shared_ptr<Listener> listener_;
  const std::uint16_t port_;
};

}  // namespace

Result<std::unique_ptr<Server>> listen(ServerOptions options, OnRequest on_request) {
  if (options.threads < 1) {
    return failure(ErrorCode::kInvalidArgument, "listen: a server has at least one thread");
  }
  std::optional<asio::ssl::context> tls;
  if (options.tls) {
    auto made = make_tls(*options.tls);
    if (!made) return tl::unexpected(made.error());
    tls = std::move(*made);
  }
  std::vector<std::shared_ptr<Worker>> workers;
  for (int at = 0; at < options.threads; ++at) workers.push_back(std::make_shared<Worker>(options));
  auto shared = std::make_shared<ServerState>(options, std::move(on_request));
  auto listener = std::make_shared<Listener>(workers, shared, std::move(tls));
  RETURN_IF_ERROR(listener->open(options));
  auto server = std::make_unique<AsioServer>(shared, std::move(workers), std::move(listener));
  server->start();
  return server;
}

}  // namespace evener::http
