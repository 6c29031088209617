#include "data/transport/outbox.h"

#include <array>

namespace evener::data::transport {
namespace {

constexpr std::size_t kMaxParts = 128;                   // of one system call

}  // namespace

Outbox::~Outbox() { clear(); }

void Outbox::clear() {
  for (OutFrame& frame : frames_) give_back(frame);
  frames_.clear();
  sent_ = 0;
  bytes_ = 0;
}

void Outbox::add(OutFrame frame) {
  bytes_ += frame.size();
  frames_.push_back(std::move(frame));
}

Status Outbox::flush(ByteStream& stream) {
  while (!frames_.empty()) {
    auto progress = write_some(stream);
    if (!progress) return tl::unexpected(std::move(progress.error()));
    if (progress->kind == Progress::Kind::kWouldBlock) return ok();
    if (progress->kind == Progress::Kind::kEnd)
      return failure(ErrorCode::kUnavailable, "peer takes no more bytes");
    drop_written(progress->bytes);
  }
  return ok();
}

Result<Progress> Outbox::write_some(ByteStream& stream) {
  std::array<iovec, kMaxParts> parts;
  std::size_t count = 0;
  std::size_t skip = sent_;
  for (const OutFrame& frame : frames_) {
    if (count == parts.size() || (count != 0 && frame.descriptor)) break;
    auto* start = const_cast<std::byte*>(frame.data());
    parts[count++] = {start + skip, frame.size() - skip};
    skip = 0;
  }
  const std::span<const iovec> filled(parts.data(), count);
  if (frames_.front().descriptor)
    return stream.write_with(filled.first(1), frames_.front().descriptor.get());
  return stream.write(filled);
}

void Outbox::drop_written(std::size_t bytes) {
  bytes_ -= bytes;
  frames_.front().descriptor.reset();
  while (bytes != 0) {
    OutFrame& first = frames_.front();
    const std::size_t rest = first.size() - sent_;
    if (bytes < rest) {
      sent_ += bytes;
      return;
    }
    bytes -= rest;
    sent_ = 0;
    give_back(first);
    frames_.pop_front();
  }
}

void Outbox::discard(OutFrame frame) {
  if (frame.slab != nullptr) pool_->give(frame.slab);
}

void Outbox::give_back(OutFrame& frame) {
  if (frame.slab == nullptr) return;
  written_slab_bytes_ += frame.bytes;
  pool_->give(frame.slab);
}

}  // namespace evener::data::transport
