#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <string>

#include "base/clock.h"
#include "base/visible.h"

namespace evener {
namespace {

std::atomic<LogLevel> minimum_level{LogLevel::kWarning};

char letter(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return 'D';
    case LogLevel::kInfo: return 'I';
    case LogLevel::kWarning: return 'W';
    case LogLevel::kError: return 'E';
  }
  return '?';
}

void append_value(std::string& line, std::string_view value) {
  const bool plain = !value.empty() && std::ranges::none_of(value, [](char c) {
    return is_control(c) || c == ' ' || c == '"' || c == '\\' || c == '=';
  });
  if (plain) {
    line += value;
    return;
  }
  line += '"';
  for (char c : value) {
    if (c == '"' || c == '\\') line += '\\';
    append_visible(line, c);
  }
  line += '"';
}

std::string utc_stamp() {
  const auto millis = to_millis(SystemClock().wall_now());
  const std::time_t seconds = millis / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[80];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(millis % 1000));
  return text;
}

}  // namespace

void set_log_level(LogLevel level) { minimum_level = level; }

void log_line(LogLevel level, std::string_view module, std::string_view message,
              std::initializer_list<LogField> fields) {
  if (level < minimum_level.load(std::memory_order_relaxed)) return;
  std::string line = utc_stamp();
  line += ' ';
  line += letter(level);
  line += ' ';
  line += module;
  line += ' ';
  for (char c : message) append_visible(line, c);
  for (const auto& [key, value] : fields) {
    line += ' ';
    line += key;
    line += '=';
    append_value(line, value);
  }
  line += '\n';
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace evener
