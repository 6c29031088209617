#include "storage/s3/xml.h"

#include <gtest/gtest.h>

#include "base/ids.h"

namespace evener::storage {
namespace {

const std::string kPage =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult "
    "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name><EncodingType>url</EncodingType>"
    "<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>"
    "<Contents><Key>a+b%2Bc%0A</Key><Size>12</Size></Contents>"
    "<Contents><Key>d%26amp;</Key><Size>18446744073709551615</Size></Contents></ListBucketResult>";

TEST(Xml, AListingPageIsRead) {
  const auto page = parse_listing(kPage);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->entries.size(), 2u);
  EXPECT_EQ(page->entries[0].key, "a b+c\n");
  EXPECT_EQ(page->entries[0].size, 12u);
  EXPECT_EQ(page->entries[1].size, 18446744073709551615u);
  EXPECT_EQ(page->next_token, "next");
}

TEST(Xml, WhatIsNoListingIsRefused) {
  const auto wrapped = [](const std::string& inner) {
    return "<ListBucketResult>" + inner + "</ListBucketResult>";
  };
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  for (const std::string& text :
       {std::string(), std::string("text"), std::string("<Error/>"), deep, wrapped(deep),
        wrapped("<Contents><Key>a</Key></Contents>"),
        wrapped("<Contents><Key>a</Key><Size>-1</Size></Contents>"),
        wrapped("<Contents><Key>a</Key><Size>99999999999999999999</Size></Contents>"),
        wrapped("<EncodingType>url</EncodingType><Contents><Key>%zz</Key><Size>1</Size></Contents>"),
        wrapped("<IsTruncated>true</IsTruncated>"),
        "<!DOCTYPE x [<!ENTITY e \"e\">]>" + wrapped("&e;"), kPage.substr(0, 300)}) {
    const auto page = parse_listing(text);
    ASSERT_FALSE(page) << text.substr(0, 200);
    EXPECT_EQ(page.error().code, ErrorCode::kCorrupt);
  }
}

// Damaged documents are read or refused; nothing else may happen.
TEST(Xml, RandomDamageIsSurvived) {
  SeededRandom random(11);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = kPage;
    for (std::uint64_t change = random.below(6); change > 0; --change) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0: text[at] = static_cast<char>(random.next()); break;
        case 1: text.erase(at, random.below(20)); break;
        case 2: text.insert(at, text.substr(random.below(text.size()), random.below(40))); break;
        default: text.insert(at, "<"); break;
      }
      if (text.empty()) break;
    }
    (void)parse_listing(text);
    (void)parse_refusal(text);
    (void)parse_uploads(text);
  }
}

TEST(Xml, RefusalsSayTheirCode) {
  const S3Refusal refusal = parse_refusal(
      "<Error><Code>SlowDown</Code><Message>Reduce &lt;it&gt;</Message><Region>r</Region></Error>");
  EXPECT_EQ(refusal.code, "SlowDown");
  EXPECT_EQ(refusal.message, "Reduce <it>");
  EXPECT_EQ(refusal.region, "r");
  EXPECT_EQ(parse_refusal("not xml").code, "");
}

TEST(Xml, PartsOfAnUploadAreNumberedInOrder) {
  EXPECT_EQ(complete_upload_text({{.etag = "\"a\"", .crc32 = "x=="}, {.etag = "\"b\"", .crc32 = ""}}),
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Part>"
            "<PartNumber>1</PartNumber><ETag>\"a\"</ETag><ChecksumCRC32>x==</ChecksumCRC32></Part>"
            "<Part><PartNumber>2</PartNumber><ETag>\"b\"</ETag></Part></CompleteMultipartUpload>");
}

}  // namespace
}  // namespace evener::storage
