#include "http/server/listener.h"

#include <utility>

namespace evener::http {
namespace {

using boost::system::error_code;

constexpr int kBacklog = 4'096;
// Out of descriptors or memory, a new try waits so long; clients wait in the backlog meanwhile.
constexpr std::chrono::milliseconds kRetryAfter{100};

Status failed(const error_code& error, const std::string& attempted) {
  if (error == asio::error::address_in_use) {
    return failure(ErrorCode::kUnavailable, attempted + ": another program has this port");
  }
  return errno_failure(error.value(), attempted);
}

}  // namespace

Listener::Listener(std::vector<std::shared_ptr<Worker>> workers, std::shared_ptr<ServerState> state,
                   std::optional<asio::ssl::context> tls)
    : workers_(std::move(workers)),
      state_(std::move(state)),
      tls_(std::move(tls)),
      acceptor_(workers_.front()->loop()),
      retry_(workers_.front()->loop()) {}

Status Listener::open(const ServerOptions& options) {
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    return failure(ErrorCode::kInvalidArgument,
                   "listen: \"" + options.address + "\" is not an IPv4 or IPv6 address");
  }
  const asio::ip::tcp::endpoint endpoint(address, options.port);
  const std::string attempted = "listen on " + options.address + " port " +
                                std::to_string(options.port);
  acceptor_.open(endpoint.protocol(), error);
  if (error) return failed(error, attempted);
  acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(kBacklog, error);
  if (!error) acceptor_.non_blocking(true, error);
  if (error) return failed(error, attempted);
  return ok();
}

std::uint16_t Listener::port() const {
  error_code error;
  return acceptor_.local_endpoint(error).port();
}

void Listener::accept() {
  const std::shared_ptr<Worker>& worker = next_worker();
  acceptor_.async_accept(
      worker->loop().get_executor(),
      [self = shared_from_this(), worker](const error_code& error, Socket socket) {
        self->on_accepted(error, std::move(socket), worker);
      });
}

void Listener::on_accepted(const error_code& error, Socket socket,
                           const std::shared_ptr<Worker>& worker) {
  if (!error) hand_over(std::move(socket), worker);
  if (!acceptor_.is_open() || error == asio::error::operation_aborted) return;
  if (error && error != asio::error::connection_aborted) return retry_later();
  accept();
}

void Listener::hand_over(Socket socket, const std::shared_ptr<Worker>& worker) {
  if (state_->connections() >= state_->options.connection_limit) return;
  auto connection = tls_ ? make_tls_connection(std::move(socket), worker, state_, *tls_)
                         : make_connection(std::move(socket), worker, state_);
  worker->post([worker, connection] { worker->add(connection); });
}

void Listener::retry_later() {
  retry_.expires_after(kRetryAfter);
  retry_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error && self->acceptor_.is_open()) self->accept();
  });
}

void Listener::close() {
  if (!acceptor_.is_open()) return;
  retry_.cancel();
  error_code error;
  acceptor_.cancel(error);
  for (;;) {
    const std::shared_ptr<Worker>& worker = next_worker();
    Socket socket(worker->loop());
    acceptor_.accept(socket, error);
    if (error) break;
    hand_over(std::move(socket), worker);
  }
  acceptor_.close(error);
}

}  // namespace evener::http
