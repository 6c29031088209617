// TLS of the server from its files.
//
// Used by:  server.
// Threads:  a pure function of the files.
// Fails:    as said below.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"
#include "http/server/server.h"

namespace evener::http {

// TLS 1.2 or 1.3. kInvalidArgument for files that are none or do not belong together.
Result<boost::asio::ssl::context> make_tls(const TlsFiles& files);

}  // namespace evener::http
