#include "storage/s3/xml.h"

#include <pugixml.hpp>

#include <charconv>
#include <sstream>

#include "storage/s3/encoding.h"

namespace evener::storage {
namespace {

tl::unexpected<Error> bad_answer(std::string_view why) {
  return failure(ErrorCode::kCorrupt, "the server's answer " + std::string(why));
}

// Before a parser sees it: a flat look at how deep elements nest.
Status check_depth(std::string_view text) {
  int depth = 0;
  for (auto at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('!')) {
      if (!rest.starts_with("!--")) return bad_answer("has a document type or raw text");
      continue;
    }
    if (rest.starts_with('?')) continue;
    if (rest.starts_with('/')) {
      --depth;
      continue;
    }
    const auto end = rest.find('>');
    if (end == std::string_view::npos) return bad_answer("is cut off");
    if (end > 0 && rest[end - 1] == '/') continue;
    if (++depth > kXmlDepthLimit) return bad_answer("is nested too deeply");
  }
  return ok();
}

Status parse_document(std::string_view text, std::string_view root, pugi::xml_document& document) {
  if (text.size() > kXmlLimitBytes) return bad_answer("is too large");
  RETURN_IF_ERROR(check_depth(text));
  // parse_minimal leaves escapes as they are; white space inside keys must stay.
  const auto result = document.load_buffer(text.data(), text.size(),
                                           pugi::parse_escapes | pugi::parse_ws_pcdata_single);
  if (!result) return bad_answer(std::string("is not XML: ") + result.description());
  if (document.document_element().name() != root)
    return bad_answer("is not <" + std::string(root) + ">");
  return ok();
}

Result<std::string> decoded_key(const pugi::xml_node& node, bool encoded) {
  const std::string text = node.child_value("Key");
  if (!encoded) return text;
  auto key = uri_decode(text);
  if (!key) return bad_answer("has a key with a bad escape");
  return std::move(*key);
}

bool is_encoded(const pugi::xml_node& root) {
  return std::string_view(root.child_value("EncodingType")) == "url";
}

}  // namespace

Result<ListingPage> parse_listing(std::string_view text) {
  pugi::xml_document document;
  RETURN_IF_ERROR(parse_document(text, "ListBucketResult", document));
  const pugi::xml_node root = document.document_element();
  const bool encoded = is_encoded(root);
  ListingPage page;
  for (const pugi::xml_node& node : root.children("Contents")) {
    auto key = decoded_key(node, encoded);
    if (!key) return tl::unexpected(std::move(key.error()));
    const std::string_view size = node.child_value("Size");
    ListingPage::Entry entry{.key = std::move(*key), .etag = node.child_value("ETag")};
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), entry.size);
    if (error != std::errc() || end != size.data() + size.size())
      return bad_answer("has an object without a size");
    page.entries.push_back(std::move(entry));
  }
  if (std::string_view(root.child_value("IsTruncated")) == "true") {
    page.next_token = root.child_value("NextContinuationToken");
    if (page.next_token.empty()) return bad_answer("says there is more, but not where");
  }
  return page;
}

Result<std::vector<PendingUpload>> parse_uploads(std::string_view text) {
  pugi::xml_document document;
  RETURN_IF_ERROR(parse_document(text, "ListMultipartUploadsResult", document));
  const pugi::xml_node root = document.document_element();
  const bool encoded = is_encoded(root);
  std::vector<PendingUpload> uploads;
  for (const pugi::xml_node& node : root.children("Upload")) {
    auto key = decoded_key(node, encoded);
    if (!key) return tl::unexpected(std::move(key.error()));
    uploads.push_back({.key = std::move(*key),
                       .id = node.child_value("UploadId"),
                       .initiated = node.child_value("Initiated")});
  }
  return uploads;
}

Result<std::string> parse_upload_id(std::string_view text) {
  pugi::xml_document document;
  RETURN_IF_ERROR(parse_document(text, "InitiateMultipartUploadResult", document));
  std::string id = document.document_element().child_value("UploadId");
  if (id.empty()) return bad_answer("has no UploadId");
  return id;
}

S3Refusal parse_refusal(std::string_view text) {
  pugi::xml_document document;
  if (!parse_document(text, "Error", document)) return {};
  const pugi::xml_node root = document.document_element();
  return {.code = root.child_value("Code"),
          .message = root.child_value("Message"),
          .region = root.child_value("Region"),
          .endpoint = root.child_value("Endpoint")};
}

std::string complete_upload_text(const std::vector<UploadedPart>& parts) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("CompleteMultipartUpload");
  root.append_attribute("xmlns") = "http://s3.amazonaws.com/doc/2006-03-01/";
  int number = 0;
  for (const UploadedPart& part : parts) {
    pugi::xml_node node = root.append_child("Part");
    node.append_child("PartNumber").text() = ++number;
    node.append_child("ETag").text() = part.etag.c_str();
    if (!part.crc32.empty()) node.append_child("ChecksumCRC32").text() = part.crc32.c_str();
  }
  std::ostringstream text;
  document.save(text, "", pugi::format_raw | pugi::format_no_declaration);
  return text.str();
}

std::string bucket_text(std::string_view region) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("CreateBucketConfiguration");
  root.append_attribute("xmlns") = "http://s3.amazonaws.com/doc/2006-03-01/";
  root.append_child("LocationConstraint").text() = std::string(region).c_str();
  std::ostringstream text;
  document.save(text, "", pugi::format_raw | pugi::format_no_declaration);
  return text.str();
}

}  // namespace evener::storage
