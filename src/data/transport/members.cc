#include "data/transport/members.h"

#include <limits>
#include <utility>

namespace evener::data::transport {

Status check_kind(const FrameView& frame, FrameKind kind) {
  if (frame.header.kind == kind) return ok();
  return failure(ErrorCode::kInvalidArgument, "expected a " + std::string(to_string(kind)) +
                                                  " frame, got " +
                                                  std::string(to_string(frame.header.kind)));
}

Members::Members(std::string_view message, FrameKind kind, const FrameView& frame)
    : message_(message), status_(check_kind(frame, kind)) {
  if (!status_) return;
  const auto* text = reinterpret_cast<const char*>(frame.body.data());
  auto body = document::read(std::string_view(text, frame.body.size()));
  if (!body)
    status_ = failure_in(message_, std::move(body.error()));
  else if (body->kind != document::Kind::kObject)
    status_ = failure(ErrorCode::kInvalidArgument, message_ + ": the body is no object");
  else
    object_ = std::move(*body);
}

Members::Members(std::string_view message, const document::Value& object)
    : message_(message), object_(object) {
  if (object.kind != document::Kind::kObject)
    status_ = failure(ErrorCode::kInvalidArgument, message_ + ": is no object");
}

std::uint32_t Members::u32(std::string_view name) {
  return static_cast<std::uint32_t>(whole(name, std::numeric_limits<std::uint32_t>::max()));
}

std::uint64_t Members::u64(std::string_view name) {
  return whole(name, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

std::uint64_t Members::whole(std::string_view name, std::uint64_t limit) {
  const document::Value* member = object_.find(name);
  if (member == nullptr || member->kind != document::Kind::kInteger || member->integer < 0 ||
      static_cast<std::uint64_t>(member->integer) > limit) {
    fault(name, "a whole number from 0 to " + std::to_string(limit));
    return 0;
  }
  return static_cast<std::uint64_t>(member->integer);
}

std::string Members::text(std::string_view name) {
  const document::Value* member = object_.find(name);
  if (member != nullptr && member->kind == document::Kind::kString) return member->text;
  fault(name, "a string");
  return "";
}

std::string Members::optional_text(std::string_view name) {
  return object_.find(name) == nullptr ? "" : text(name);
}

const document::Value& Members::value(std::string_view name) {
  static const document::Value kNull;
  if (const document::Value* member = object_.find(name)) return *member;
  fault(name, "there");
  return kNull;
}

void Members::fault(std::string_view name, std::string_view wanted) {
  if (!status_) return;
  status_ = failure(ErrorCode::kInvalidArgument, message_ + ": member " + std::string(name) +
                                                     " must be " + std::string(wanted));
}

}  // namespace evener::data::transport
