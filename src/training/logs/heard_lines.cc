#include "training/logs/heard_lines.h"

#include <algorithm>

namespace evener::logs {

void HeardLines::add(WallTime time, Mark mark, std::string_view text) {
  file_.add(time, mark, text);
  switch (mark) {
    case Mark::kState:
    case Mark::kNote: return;
    case Mark::kPiece:
      if (begun_.empty()) begun_time_ = time;
      keep(text);
      return;
    case Mark::kLine:
    case Mark::kEnd: break;
  }
  if (begun_.empty()) return listener_.line(host_, time, text);
  keep(text);
  listener_.line(host_, begun_time_, begun_);
  begun_.clear();
}

void HeardLines::keep(std::string_view text) {
  begun_ += text.substr(0, kMaxLineBytes - std::min(kMaxLineBytes, begun_.size()));
}

}  // namespace evener::logs
