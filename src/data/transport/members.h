// Reads the members of a message's JSON body; the first fault is kept.
//
// Used by:  messages.cc, hello_messages.cc.
// Threads:  one.
// Fails:    status(): kInvalidArgument, naming the message and the member.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "data/transport/frame.h"

namespace evener::data::transport {

class Members {
 public:
  // `frame` must be of `kind`, its body a JSON object.
  Members(std::string_view message, FrameKind kind, const FrameView& frame);
  Members(std::string_view message, const document::Value& object);
  std::uint32_t u32(std::string_view name);
  std::uint64_t u64(std::string_view name);              // up to 2^63 - 1, as JSON's readers have it
  std::string text(std::string_view name);
  std::string optional_text(std::string_view name);      // "" where absent
  const document::Value& value(std::string_view name);   // a null where absent: a fault
  const document::Value* find(std::string_view name) const { return object_.find(name); }
  const document::Value& object() const { return object_; }
  void fault(std::string_view name, std::string_view wanted);
  const Status& status() const { return status_; }

 private:
  std::uint64_t whole(std::string_view name, std::uint64_t limit);

  std::string message_;
  document::Value object_;
  Status status_;
};

// Either the value or the first fault.
template <class T>
Result<T> checked(const Members& members, T value) {
  if (!members.status()) return tl::unexpected<Error>(members.status().error());
  return value;
}

// `frame` is of `kind`: for messages whose fields are those of the header.
Status check_kind(const FrameView& frame, FrameKind kind);

}  // namespace evener::data::transport
