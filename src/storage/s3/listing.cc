#include "storage/s3/listing.h"

#include <algorithm>

#include "storage/s3/xml.h"

namespace evener::storage {
namespace {

using Entries = std::vector<ListingPage::Entry>;

Result<ListingPage> read_page(Requests& requests, const S3Request& request) {
  auto answer = requests.send(request);
  if (!answer) return tl::unexpected(std::move(answer.error()));
  auto page = parse_listing(answer->body);
  if (!page) return failure_in(place_of(request), std::move(page.error()));
  return page;
}

// Every key that starts with `start`, sorted by bytes. A key that two pages name, since the bucket
// changed between them, counts once.
Result<Entries> list_all(Requests& requests, const std::string& bucket, const std::string& start) {
  Entries entries;
  std::string token;
  do {
    S3Request request{.bucket = bucket};
    request.query = {{"list-type", "2"}, {"encoding-type", "url"}, {"prefix", start}};
    if (!token.empty()) request.query.emplace_back("continuation-token", token);
    auto page = read_page(requests, request);
    if (!page) return tl::unexpected(std::move(page.error()));
    if (page->next_token == token && !token.empty())
      return failure(ErrorCode::kCorrupt, place_of(request) + ": the listing does not end");
    std::ranges::move(page->entries, std::back_inserter(entries));
    if (entries.size() > kMaxListedKeys)
      return failure(ErrorCode::kLimitExceeded, place_of(request) + ": more than " +
                                                    std::to_string(kMaxListedKeys) + " objects");
    token = std::move(page->next_token);
  } while (!token.empty());
  // A server that ignores the prefix must not lead us out of it.
  std::erase_if(entries, [&](const auto& entry) { return !entry.key.starts_with(start); });
  std::ranges::stable_sort(entries, {}, &ListingPage::Entry::key);
  const auto twice = std::ranges::unique(entries, {}, &ListingPage::Entry::key);
  entries.erase(twice.begin(), twice.end());
  return entries;
}

std::vector<StoredObject> relative(Entries entries, const std::string& bucket, std::size_t cut) {
  std::vector<StoredObject> objects;
  objects.reserve(entries.size());
  for (const auto& entry : entries) {
    objects.push_back({.key = entry.key.substr(cut),
                       .uri = to_string(Uri{"s3", bucket, entry.key}),
                       .size = entry.size,
                       .version = entry.etag});
  }
  return objects;
}

}  // namespace

Result<std::vector<StoredObject>> list_objects(Requests& requests, const Uri& prefix) {
  const bool named = !prefix.key.empty() && !prefix.key.ends_with('/');
  const std::string folder = named ? prefix.key + "/" : prefix.key;
  auto inside = list_all(requests, prefix.bucket, folder);
  if (!inside) return tl::unexpected(std::move(inside.error()));
  if (!named || !inside->empty()) {
    return relative(std::move(*inside), prefix.bucket, folder.size());
  }
  auto matching = list_all(requests, prefix.bucket, prefix.key);
  if (!matching) return tl::unexpected(std::move(matching.error()));
  // The key itself sorts before all that it starts.
  if (!matching->empty() && matching->front().key == prefix.key) matching->resize(1);
  const auto slash = prefix.key.rfind('/');
  return relative(std::move(*matching), prefix.bucket, slash == std::string::npos ? 0 : slash + 1);
}

}  // namespace evener::storage
