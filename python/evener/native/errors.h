// Errors of the C++ side as exceptions of evener.data.
//
// Used by:  module.cc, reader.cc.
// Threads:  with Python's lock held.
// Fails:    always: that is what they are for.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "data/client/client.h"

namespace evener::python {

// Raises evener.data.DataError, whose `code` is to_string(error.code).
[[noreturn]] void raise(const Error& error);
// The same with the unit, its samples and its worker.
[[noreturn]] void raise_failed_unit(const data::client::FailedUnit& failed);
// Raises evener.data.PipelineError.
[[noreturn]] void raise_pipeline_error(const Error& error);
// What a signal handler of Python raised, KeyboardInterrupt by default; returns where there was none.
void raise_signals();

}  // namespace evener::python
