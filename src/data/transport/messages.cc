#include "data/transport/messages.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "data/transport/members.h"

namespace evener::data::transport {
namespace {

using document::make_string;
using document::Value;

Value number(std::uint64_t value) {
  return document::make_integer(static_cast<std::int64_t>(value));
}

FrameHeader header_of(FrameKind kind, const LeaseRange& range) {
  return {.kind = kind, .feed = range.feed, .attempt = range.attempt, .epoch = range.first.epoch,
          .samples = range.units, .batch = range.first.batch, .generation = range.generation};
}

ErrorCode code_of(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i)
    if (const auto code = static_cast<ErrorCode>(i); to_string(code) == name) return code;
  return ErrorCode::kInternal;                           // of a later version
}

std::vector<std::uint64_t> indices_of(Members& members) {
  std::vector<std::uint64_t> samples;
  const Value& list = members.value("samples");
  if (list.kind != document::Kind::kList || list.items.size() > kMaxFailedSamples)
    members.fault("samples", "a list of at most 256 indices");
  for (const Value& item : list.items) {
    if (item.kind != document::Kind::kInteger || item.integer < 0)
      members.fault("samples", "a list of indices");
    samples.push_back(static_cast<std::uint64_t>(item.integer));
  }
  return samples;
}

Status no_body(const FrameView& frame) {
  if (frame.header.body_bytes == 0) return ok();
  return failure(ErrorCode::kInvalidArgument,
                 std::string(to_string(frame.header.kind)) + " frame with a body");
}

}  // namespace

std::string frame_of(const Refusal& message) {
  Value body = document::make_object();
  body.set("code", make_string(to_string(message.code)));
  body.set("message", make_string(message.message));
  return frame_bytes({.kind = FrameKind::kRefuse}, document::write(body));
}

std::string frame_of(const Feed& message) {
  Value body = document::make_object();
  body.set("definition", message.definition);
  body.set("ranks", number(message.ranks));
  return frame_bytes({.kind = FrameKind::kFeed, .feed = message.feed,
                      .generation = message.generation},
                     document::write(body));
}

std::string frame_of(const FeedReady& message) {
  Value body = document::make_object();
  body.set("samples", number(message.samples));
  body.set("fingerprint", make_string(message.fingerprint));
  body.set("error", make_string(message.error));
  return frame_bytes({.kind = FrameKind::kFeed, .feed = message.feed}, document::write(body));
}

std::string lease_frame(const LeaseRange& message) {
  return frame_bytes(header_of(FrameKind::kLease, message));
}

std::string revoke_frame(const LeaseRange& message) {
  return frame_bytes(header_of(FrameKind::kRevoke, message));
}

std::string frame_of(const Ack& message) {
  return frame_bytes({.kind = FrameKind::kAck, .feed = message.feed, .epoch = message.next.epoch,
                      .batch = message.next.batch, .generation = message.generation});
}

// Three forms, told apart by the flags and by which of samples and offset is used: bytes of credit,
// a place (samples is 1), room for one unit.
std::string frame_of(const Credit& message) {
  FrameHeader header{.kind = FrameKind::kCredit};
  if (message.only) {
    header.flags = kOnlyForUnit;
    header.epoch = message.only->epoch;
    header.batch = message.only->batch;
  } else if (message.place) {
    header.samples = 1;
    header.offset = *message.place;
  } else {
    header.offset = message.bytes;
  }
  return frame_bytes(header);
}

std::string frame_of(const Failed& message) {
  CHECK(message.samples.size() <= kMaxFailedSamples, "the caller names the first of them");
  std::vector<Value> samples;
  for (const std::uint64_t index : message.samples) samples.push_back(number(index));
  Value body = document::make_object();
  body.set("worker", number(message.worker));
  body.set("samples", document::make_list(std::move(samples)));
  body.set("message", make_string(message.message));
  return frame_bytes({.kind = FrameKind::kFailed, .feed = message.feed, .attempt = message.attempt,
                      .epoch = message.unit.epoch, .batch = message.unit.batch,
                      .generation = message.generation},
                     document::write(body));
}

std::string frame_of(const Statistics& message) {
  return frame_bytes({.kind = FrameKind::kStatistics}, document::write(message.values));
}

std::string ping_frame() { return frame_bytes({.kind = FrameKind::kPing}); }

Result<Refusal> read_refusal(const FrameView& frame) {
  Members members("refusal", FrameKind::kRefuse, frame);
  return checked(members, Refusal{code_of(members.text("code")), members.text("message")});
}

Result<Feed> read_feed(const FrameView& frame) {
  Members members("feed", FrameKind::kFeed, frame);
  Feed feed{frame.header.feed, frame.header.generation, {}, members.u32("ranks")};
  if (const Value* definition = members.find("definition")) feed.definition = *definition;
  return checked(members, std::move(feed));
}

Result<FeedReady> read_feed_ready(const FrameView& frame) {
  Members members("answer to a feed", FrameKind::kFeed, frame);
  return checked(members, FeedReady{frame.header.feed, members.u64("samples"),
                                    members.text("fingerprint"), members.text("error")});
}

Result<LeaseRange> read_lease_range(const FrameView& frame) {
  if (frame.header.kind != FrameKind::kRevoke)
    RETURN_IF_ERROR(check_kind(frame, FrameKind::kLease));
  RETURN_IF_ERROR(no_body(frame));
  if (frame.header.samples == 0)
    return failure(ErrorCode::kInvalidArgument, "lease of no unit");
  return LeaseRange{frame.header.feed, frame.header.generation, frame.header.attempt,
                    frame.header.unit(), frame.header.samples};
}

Result<Ack> read_ack(const FrameView& frame) {
  RETURN_IF_ERROR(check_kind(frame, FrameKind::kAck));
  RETURN_IF_ERROR(no_body(frame));
  return Ack{frame.header.feed, frame.header.generation, frame.header.unit()};
}

Result<Credit> read_credit(const FrameView& frame) {
  RETURN_IF_ERROR(check_kind(frame, FrameKind::kCredit));
  RETURN_IF_ERROR(no_body(frame));
  Credit credit;
  if ((frame.header.flags & kOnlyForUnit) != 0)
    credit.only = frame.header.unit();
  else if (frame.header.samples == 1)
    credit.place = frame.header.offset;
  else
    credit.bytes = frame.header.offset;
  return credit;
}

Result<Failed> read_failed(const FrameView& frame) {
  Members members("failed", FrameKind::kFailed, frame);
  const FrameHeader& header = frame.header;
  Failed failed{header.feed, header.generation, header.attempt, header.unit(),
                members.u32("worker"), indices_of(members), members.text("message")};
  return checked(members, std::move(failed));
}

Result<Statistics> read_statistics(const FrameView& frame) {
  Members members("statistics", FrameKind::kStatistics, frame);
  return checked(members, Statistics{members.object()});
}

}  // namespace evener::data::transport
