// Records on their way into a host's file, told as lines to who listens.
//
// Used by:  log_writer.cc.
// Threads:  one at a time.
// Fails:    never.
#pragma once

#include <string>
#include <string_view>

#include "training/logs/log_file.h"
#include "training/logs/logs.h"

namespace evener::logs {

class HeardLines final : public RecordSink {
 public:
  HeardLines(std::string host, LogFile& file, LineListener& listener)
      : host_(std::move(host)), file_(file), listener_(listener) {}
  void add(WallTime time, Mark mark, std::string_view text) override;

 private:
  void keep(std::string_view text);

  const std::string host_;
  LogFile& file_;
  LineListener& listener_;
  std::string begun_;            // the pieces of a line that is not complete
  WallTime begun_time_{};
};

}  // namespace evener::logs
