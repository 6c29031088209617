#include "data/sources/object_table.h"
#include "http/sigv4/sigv4.h"

namespace evener::data::sources {
namespace {
constexpr std::size_t kPieceBytes = 1u << 20;
}

void Fingerprint::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  piece_ += text;
}

void Fingerprint::add(std::uint64_t number) {
  if (piece_.size() > kPieceBytes) close_piece();
  for (int shift = 0; shift < 64; shift += 8)
    piece_ += static_cast<char>(static_cast<unsigned char>(number >> shift));
}

void Fingerprint::close_piece() {
  hash_ = http::sha256_hex(hash_ + piece_);
  piece_.clear();
}

std::string Fingerprint::take() {
  close_piece();
  return std::move(hash_);
}

}  // namespace evener::data::sources
