// Makes connections out of accepted sockets.
//
// Used by:  listener.
// Threads:  made on the thread that accepts, then used on its worker's.
// Fails:    never; a connection that fails ends itself.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "http/server/worker.h"

namespace boost::asio::ssl {
class context;
}

namespace evener::http {

using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;

std::shared_ptr<Connection> make_connection(Socket socket, std::shared_ptr<Worker> worker,
                                            std::shared_ptr<ServerState> state);
std::shared_ptr<Connection> make_tls_connection(Socket socket, std::shared_ptr<Worker> worker,
                                                std::shared_ptr<ServerState> state,
                                                asio::ssl::context& tls);

}  // namespace evener::http
