// Columns of text, padded to their widest cell.
//
// Used by:  every command that prints a table.
// Threads:  a value.
// Fails:    never; a row with fewer cells than columns is filled with empty ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evener::app {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row);
  std::vector<std::string> lines() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Terminal columns that UTF-8 text takes, counting one per code point.
std::size_t display_width(std::string_view text);
// At most `width` columns, the last one an ellipsis where something was cut.
std::string fit_width(std::string_view text, std::size_t width);
// Foreign text that cannot move the cursor: tabs as blanks, control characters made visible.
std::string printable(std::string_view text);

}  // namespace evener::app
