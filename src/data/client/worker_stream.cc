#include "data/client/worker_stream.h"

#include <algorithm>
#include <utility>

namespace evener::data::client {

using transport::align_up;
using transport::FrameHeader;
using transport::FrameKind;
using transport::FrameView;

namespace {

// Bodies up to this length are handed out from the buffer they were read into.
constexpr std::uint64_t kSmallBodyBytes = 64u << 10;
// Units that were waited for and may still come by the room they were given.
constexpr std::size_t kMaxOnly = 64;

tl::unexpected<Error> lie(const std::string& what) {
  return failure(ErrorCode::kCorrupt, "worker " + what);
}

std::string list_of(const std::vector<std::uint64_t>& samples) {
  std::string text;
  for (const std::uint64_t index : samples)
    text += (text.empty() ? "" : ", ") + std::to_string(index);
  return text.empty() ? "" : ", samples " + text;
}

}  // namespace

// Bodies in one chunk: their credit comes back when the last of them is dropped.
struct WorkerStream::ChunkBytes {
  std::uint64_t held = 0;
  std::uint64_t charged = 0;
};

Status check_data(const FeedState& feed, const FrameHeader& header) {
  if (header.feed != feed.feed || header.generation != feed.generation)
    return failure(ErrorCode::kCorrupt, "data of another feed or an earlier reader");
  if (!feed.order.contains(header.unit()))
    return failure(ErrorCode::kCorrupt, "data of another rank: " + to_string(header.unit()));
  if (header.samples == 0 || header.samples > feed.description->batch_size)
    return failure(ErrorCode::kCorrupt, "batch of " + std::to_string(header.samples) + " samples");
  std::uint64_t expected = feed.body_bytes;
  if (header.samples != feed.description->batch_size) {
    const auto layout = transport::layout(feed.description->schema, header.samples);
    expected = layout ? layout->body_bytes : 0;
  }
  if (header.body_bytes != expected)
    return failure(ErrorCode::kCorrupt, "batch of " + std::to_string(header.body_bytes) +
                                            " bytes, by the schema " + std::to_string(expected));
  return ok();
}

Status WorkerStream::start(const transport::Endpoint& endpoint, transport::TlsSide* tls,
                           std::uint64_t credit_bytes, MonotonicTime now) {
  transport::StreamHello hello{feed_.token, feed_.feed, feed_.generation, feed_.order.rank,
                               credit_bytes};
  granted_ = credit_bytes;
  return link_.start(endpoint, tls, frame_of(hello), now);
}

void WorkerStream::close() {
  link_.close();
  if (slab_ != nullptr) feed_.bodies->give(std::exchange(slab_, nullptr));
  chunk_bytes_.reset();
  only_.clear();
  arena_.reset();
  feed_.ledger->forget(id_);
  open_ = false;
  granted_ = 0;
}

std::uint64_t WorkerStream::potential() const {
  if (arena_ == nullptr) return granted_;
  return arena_->bytes() - std::min(arena_->bytes(), feed_.ledger->charged_bytes(id_));
}

std::uint64_t WorkerStream::grant(std::uint64_t target, std::uint64_t free) {
  if (!open_ || arena_ != nullptr) return 0;
  const std::uint64_t owed = granted_ + feed_.ledger->charged_bytes(id_);
  if (owed >= target) return 0;
  const std::uint64_t given = std::min(target - owed, free) / transport::kAlignment *
                              transport::kAlignment;
  const bool dry = granted_ < feed_.place_bytes;
  const bool enough = given >= std::max(target / 8, feed_.place_bytes) ||
                      (dry && granted_ + given >= feed_.place_bytes);
  if (!enough) return 0;
  granted_ += given;
  link_.queue(frame_of(transport::Credit{.bytes = given}));
  return given;
}

void WorkerStream::grant_only(Unit unit) {
  if (!open_ || potential() >= feed_.place_bytes || !only_.insert(unit).second) return;
  if (only_.size() > kMaxOnly) only_.erase(only_.begin());
  link_.queue(frame_of(transport::Credit{.only = unit}));
}

void WorkerStream::give_back_places() {
  const Returned returned = feed_.ledger->take_returned(id_);
  for (const std::uint64_t place : returned.places) {
    places_held_[place / arena_place_bytes_] = false;
    link_.queue(frame_of(transport::Credit{.place = place}));
  }
}

Result<std::byte*> WorkerStream::place_for(const FrameHeader& header) {
  if (header.kind != FrameKind::kData) {
    if (header.body_bytes <= transport::kMaxControlBytes) return nullptr;
    return lie("sends a " + std::string(to_string(header.kind)) + " frame that is too long");
  }
  if (!open_) return lie("sends data before its welcome");
  RETURN_IF_ERROR(check_data(feed_, header));
  RETURN_IF_ERROR(charge(header));
  const bool from_chunk = feed_.chunks != nullptr && arena_ == nullptr && chunk_bytes_ != nullptr;
  if ((header.flags & transport::kInArena) != 0 || from_chunk) return nullptr;
  auto slab = feed_.bodies->take();
  if (slab) slab_ = *slab;
  return slab;
}

// More than was granted would break the ceiling of this reader's memory.
Status WorkerStream::charge(const FrameHeader& header) {
  if ((header.flags & transport::kInArena) != 0) return ok();
  if ((header.flags & transport::kOnlyForUnit) != 0) {
    if (only_.erase(header.unit()) == 0) return lie("sends a unit beyond its credit");
    return ok();
  }
  const std::uint64_t bytes = align_up(header.body_bytes);
  if (bytes > granted_ || arena_ != nullptr) return lie("sends more than its credit");
  granted_ -= bytes;
  return ok();
}

Result<std::shared_ptr<std::byte>> WorkerStream::new_chunk(std::size_t bytes) {
  if (feed_.chunks == nullptr || !open_ || arena_ != nullptr || bytes > feed_.chunks->slab_bytes())
    return FrameSink::new_chunk(bytes);
  auto slab = feed_.chunks->take();
  if (!slab) return tl::unexpected(std::move(slab.error()));
  chunk_bytes_ = std::make_shared<ChunkBytes>();
  return std::shared_ptr<std::byte>(
      *slab, [pool = feed_.chunks, ledger = feed_.ledger, bytes_in = chunk_bytes_,
              id = id_](std::byte* chunk) {
        pool->give(chunk);
        ledger->release(id, bytes_in->held, bytes_in->charged);
      });
}

Status WorkerStream::on_frame(const FrameView& frame) {
  if (frame.header.kind == FrameKind::kRefuse) {
    auto refusal = read_refusal(frame);
    if (!refusal) return tl::unexpected(std::move(refusal.error()));
    return failure(refusal->code, refusal->message);
  }
  if (!open_) return on_welcome(frame);
  switch (frame.header.kind) {
    case FrameKind::kData: return on_data(frame);
    case FrameKind::kFailed: return on_failed(frame);
    case FrameKind::kPing: return ok();
    default:
      return lie("sends a " + std::string(to_string(frame.header.kind)) + " frame to a reader");
  }
}

Status WorkerStream::on_welcome(const FrameView& frame) {
  auto welcome = read_stream_welcome(frame);
  if (!welcome) return tl::unexpected(std::move(welcome.error()));
  if (welcome->schema != feed_.description->schema ||
      welcome->batch_size != feed_.description->batch_size)
    return lie("has another schema than the dispatcher");
  if (welcome->arena_bytes != 0) {
    auto descriptor = link_.stream().take_descriptor();
    if (!descriptor) return lie("announces an arena and sends none");
    if (welcome->place_bytes != feed_.place_bytes || welcome->arena_bytes > granted_)
      return lie("has an arena that was not asked for");
    auto arena = transport::ArenaMemory::map(*descriptor, welcome->arena_bytes);
    if (!arena) return tl::unexpected(std::move(arena.error()));
    arena_ = std::move(*arena);
    arena_place_bytes_ = welcome->place_bytes;
    places_held_.assign(welcome->arena_bytes / welcome->place_bytes, false);
    granted_ = 0;
  }
  open_ = true;
  feed_.ledger->hold(id_, 0, 0);
  choose_buffers();
  return ok();
}

void WorkerStream::choose_buffers() {
  transport::InputOptions options;
  options.body_limit = std::max(feed_.place_bytes, transport::kMaxControlBytes);
  if (feed_.chunks != nullptr && arena_ == nullptr) {
    options.chunk_bytes = feed_.chunks->slab_bytes();
    options.read_ahead = options.chunk_bytes;
    options.retention = transport::Retention::kRetained;
  } else if (arena_ != nullptr) {
    options.chunk_bytes = options.read_ahead = kSmallBodyBytes;
  } else {
    options.read_ahead = transport::kHeaderBytes;
  }
  link_.input().set_options(options);
}

Status WorkerStream::on_data(const FrameView& frame) {
  auto body = body_of(frame);
  if (!body) return tl::unexpected(std::move(body.error()));
  Arrival arrival{.header = frame.header, .body = std::move(*body)};
  arrival.in_arena = (frame.header.flags & transport::kInArena) != 0;
  if ((frame.header.flags & transport::kHasBodyChecksum) != 0 &&
      transport::crc32c({arrival.body.get(), frame.header.body_bytes}) !=
          frame.header.body_checksum) {
    arrival.body.reset();
    Error error{ErrorCode::kCorrupt, "worker " + std::to_string(place_.id) + " (" + place_.address +
                                       "), " + to_string(frame.header.unit()) +
                                       ": the checksum of the body is wrong"};
    arrival.failed = std::make_shared<FailedUnit>(
        FailedUnit{arrival.header.unit(), {}, place_.id, std::move(error)});
  }
  feed_.arrived.push_back(std::move(arrival));
  return ok();
}

Result<std::shared_ptr<const std::byte>> WorkerStream::body_of(const FrameView& frame) {
  if ((frame.header.flags & transport::kInArena) != 0) return arena_body(frame.header);
  if (slab_ != nullptr) return slab_body(frame.header);
  return chunk_body(frame);
}

Result<std::shared_ptr<const std::byte>> WorkerStream::arena_body(const FrameHeader& header) {
  if (arena_ == nullptr) return lie("sends data in an arena that is not there");
  const std::uint64_t index = header.offset / arena_place_bytes_;
  if (header.offset % arena_place_bytes_ != 0 || index >= places_held_.size() ||
      places_held_[index] || header.body_bytes > arena_place_bytes_)
    return lie("sends data at offset " + std::to_string(header.offset) +
               " of the arena, which is no free place");
  places_held_[index] = true;
  feed_.ledger->hold(id_, arena_place_bytes_, arena_place_bytes_);
  return std::shared_ptr<const std::byte>(
      arena_->data() + header.offset,
      [arena = arena_, ledger = feed_.ledger, id = id_, bytes = arena_place_bytes_,
       offset = header.offset](const std::byte*) { ledger->release_place(id, bytes, offset); });
}

std::shared_ptr<const std::byte> WorkerStream::slab_body(const FrameHeader& header) {
  const std::uint64_t bytes = align_up(header.body_bytes);
  const std::uint64_t charged = (header.flags & transport::kOnlyForUnit) != 0 ? 0 : bytes;
  feed_.ledger->hold(id_, bytes, charged);
  return std::shared_ptr<const std::byte>(
      std::exchange(slab_, nullptr),
      [pool = feed_.bodies, ledger = feed_.ledger, id = id_, bytes, charged](const std::byte* slab) {
        pool->give(const_cast<std::byte*>(slab));
        ledger->release(id, bytes, charged);
      });
}

std::shared_ptr<const std::byte> WorkerStream::chunk_body(const FrameView& frame) {
  const std::uint64_t bytes = align_up(frame.header.body_bytes);
  const std::uint64_t charged = (frame.header.flags & transport::kOnlyForUnit) != 0 ? 0 : bytes;
  feed_.ledger->hold(id_, bytes, charged);
  chunk_bytes_->held += bytes;
  chunk_bytes_->charged += charged;
  return std::shared_ptr<const std::byte>(link_.input().chunk(), frame.body.data());
}

Status WorkerStream::on_failed(const FrameView& frame) {
  auto failed = read_failed(frame);
  if (!failed) return tl::unexpected(std::move(failed.error()));
  if (failed->feed != feed_.feed || failed->generation != feed_.generation ||
      !feed_.order.contains(failed->unit))
    return lie("failed at a unit that is not ours");
  Arrival arrival{.header = frame.header};
  Error error{ErrorCode::kIo, "worker " + std::to_string(place_.id) + " (" + place_.address + "), " +
                                  to_string(failed->unit) + list_of(failed->samples) + ": " +
                                  failed->message};
  arrival.failed = std::make_shared<FailedUnit>(
      FailedUnit{failed->unit, std::move(failed->samples), place_.id, std::move(error)});
  feed_.arrived.push_back(std::move(arrival));
  return ok();
}

}  // namespace evener::data::client
