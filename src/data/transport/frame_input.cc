#include "data/transport/frame_input.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace evener::data::transport {
namespace {

// The end of a chunk that is not worth a system call.
constexpr std::size_t kLeastReadBytes = 32u << 10;

}  // namespace

Result<std::shared_ptr<std::byte>> FrameSink::new_chunk(std::size_t bytes) {
  void* memory = std::aligned_alloc(kAlignment, align_up(bytes));
  if (memory == nullptr) return failure(ErrorCode::kNoSpace, "memory for a frame");
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(memory), &std::free);
}

Status FrameInput::read(ByteStream& stream, FrameSink& sink) {
  std::size_t turn = 0;
  while (turn < kTurnBytes || stream.holds_bytes()) {
    std::size_t asked = 0;
    auto progress = fill(stream, sink, asked);
    if (!progress) return tl::unexpected(std::move(progress.error()));
    if (progress->kind == Progress::Kind::kWouldBlock) return ok();
    if (progress->kind == Progress::Kind::kEnd)
      return failure(ErrorCode::kUnavailable, in_frame()
                                                  ? "peer closed in the middle of a frame"
                                                  : "peer closed the connection");
    turn += progress->bytes;
    RETURN_IF_ERROR(take_frames(sink));
    if (progress->bytes < asked && !stream.holds_bytes()) return ok();
  }
  return ok();
}

Result<Progress> FrameInput::fill(ByteStream& stream, FrameSink& sink, std::size_t& asked) {
  if (place_ != nullptr) return fill_place(stream, asked);
  RETURN_IF_ERROR(make_room(sink, needed()));
  asked = std::min(std::max(needed(), options_.read_ahead), capacity_ - end_);
  const std::array parts{iovec{chunk_.get() + end_, asked}};
  auto progress = stream.read(parts);
  if (progress) end_ += progress->bytes;
  return progress;
}

// The rest of the body, and the next header with the same call.
Result<Progress> FrameInput::fill_place(ByteStream& stream, std::size_t& asked) {
  const std::size_t rest = wire_body_bytes(*header_) - placed_;
  const std::array parts{iovec{place_ + placed_, rest},
                         iovec{chunk_.get(), std::min(capacity_, options_.read_ahead)}};
  asked = rest + parts[1].iov_len;
  auto progress = stream.read(parts);
  if (!progress) return progress;
  const std::size_t body = std::min(progress->bytes, rest);
  placed_ += body;
  begin_ = 0;
  end_ = progress->bytes - body;
  return progress;
}

// Bytes that the frame in hand lacks, as far as it is known; at least 1.
std::size_t FrameInput::needed() const {
  const std::size_t have = end_ - begin_;
  if (!header_) return have < kHeaderBytes ? kHeaderBytes - have : 1;
  return kHeaderBytes + wire_body_bytes(*header_) - have;
}

Status FrameInput::make_room(FrameSink& sink, std::size_t needed) {
  const std::size_t have = end_ - begin_;
  const bool retained = options_.retention == Retention::kRetained;
  const std::size_t wanted =
      retained ? std::max(needed, std::min(options_.chunk_bytes / 8, kLeastReadBytes)) : needed;
  if (chunk_ != nullptr && capacity_ - end_ >= wanted) {
    if (have == 0 && !retained) begin_ = end_ = 0;
    return ok();
  }
  if (chunk_ != nullptr && !retained && capacity_ >= have + needed) {
    std::memmove(chunk_.get(), chunk_.get() + begin_, have);
  } else {
    const std::size_t capacity = std::max(options_.chunk_bytes, align_up(have + wanted));
    auto chunk = sink.new_chunk(capacity);
    if (!chunk) return tl::unexpected(std::move(chunk.error()));
    if (have != 0) std::memcpy(chunk->get(), chunk_.get() + begin_, have);
    chunk_ = std::move(*chunk);
    capacity_ = capacity;
  }
  begin_ = 0;
  end_ = have;
  return ok();
}

Status FrameInput::take_frames(FrameSink& sink) {
  while (true) {
    auto taken = take_one(sink);
    if (!taken) return tl::unexpected(std::move(taken.error()));
    if (!*taken) return ok();
  }
  return ok();
}

// False when the frame in hand is not whole.
Result<bool> FrameInput::take_one(FrameSink& sink) {
  if (place_ != nullptr) {
    if (placed_ < wire_body_bytes(*header_)) return false;
    RETURN_IF_ERROR(finish_place(sink));
    return true;
  }
  const std::size_t have = end_ - begin_;
  if (have < kHeaderBytes) return false;
  const std::byte* start = chunk_.get() + begin_;
  if (!header_) {
    auto header = decode(std::span<const std::byte, kHeaderBytes>(start, kHeaderBytes),
                         options_.body_limit);
    if (!header) return tl::unexpected(std::move(header.error()));
    auto place = sink.place_for(*header);
    if (!place) return tl::unexpected(std::move(place.error()));
    header_ = *header;
    if (*place != nullptr) {
      place_ = *place;
      placed_ = std::min(have - kHeaderBytes, wire_body_bytes(*header));
      std::memcpy(place_, start + kHeaderBytes, placed_);
      begin_ += kHeaderBytes + placed_;
      return true;
    }
  }
  const std::size_t whole = kHeaderBytes + wire_body_bytes(*header_);
  if (have < whole) return false;
  const std::size_t body =
      (header_->flags & kInArena) != 0 ? 0 : header_->body_bytes;
  const FrameView frame{*header_, std::span(start + kHeaderBytes, body)};
  header_.reset();
  begin_ += whole;
  RETURN_IF_ERROR(sink.on_frame(frame));
  return true;
}

Status FrameInput::finish_place(FrameSink& sink) {
  const FrameView frame{*header_, std::span<const std::byte>(place_, header_->body_bytes)};
  header_.reset();
  place_ = nullptr;
  return sink.on_frame(frame);
}

}  // namespace evener::data::transport
