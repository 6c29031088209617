#include "storage/s3/checksum.h"

#include <isa-l/crc.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "storage/s3/encoding.h"

namespace evener::storage {
namespace {

// Reflected polynomials.
constexpr std::uint32_t kCrc32Polynomial = 0xEDB88320;
constexpr std::uint32_t kCrc32cPolynomial = 0x82F63B78;
constexpr std::size_t kMd5HexDigits = 32;

using Matrix = std::array<std::uint32_t, 32>;      // over bits: one column each

std::uint32_t times(const Matrix& matrix, std::uint32_t vector) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; vector != 0; ++i, vector >>= 1) {
    if ((vector & 1) != 0) sum ^= matrix[i];
  }
  return sum;
}

Matrix squared(const Matrix& matrix) {
  Matrix square{};
  for (std::size_t i = 0; i < square.size(); ++i) square[i] = times(matrix, matrix[i]);
  return square;
}

// Appending zeros is linear in the CRC: the matrix of one zero bit, squared for each doubling.
std::uint32_t join(std::uint32_t polynomial, std::uint32_t first, std::uint32_t second,
                   std::uint64_t second_bytes) {
  Matrix zeros{};
  zeros[0] = polynomial;
  for (std::size_t i = 1; i < zeros.size(); ++i) zeros[i] = std::uint32_t{1} << (i - 1);
  for (int i = 0; i < 3; ++i) zeros = squared(zeros);     // one byte of them
  for (; second_bytes != 0; second_bytes >>= 1) {
    if ((second_bytes & 1) != 0) first = times(zeros, first);
    zeros = squared(zeros);
  }
  return first ^ second;
}

const unsigned char* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

const EVP_MD* algorithm_of(ChecksumKind kind) {
  if (kind == ChecksumKind::kSha256) return EVP_sha256();
  return kind == ChecksumKind::kMd5 ? EVP_md5() : nullptr;
}

// Of the whole object, not of its parts' checksums.
bool is_of_whole(const http::Headers& headers, std::string_view text) {
  if (headers.find("x-amz-checksum-type").value_or("") == "COMPOSITE") return false;
  return text.find('-') == std::string_view::npos;
}

// Keys other than S3's own make the ETag another number.
bool etag_is_md5(const http::Headers& headers) {
  if (headers.find("x-amz-server-side-encryption-customer-algorithm")) return false;
  return headers.find("x-amz-server-side-encryption").value_or("AES256") == "AES256";
}

}  // namespace

std::uint32_t crc32(std::uint32_t so_far, std::span<const std::byte> bytes) {
  return ::crc32_gzip_refl(so_far, raw(bytes), bytes.size());
}

std::uint32_t crc32c(std::uint32_t so_far, std::span<const std::byte> bytes) {
  std::uint32_t state = ~so_far;
  constexpr std::size_t kMostAtOnce = 1u << 30;     // the library counts in int
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kMostAtOnce));
    state = ::crc32_iscsi(const_cast<unsigned char*>(raw(piece)), static_cast<int>(piece.size()),
                          state);
    bytes = bytes.subspan(piece.size());
  }
  return ~state;
}

std::uint32_t join_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return join(kCrc32Polynomial, first, second, second_bytes);
}

std::uint32_t join_crc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return join(kCrc32cPolynomial, first, second, second_bytes);
}

std::optional<Promised> promised_checksum(const http::Headers& headers) {
  constexpr std::pair<std::string_view, ChecksumKind> kNamed[] = {
      {"x-amz-checksum-crc32c", ChecksumKind::kCrc32c},
      {"x-amz-checksum-crc32", ChecksumKind::kCrc32},
      {"x-amz-checksum-sha256", ChecksumKind::kSha256}};
  for (const auto& [name, kind] : kNamed) {
    const auto text = headers.find(name);
    if (text && is_of_whole(headers, *text)) return Promised{kind, std::string(*text)};
  }
  std::string_view etag = headers.find("ETag").value_or("");
  if (etag.starts_with('"') && etag.ends_with('"') && etag.size() > 1)
    etag = etag.substr(1, etag.size() - 2);
  if (etag.size() == kMd5HexDigits && from_hex(etag) && etag_is_md5(headers))
    return Promised{ChecksumKind::kMd5, std::string(etag)};
  return std::nullopt;
}

struct Checksum::Digest {
  explicit Digest(const EVP_MD* algorithm) : state(EVP_MD_CTX_new()) {
    CHECK(state != nullptr && EVP_DigestInit_ex(state, algorithm, nullptr) == 1,
          "the digests are part of the library");
  }
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  ~Digest() { EVP_MD_CTX_free(state); }
  EVP_MD_CTX* state;
};

Checksum::Checksum(ChecksumKind kind) : kind_(kind) {
  if (const EVP_MD* algorithm = algorithm_of(kind)) digest_ = std::make_unique<Digest>(algorithm);
}
Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::add(std::span<const std::byte> bytes) {
  switch (kind_) {
    case ChecksumKind::kCrc32: crc_ = crc32(crc_, bytes); return;
    case ChecksumKind::kCrc32c: crc_ = crc32c(crc_, bytes); return;
    case ChecksumKind::kSha256:
    case ChecksumKind::kMd5: EVP_DigestUpdate(digest_->state, bytes.data(), bytes.size()); return;
  }
}

std::string Checksum::text() {
  if (!digest_) return base64_of_crc(crc_);
  std::array<std::byte, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  EVP_DigestFinal_ex(digest_->state, reinterpret_cast<unsigned char*>(bytes.data()), &size);
  const auto digest = std::span(bytes).first(size);
  return kind_ == ChecksumKind::kMd5 ? hex(digest) : base64(digest);
}

std::string md5_hex(std::span<const std::byte> bytes) {
  Checksum md5(ChecksumKind::kMd5);
  md5.add(bytes);
  return md5.text();
}

}  // namespace evener::storage
