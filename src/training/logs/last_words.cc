#include "training/logs/last_words.h"

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "training/logs/logs.h"

namespace evener::logs {
namespace {

constexpr std::size_t kKeptBytes = 4 * kLastWordsBytes;  // carriage returns and blanks fall away

std::string_view last_drawing(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  return line.substr(line.rfind('\r') + 1);
}

// From the last line to the first.
std::vector<std::string_view> lines_backwards(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    const std::size_t begin = text.rfind('\n') + 1;
    lines.push_back(last_drawing(text.substr(begin)));
    text = text.substr(0, begin);
  }
  return lines;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

}  // namespace

void LastWords::add(std::string_view bytes) {
  kept_.append(bytes.substr(bytes.size() - std::min(bytes.size(), kKeptBytes)));
  if (kept_.size() > 2 * kKeptBytes) kept_.erase(0, kept_.size() - kKeptBytes);
}

std::string LastWords::text() const {
  std::string text;
  for (const std::string_view line : lines_backwards(kept_)) {
    if (text.empty() && is_blank(line)) continue;
    if (text.empty()) {
      std::string_view end = line.substr(line.size() - std::min(line.size(), kLastWordsBytes));
      while (end.size() < line.size() && !end.empty() && continues_character(end.front()))
        end.remove_prefix(1);
      text = end;
      continue;
    }
    if (line.size() + 1 + text.size() > kLastWordsBytes) break;
    text = std::string(line) + '\n' + text;
  }
  text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
  return cut_utf8(valid_utf8(text), kLastWordsBytes);
}

}  // namespace evener::logs
