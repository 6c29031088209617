// The XML of S3's answers and requests. Trusts nothing it reads.
//
// Used by:  listing, upload, requests.
// Threads:  pure functions.
// Fails:    kCorrupt on text that is no such document, is deeper or larger than the limits, or has
//           a document type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace evener::storage {

inline constexpr std::size_t kXmlLimitBytes = 16u << 20;   // a page of 1,000 keys has some 4 MiB
inline constexpr int kXmlDepthLimit = 12;

struct ListingPage {
  struct Entry {
    std::string key;
    std::uint64_t size = 0;
    std::string etag{};           // with its quotes
  };
  std::vector<Entry> entries;
  std::string next_token;         // empty: the last page
};
Result<ListingPage> parse_listing(std::string_view text);

struct PendingUpload {
  std::string key;
  std::string id;
  std::string initiated;          // "2026-11-30T10:11:12.000Z"
};
Result<std::vector<PendingUpload>> parse_uploads(std::string_view text);

Result<std::string> parse_upload_id(std::string_view text);

// What an <Error> document says; all empty if it is none.
struct S3Refusal {
  std::string code;
  std::string message;
  std::string region;
  std::string endpoint;
};
S3Refusal parse_refusal(std::string_view text);

struct UploadedPart {
  std::string etag;
  std::string crc32;              // base64
};
std::string complete_upload_text(const std::vector<UploadedPart>& parts);
std::string bucket_text(std::string_view region);

}  // namespace evener::storage
