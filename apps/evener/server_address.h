// Where the server of a home is: a file that it writes while it runs.
//
// Used by:  serve, env.
// Threads:  one.
// Fails:    read: kNotFound where none runs; kCorrupt.
#pragma once

#include <string>

#include "base/result.h"
#include "evener/home.h"
#include "os/file_system.h"

namespace evener::app {

struct ServerAddress {
  std::string endpoint;         // "http://127.0.0.1:8900"
  std::string s3_endpoint;      // "" where the server knows of none
};

Status write_server_address(const Home& home, const ServerAddress& address, os::FileSystem& files);
// Of a server that runs: a file that a killed one left is none.
Result<ServerAddress> read_server_address(const Home& home, os::FileSystem& files);

}  // namespace evener::app
