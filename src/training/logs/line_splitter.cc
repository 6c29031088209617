#include "training/logs/line_splitter.h"

#include "training/logs/logs.h"

namespace evener::logs {

void LineSplitter::push(std::string_view bytes, Moment now, RecordSink& sink) {
  const bool plain = bytes.find('\r') == std::string_view::npos;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      push_tail(bytes, now, sink);
      return;
    }
    const std::string_view text = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (plain && line_.empty() && text.size() <= kMaxLineBytes) {
      sink.add(now.wall, Mark::kLine, text);
      open_ = overwrite_ = hidden_ = false;
    } else {
      push_tail(text, now, sink);
      end_line(Mark::kLine, now.wall, sink);
    }
  }
}

// `tail` holds no newline.
void LineSplitter::push_tail(std::string_view tail, Moment now, RecordSink& sink) {
  while (!tail.empty()) {
    const std::size_t end = tail.find('\r');
    push_text(tail.substr(0, end), now, sink);
    if (end == std::string_view::npos) return;
    overwrite_ = true;
    tail.remove_prefix(end + 1);
  }
}

// `text` holds no newline and no carriage return.
void LineSplitter::push_text(std::string_view text, Moment now, RecordSink& sink) {
  if (text.empty()) return;
  if (overwrite_) line_.clear();
  overwrite_ = false;
  if (line_.empty()) line_time_ = now.wall;
  while (line_.size() + text.size() > kMaxLineBytes) {
    const std::size_t room = kMaxLineBytes - line_.size();
    line_.append(text.substr(0, room));
    text.remove_prefix(room);
    sink.add(line_time_, Mark::kPiece, line_);
    open_ = true;
    line_.clear();
    line_time_ = now.wall;
  }
  line_.append(text);
  if (!hidden_) hidden_since_ = now.monotonic;
  hidden_ = true;
}

void LineSplitter::tick(Moment now, RecordSink& sink) {
  if (!hidden_ || now.monotonic - hidden_since_ < kStateInterval) return;
  if (line_.size() <= kMaxStateBytes) {
    sink.add(line_time_, Mark::kState, line_);
  } else {
    sink.add(line_time_, Mark::kPiece, line_);
    line_.clear();
  }
  open_ = true;
  hidden_ = false;
}

void LineSplitter::finish(RecordSink& sink) {
  if (!line_.empty() || open_) end_line(Mark::kEnd, line_time_, sink);
}

// An empty line has no first byte but its newline: it carries `now`.
void LineSplitter::end_line(Mark mark, WallTime now, RecordSink& sink) {
  sink.add(line_.empty() ? now : line_time_, mark, line_);
  line_.clear();
  open_ = overwrite_ = hidden_ = false;
}

}  // namespace evener::logs
