#include "data/transport/outgoing_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace evener::data::transport {
namespace {

constexpr std::uint64_t kMaxCreditBytes = 1ull << 50;    // that a reader may claim to have

// What a slot's token says: the place in the arena, or what a slab was charged; both are multiples
// of 64.
constexpr std::uint64_t kOfArena = 1;
constexpr std::uint64_t kOfOnly = 2;                     // charged nothing: it had the unit's own credit

tl::unexpected<Error> gone() {
  return failure(ErrorCode::kUnavailable, "the reader is gone");
}

}  // namespace

Slot::Slot(std::shared_ptr<Owner> owner, std::byte* data, std::uint64_t bytes, std::uint64_t token)
    : owner_(std::move(owner)), data_(data), bytes_(bytes), token_(token) {}
Slot::Slot(Slot&& other) noexcept
    : owner_(std::move(other.owner_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(other.bytes_),
      token_(other.token_) {}
Slot& Slot::operator=(Slot&& other) noexcept {
  if (this == &other) return *this;
  if (data_ != nullptr) owner_->drop(*this);
  owner_ = std::move(other.owner_);
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = other.bytes_;
  token_ = other.token_;
  return *this;
}
Slot::~Slot() {
  if (data_ != nullptr) owner_->drop(*this);
}

OutgoingStream::OutgoingStream(OutgoingOptions options, std::shared_ptr<Connection> connection)
    : options_(std::move(options)),
      connection_(std::move(connection)),
      pool_(std::make_shared<SlabPool>(kHeaderBytes + options_.place_bytes)) {
  if (options_.arena != nullptr)
    places_.emplace(options_.arena->bytes(), options_.place_bytes);
  else
    credit_ = options_.hello.credit_bytes;
}

Result<std::optional<Slot>> OutgoingStream::try_reserve(Unit unit, std::uint64_t body_bytes) {
  const MutexLock lock(mutex_);
  return reserve_locked(unit, body_bytes);
}

Result<Slot> OutgoingStream::reserve(Unit unit, std::uint64_t body_bytes, std::stop_token stop) {
  MutexLock lock(mutex_);
  const auto place = waiting_.insert(unit);
  Result<std::optional<Slot>> slot = std::optional<Slot>();
  const bool done = changed_.wait(mutex_, stop, [&] {
    if (*waiting_.begin() != unit && only_ != unit) return false;
    slot = reserve_locked(unit, body_bytes);
    return !slot || slot->has_value();
  });
  waiting_.erase(place);
  if (!waiting_.empty()) changed_.notify_all();
  if (!done) return failure(ErrorCode::kCancelled, "stopped");
  if (!slot) return tl::unexpected(std::move(slot.error()));
  return std::move(**slot);
}

Result<std::optional<Slot>> OutgoingStream::reserve_locked(Unit unit, std::uint64_t body_bytes) {
  if (gone_) return gone();
  const std::uint64_t charge = align_up(body_bytes);
  if (charge > options_.place_bytes)
    return failure(ErrorCode::kInvalidArgument,
                   "a body of " + std::to_string(body_bytes) + " bytes, the schema gives at most " +
                       std::to_string(options_.place_bytes));
  if (places_ && places_->any_free()) {
    const std::uint64_t offset = places_->take();
    return std::optional<Slot>(Slot(shared_from_this(), options_.arena->data() + offset, body_bytes,
                                    offset | kOfArena));
  }
  if (!places_ && credit_ >= charge &&
      unsent_ + charge <= std::max(options_.unsent_limit_bytes, 3 * options_.place_bytes)) {
    credit_ -= charge;
    return slab_locked(body_bytes, charge);
  }
  if (only_ == unit) {
    only_.reset();
    return slab_locked(body_bytes, kOfOnly);
  }
  refused_ = true;
  return std::optional<Slot>();
}

Result<std::optional<Slot>> OutgoingStream::slab_locked(std::uint64_t body_bytes,
                                                        std::uint64_t charge) {
  auto slab = pool_->take();
  if (!slab) {
    if (charge != kOfOnly) credit_ += charge;
    return tl::unexpected(std::move(slab.error()));
  }
  unsent_ += align_up(body_bytes);
  return std::optional<Slot>(Slot(shared_from_this(), *slab + kHeaderBytes, body_bytes, charge));
}

Status OutgoingStream::send(const FrameHeader& given, Slot slot) {
  // A short batch takes less than its room: the rest is free again.
  const bool is_short = given.body_bytes != 0 && given.body_bytes < slot.body().size();
  const std::span<std::byte> body = is_short ? slot.body().first(given.body_bytes) : slot.body();
  const std::uint64_t rest = align_up(slot.body().size()) - align_up(body.size());
  FrameHeader header = given;
  header.kind = FrameKind::kData;
  header.feed = options_.hello.feed;
  header.generation = options_.hello.generation;
  header.flags = 0;
  header.body_bytes = body.size();
  if (options_.checksum == BodyChecksum::kCrc32c) {
    header.flags |= kHasBodyChecksum;
    header.body_checksum = crc32c(body);
  }
  OutFrame frame;
  if ((slot.token() & kOfArena) != 0) {
    header.flags |= kInArena;
    header.offset = slot.token() - kOfArena;
    const HeaderBytes bytes = encode(header);
    frame.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } else {
    if ((slot.token() & kOfOnly) != 0) header.flags |= kOnlyForUnit;
    const HeaderBytes bytes = encode(header);
    frame.slab = body.data() - kHeaderBytes;
    frame.bytes = kHeaderBytes + align_up(body.size());
    std::memcpy(frame.slab, bytes.data(), bytes.size());
    std::memset(body.data() + body.size(), 0, align_up(body.size()) - body.size());
  }
  {
    const MutexLock lock(mutex_);
    if (gone_) return gone();                            // the slot goes back by itself
    if (frame.slab == nullptr) {
      places_->mark_sent(header.offset);
    } else {
      unsent_ -= rest;
      if ((slot.token() & kOfOnly) == 0) credit_ += rest;
    }
    ++counts_.frames;
    counts_.body_bytes += body.size();
  }
  slot.release();
  connection_->send_frame(std::move(frame));
  return ok();
}

Status OutgoingStream::fail(const Failed& failed) {
  {
    const MutexLock lock(mutex_);
    if (gone_) return gone();
  }
  connection_->send(frame_of(failed));
  return ok();
}

OutgoingStatistics OutgoingStream::statistics() const {
  const MutexLock lock(mutex_);
  OutgoingStatistics counts = counts_;
  counts.credit_bytes = places_ ? places_->free_bytes() : credit_;
  return counts;
}

void OutgoingStream::drop(Slot& slot) {
  const MutexLock lock(mutex_);
  if ((slot.token() & kOfArena) != 0) {
    places_->give_back(slot.token() - kOfArena);
  } else {
    if ((slot.token() & kOfOnly) == 0) credit_ += slot.token();
    unsent_ -= align_up(slot.body().size());
    pool_->give(slot.body().data() - kHeaderBytes);
  }
  slot.release();
  changed_.notify_all();
}

Status OutgoingStream::take_credit(const Credit& credit) {
  const MutexLock lock(mutex_);
  if (credit.only) {
    only_ = credit.only;
  } else if (credit.place) {
    if (!places_) return failure(ErrorCode::kCorrupt, "credit for an arena that is not there");
    RETURN_IF_ERROR(places_->free_sent(*credit.place));
  } else {
    if (credit.bytes > kMaxCreditBytes || credit_ > kMaxCreditBytes)
      return failure(ErrorCode::kLimitExceeded, "credit of more bytes than there are");
    credit_ += credit.bytes;
  }
  grown_ = true;
  if (!waiting_.empty()) changed_.notify_all();
  return ok();
}

bool OutgoingStream::take_written(std::uint64_t slab_bytes) {
  const MutexLock lock(mutex_);
  unsent_ -= std::min(unsent_, slab_bytes);
  if (!std::exchange(grown_, false) && slab_bytes == 0) return false;
  if (!waiting_.empty()) changed_.notify_all();
  return std::exchange(refused_, false);
}

void OutgoingStream::end() {
  const MutexLock lock(mutex_);
  gone_ = true;
  changed_.notify_all();
}

}  // namespace evener::data::transport
