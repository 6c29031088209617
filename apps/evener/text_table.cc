#include "evener/text_table.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "base/visible.h"

namespace evener::app {

std::size_t display_width(std::string_view text) { return count_characters(text); }

std::string fit_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t points = 0; end < text.size(); ++end)
    if (!continues_character(text[end]) && points++ == width - 1) break;
  return std::string(text.substr(0, end)) + "…";
}

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (c == '\t') {
      shown += "    ";
    } else {
      append_visible(shown, c);
    }
  }
  return shown;
}

void TextTable::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

std::vector<std::string> TextTable::lines() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - display_width(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace evener::app
