#include "training/artifacts/gunzip.h"

#include <isa-l.h>

#include <algorithm>
#include <string>
#include <vector>

namespace evener::artifacts {
namespace {

constexpr std::size_t kOutputBytes = 1u << 20;

tl::unexpected<Error> corrupt(const std::string& what) {
  return failure(ErrorCode::kCorrupt, "not valid gzip data: " + what);
}

}  // namespace

struct Gunzip::State {
  enum class At { kBetweenMembers, kInMember, kInPadding };
  Sink sink;
  At at = At::kBetweenMembers;
  bool any_member = false;
  inflate_state inflate;
  std::vector<std::byte> output = std::vector<std::byte>(kOutputBytes);

  void start_member() {
    isal_inflate_init(&inflate);
    inflate.crc_flag = ISAL_GZIP;
    at = At::kInMember;
    any_member = true;
  }

  Status run() {
    // Output may be pending inside even when all input is taken, so a full buffer means: again.
    do {
      inflate.next_out = reinterpret_cast<std::uint8_t*>(output.data());
      inflate.avail_out = static_cast<std::uint32_t>(output.size());
      const int code = isal_inflate(&inflate);
      if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT)
        return corrupt(code == ISAL_INCORRECT_CHECKSUM ? "wrong checksum"
                                                       : "code " + std::to_string(code));
      const std::size_t made = output.size() - inflate.avail_out;
      if (made > 0) RETURN_IF_ERROR(sink(std::span<const std::byte>(output).first(made)));
    } while (inflate.block_state != ISAL_BLOCK_FINISH &&
             (inflate.avail_in > 0 || inflate.avail_out == 0));
    if (inflate.block_state == ISAL_BLOCK_FINISH) at = At::kBetweenMembers;
    return ok();
  }
};

Gunzip::Gunzip(Sink sink) : state_(std::make_unique<State>()) { state_->sink = std::move(sink); }
Gunzip::~Gunzip() = default;

Status Gunzip::feed(std::span<const std::byte> bytes) {
  using At = State::At;
  while (!bytes.empty()) {
    // Tapes and some tools pad the end with zeros, as gzip itself allows.
    if (state_->at == At::kBetweenMembers && state_->any_member && bytes[0] == std::byte{0})
      state_->at = At::kInPadding;
    if (state_->at == At::kInPadding) {
      const bool zeros = std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
      return zeros ? ok() : corrupt("bytes after the end");
    }
    if (state_->at == At::kBetweenMembers) state_->start_member();
    // The interface takes input as non-const but does not write to it.
    state_->inflate.next_in =
        reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data()));
    state_->inflate.avail_in = static_cast<std::uint32_t>(bytes.size());
    RETURN_IF_ERROR(state_->run());
    bytes = bytes.last(state_->inflate.avail_in);
  }
  return ok();
}

Status Gunzip::finish() {
  if (state_->at == State::At::kInMember || !state_->any_member) return corrupt("cut off");
  return ok();
}

}  // namespace evener::artifacts
