// Definitions of pipelines, read by the code that every side uses.
//
// Used by:  module.cc.
// Threads:  pure functions, with Python's lock held.
// Fails:    evener.data.PipelineError.
#pragma once

#include <string>

namespace evener::python {

// Canonical JSON of a definition in JSON or TOML. Relative locations count from `folder`.
std::string read_definition(const std::string& text, const std::string& folder);
std::string read_toml_definition(const std::string& text, const std::string& file,
                                 const std::string& folder);
// Of a definition in JSON.
std::string fingerprint(const std::string& text);

}  // namespace evener::python
