// What clients need besides variables: the SageMaker SDK's config file, so that it asks nobody for
// a bucket and a role; and quoting for a shell.
//
// Used by:  env.
// Threads:  pure functions but for writing one file.
// Fails:    with the file's error.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "os/file_system.h"

namespace evener::app {

struct ClientConfig {
  std::filesystem::path folder;
  std::string bucket;
  std::string role;
};

// The text of config.yaml for SDK v2 and v3.
std::string client_config_text(const ClientConfig& config);
// Writes it; answers its absolute path.
Result<std::filesystem::path> write_client_config(const ClientConfig& config, os::FileSystem& files);

// For sh: as it is where it is plain, else in single quotes.
std::string shell_quoted(const std::string& text);

}  // namespace evener::app
