// The end of what a host printed, for the reason of a failure.
//
// Used by:  log_writer.cc.
// Threads:  one at a time.
// Fails:    never.
#pragma once

#include <string>
#include <string_view>

namespace evener::logs {

class LastWords {
 public:
  void add(std::string_view bytes);
  // The last lines that fit into kLastWordsBytes, blank ones at both ends left out; of a longer
  // line, its end. Of a line redrawn with carriage returns, the last drawing. Valid UTF-8.
  std::string text() const;

 private:
  std::string kept_;
};

}  // namespace evener::logs
