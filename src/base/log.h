// Evener's own log: one `time level module message key=value …` line per call, on stderr.
//
// Used by:  processes of Evener about themselves. A job's output never comes here.
// Threads:  any; one write(2) per line.
// Fails:    never; a line that cannot be written is dropped.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

namespace evener {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

using LogField = std::pair<std::string_view, std::string_view>;

// Lines below this level are dropped. Set once by main before any thread starts.
void set_log_level(LogLevel level);

// Values with blanks or quotes are quoted, control characters are written as \n, \x1b, ... Never
// pass secrets.
void log_line(LogLevel level, std::string_view module, std::string_view message,
              std::initializer_list<LogField> fields = {});

}  // namespace evener
