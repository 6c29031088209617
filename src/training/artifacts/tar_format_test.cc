#include "training/artifacts/tar_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evener::artifacts {
namespace {

using testing::HasSubstr;

TarMember member(std::string path, std::uint64_t size = 0) {
  return {.path = std::move(path), .type = TarType::kFile, .executable = false, .size = size,
          .link_target = {}, .data = nullptr};
}

TEST(TarFormat, AShortNameNeedsOneBlockWithAValidChecksum) {
  const std::string header = tar_header(member("a/b", 5));
  ASSERT_EQ(header.size(), kTarBlock);
  EXPECT_EQ(header.substr(0, 4), std::string("a/b\0", 4));
  EXPECT_EQ(header.substr(124, 11), "00000000005");
  EXPECT_EQ(header.substr(257, 8), std::string("ustar\0" "00", 8));
  unsigned sum = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i)
    sum += i >= 148 && i < 156 ? unsigned{' '} : static_cast<unsigned char>(header[i]);
  EXPECT_EQ(std::stoul(header.substr(148, 6), nullptr, 8), sum);
}

TEST(TarFormat, ANameOf100BytesFitsAndOneMoreGetsARecord) {
  EXPECT_EQ(tar_header(member(std::string(100, 'n'))).size(), kTarBlock);
  const std::string header = tar_header(member(std::string(101, 'n')));
  EXPECT_EQ(header.size(), 3 * kTarBlock);
  EXPECT_THAT(header, HasSubstr("111 path=" + std::string(101, 'n') + "\n"));
}

TEST(TarFormat, ASizeOf8GibibytesGetsARecordAndABinaryField) {
  const std::uint64_t limit = 1ull << 33;
  EXPECT_EQ(tar_header(member("f", limit - 1)).size(), kTarBlock);
  const std::string header = tar_header(member("f", limit));
  EXPECT_THAT(header, HasSubstr("19 size=8589934592\n"));
  EXPECT_EQ(header.substr(2 * kTarBlock + 124, 12),
            std::string("\x80\0\0\0\0\0\0\x02\0\0\0\0", 12));
}

TEST(TarFormat, ASparseFileCarriesItsMapAndStoresOnlyData) {
  const std::vector<os::Extent> data{{512, 1024}, {4096, 512}};
  TarMember sparse = member("d/f", 10'000);
  sparse.data = &data;
  EXPECT_EQ(tar_data_size(sparse), 1536u);
  const std::string header = tar_header(sparse);
  EXPECT_THAT(header, HasSubstr("GNU.sparse.name=d/f\n"));
  EXPECT_THAT(header, HasSubstr("GNU.sparse.realsize=10000\n"));
  EXPECT_THAT(header, HasSubstr("d/GNUSparseFile.0/f"));
  EXPECT_THAT(header, HasSubstr("3\n512\n1024\n4096\n512\n10000\n0\n"));
  EXPECT_EQ(header.size() % kTarBlock, 0u);
}

TEST(TarFormat, FoldersAndLinksHoldNoData) {
  TarMember folder = member("d");
  folder.type = TarType::kFolder;
  EXPECT_EQ(tar_header(folder).substr(0, 3), std::string("d/\0", 3));
  EXPECT_EQ(tar_header(folder)[156], '5');
  TarMember link = member("l");
  link.type = TarType::kSymlink;
  link.link_target = std::string(150, 't');
  EXPECT_THAT(tar_header(link), HasSubstr(" linkpath=" + link.link_target + "\n"));
  EXPECT_EQ(tar_data_size(link), 0u);
}

}  // namespace
}  // namespace evener::artifacts
