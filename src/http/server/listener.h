// Takes connections from the port and hands them to the workers in turn.
//
// Used by:  server.
// Threads:  open() on any before accept(); the rest on the first worker's.
// Fails:    open() with kUnavailable, kPermissionDenied, kInvalidArgument.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "http/server/connection.h"
#include "http/server/worker.h"

namespace evener::http {

class Listener : public std::enable_shared_from_this<Listener> {
 public:
  // The loop of the first worker accepts.
  Listener(std::vector<std::shared_ptr<Worker>> workers, std::shared_ptr<ServerState> state,
           std::optional<asio::ssl::context> tls);

  Status open(const ServerOptions& options);
  std::uint16_t port() const;
  // On the first worker's thread:
  void accept();
  // Takes what the kernel has already accepted, then listens no more.
  void close();

 private:
  using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, asio::io_context::executor_type>;

  const std::shared_ptr<Worker>& next_worker() { return workers_[next_++ % workers_.size()]; }
  // The socket's events are of the worker's loop from the start.
  void on_accepted(const boost::system::error_code& error, Socket socket,
                   const std::shared_ptr<Worker>& worker);
  void hand_over(Socket socket, const std::shared_ptr<Worker>& worker);
  void retry_later();

  const std::vector<std::shared_ptr<Worker>> workers_;
  const std::shared_ptr<ServerState> state_;
  std::optional<asio::ssl::context> tls_;
  Acceptor acceptor_;
  asio::steady_timer retry_;
  std::size_t next_ = 0;
};

}  // namespace evener::http
