#include "storage/s3/checksum.h"

#include <gtest/gtest.h>

#include <vector>

#include "storage/s3/encoding.h"

namespace evener::storage {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string of(ChecksumKind kind, std::string_view text) {
  Checksum checksum(kind);
  checksum.add(bytes_of(text.substr(0, text.size() / 2)));
  checksum.add(bytes_of(text.substr(text.size() / 2)));
  return checksum.text();
}

TEST(Checksums, AreThoseOfTheirStandards) {
  // The check values of the catalogues of CRCs, and RFC 1321 and FIPS 180.
  EXPECT_EQ(crc32(0, bytes_of("123456789")), 0xCBF43926u);
  EXPECT_EQ(crc32c(0, bytes_of("123456789")), 0xE3069283u);
  EXPECT_EQ(of(ChecksumKind::kCrc32, "123456789"), "y/Q5Jg==");
  EXPECT_EQ(of(ChecksumKind::kCrc32c, "123456789"), "4waSgw==");
  EXPECT_EQ(of(ChecksumKind::kMd5, "abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(of(ChecksumKind::kSha256, "abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST(Checksums, OfPartsJoinToThatOfTheWhole) {
  std::string text(100'000, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i % 251);
  const auto whole = bytes_of(text);
  for (const std::size_t cut : {0, 1, 7, 4096, 99'999, 100'000}) {
    const auto first = whole.first(cut);
    const auto second = whole.subspan(cut);
    EXPECT_EQ(join_crc32(crc32(0, first), crc32(0, second), second.size()), crc32(0, whole)) << cut;
    EXPECT_EQ(join_crc32c(crc32c(0, first), crc32c(0, second), second.size()), crc32c(0, whole));
  }
}

TEST(Checksums, OnlyThoseOfTheWholeObjectArePromised) {
  const std::string md5 = "\"900150983cd24fb0d6963f7d28e17f72\"";
  EXPECT_EQ(promised_checksum({{"ETag", md5}})->kind, ChecksumKind::kMd5);
  EXPECT_EQ(promised_checksum({{"ETag", md5}, {"x-amz-checksum-crc32", "y/Q5Jg=="}})->kind,
            ChecksumKind::kCrc32);
  EXPECT_FALSE(promised_checksum({{"ETag", "\"900150983cd24fb0d6963f7d28e17f72-3\""}}));
  EXPECT_FALSE(promised_checksum({{"x-amz-checksum-crc32", "y/Q5Jg==-3"}}));
  EXPECT_FALSE(promised_checksum(
      {{"x-amz-checksum-crc32", "y/Q5Jg=="}, {"x-amz-checksum-type", "COMPOSITE"}}));
  EXPECT_FALSE(promised_checksum({{"ETag", md5}, {"x-amz-server-side-encryption", "aws:kms"}}));
  EXPECT_FALSE(promised_checksum({}));
}

}  // namespace
}  // namespace evener::storage
