// The JSON of a ManifestFile: [{"prefix": "s3://bucket/path/"}, "rel/key1", "rel/key2", ...].
//
// Used by:  channels.
// Threads:  pure.
// Fails:    kCorrupt with what is wrong and where.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace evener::artifacts {

struct Manifest {
  std::string prefix;
  std::vector<std::string> names;   // as written; an object's URI is the prefix followed by its name
};
Result<Manifest> parse_manifest(std::string_view text);

}  // namespace evener::artifacts
