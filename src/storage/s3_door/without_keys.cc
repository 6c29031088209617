#include "storage/s3_door/without_keys.h"

#include <algorithm>

namespace evener::storage {
namespace {

constexpr std::string_view kEncryption = "x-amz-server-side-encryption";

std::string head_of(const http::Request& request) {
  std::string text = request.method + " " + request.path;
  if (!request.query.empty()) text += "?" + request.query;
  text += " HTTP/1.1\r\n";
  for (const http::Header& header : request.headers.all())
    text += header.name + ": " + header.value + "\r\n";
  return text + "\r\n";
}

}  // namespace

bool asks_for_key_service(const http::Request& request) {
  const auto asked = request.headers.find(kEncryption);
  return asked && asked->starts_with("aws:kms");
}

bool says_it_is_of(const http::Request& request, const std::vector<http::AccessKey>& keys) {
  const auto said = request.headers.find("Authorization");
  return said && std::ranges::any_of(keys, [&](const http::AccessKey& key) {
    return !key.id.empty() && said->find("Credential=" + key.id + "/") != std::string_view::npos;
  });
}

Result<std::string> head_without_key_service(const http::Request& request,
                                             const std::vector<http::AccessKey>& keys,
                                             const http::Verifier& verifier, WallTime now) {
  const auto caller = verifier.verify(request, now);
  if (!caller) return tl::unexpected(caller.error());
  const auto key = std::ranges::find(keys, caller->access_key_id, &http::AccessKey::id);
  if (key == keys.end() || caller->service != "s3")
    return failure(ErrorCode::kPermissionDenied, "the key is none of the server's");
  http::Request anew{.method = request.method, .path = request.path, .query = request.query,
                     .headers = request.headers};
  for (const char* suffix : {"", "-aws-kms-key-id", "-context", "-bucket-key-enabled"})
    anew.headers.remove(std::string(kEncryption) + suffix);
  for (const char* name : {"Authorization", "X-Amz-Date", "Expect", "Content-Length"})
    anew.headers.remove(name);
  http::sign(anew, *key, {.region = caller->region, .service = "s3"},
             http::sha256_hex(request.body), now);
  anew.headers.set("Content-Length", std::to_string(request.body.size()));
  return head_of(anew);
}

}  // namespace evener::storage
