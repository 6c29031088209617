#include <algorithm>

#include "training/artifacts/artifacts.h"
#include "training/artifacts/manifest.h"
#include "training/artifacts/relative_path.h"

namespace evener::artifacts {
namespace {

constexpr std::uint64_t kManifestBytes = 64u << 20;  // some 500,000 names
constexpr std::size_t kNamesInMessage = 10;

struct Source {
  storage::Uri uri;
  storage::ObjectStore* store = nullptr;
};

Result<Source> find_source(const storage::StoreSet& stores, const std::string& text) {
  auto uri = storage::parse_uri(text);
  if (!uri) return tl::unexpected(std::move(uri.error()));
  auto store = stores.find(*uri);
  if (!store) return tl::unexpected(std::move(store.error()));
  return Source{std::move(*uri), *store};
}

tl::unexpected<Error> no_objects(const std::string& uri) {
  return failure(ErrorCode::kNotFound,
                 "No objects found under \"" + uri +
                     "\" given in input data source. Please ensure that the location exists, that "
                     "objects exist under that prefix, and that they can be read.");
}

Status list_prefix(const storage::StoreSet& stores, ChannelListing& listing) {
  auto source = find_source(stores, listing.channel.uri);
  if (!source) return tl::unexpected(std::move(source.error()));
  auto objects = source->store->list(source->uri);
  if (!objects) {
    if (objects.error().code == ErrorCode::kNotFound) return no_objects(listing.channel.uri);
    return tl::unexpected(std::move(objects.error()));
  }
  // Markers that consoles write for "folders" are no files.
  std::erase_if(*objects, [](const storage::StoredObject& object) {
    return object.key.empty() || (object.size == 0 && object.key.ends_with('/'));
  });
  listing.objects = std::move(*objects);
  if (listing.objects.empty()) return no_objects(listing.channel.uri);
  if (listing.channel.compression == jobs::Compression::kNone)
    listing.folder = source->store->local_folder(source->uri);
  return ok();
}

Result<std::string> read_manifest(const storage::StoreSet& stores, const std::string& uri) {
  auto source = find_source(stores, uri);
  if (!source) return tl::unexpected(std::move(source.error()));
  auto file = source->store->open(source->uri);
  if (!file && file.error().code == ErrorCode::kNotFound) return no_objects(uri);
  if (!file) return tl::unexpected(std::move(file.error()));
  auto stat = (*file)->stat();
  if (!stat) return tl::unexpected(std::move(stat.error()));
  if (stat->size > kManifestBytes)
    return failure(ErrorCode::kLimitExceeded,
                   "the manifest " + uri + " is larger than " + std::to_string(kManifestBytes) + " bytes");
  std::string text(stat->size, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    auto got = (*file)->read_at(filled, std::as_writable_bytes(std::span(text)).subspan(filled));
    if (!got) return tl::unexpected(std::move(got.error()));
    if (*got == 0) break;
    filled += *got;
  }
  text.resize(filled);
  return text;
}

std::string missing_text(const std::vector<std::string>& missing) {
  std::string text = std::to_string(missing.size()) + " of the objects named by the manifest do not exist: ";
  for (std::size_t i = 0; i < std::min(missing.size(), kNamesInMessage); ++i)
    text += (i == 0 ? "" : ", ") + missing[i];
  if (missing.size() > kNamesInMessage) text += ", ...";
  return text;
}

Status list_manifest(const storage::StoreSet& stores, ChannelListing& listing) {
  auto text = read_manifest(stores, listing.channel.uri);
  if (!text) return tl::unexpected(std::move(text.error()));
  auto manifest = parse_manifest(*text);
  if (!manifest) return failure_in(listing.channel.uri, std::move(manifest.error()));
  std::ranges::sort(manifest->names);
  // An object named twice is still one object.
  manifest->names.erase(std::ranges::unique(manifest->names).begin(), manifest->names.end());
  std::vector<std::string> missing;
  for (const std::string& name : manifest->names) {
    if (auto path = safe_relative_path(name); !path)
      return failure_in(listing.channel.uri, std::move(path.error()));
    auto object = find_source(stores, manifest->prefix + name);
    if (!object) return tl::unexpected(std::move(object.error()));
    auto file = object->store->open(object->uri);
    if (!file && file.error().code == ErrorCode::kNotFound) {
      missing.push_back(manifest->prefix + name);
      continue;
    }
    if (!file) return tl::unexpected(std::move(file.error()));
    auto stat = (*file)->stat();
    if (!stat) return tl::unexpected(std::move(stat.error()));
    listing.objects.push_back(
        {.key = name, .uri = storage::to_string(object->uri), .size = stat->size});
  }
  if (!missing.empty()) return failure(ErrorCode::kNotFound, missing_text(missing));
  if (listing.objects.empty()) return no_objects(listing.channel.uri);
  return ok();
}

Status list_objects(const storage::StoreSet& stores, ChannelListing& listing) {
  switch (listing.channel.data_type) {
    case jobs::DataType::kS3Prefix: return list_prefix(stores, listing);
    case jobs::DataType::kManifestFile: return list_manifest(stores, listing);
    case jobs::DataType::kAugmentedManifestFile: break;
  }
  return failure(ErrorCode::kUnsupported, "AugmentedManifestFile is not supported yet");
}

// One object a line is what readers of the file expect, whatever a name contains.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n')
      line += "%0A";
    else
      line += c;
  }
  return line;
}

}  // namespace

Result<ChannelListing> list_channel(const storage::StoreSet& stores, const jobs::Channel& channel) {
  ChannelListing listing{.channel = channel, .objects = {}, .folder = std::nullopt};
  Status listed = list_objects(stores, listing);
  if (!listed) return failure_in("channel " + channel.name, std::move(listed.error()));
  return listing;
}

std::string manifest_text(const ChannelListing& listing) {
  std::string prefix = listing.channel.uri;
  if (const auto uri = storage::parse_uri(prefix); uri && uri->scheme != "file") prefix = uri->key;
  std::string text = one_line(prefix) + "\n";
  for (const storage::StoredObject& object : listing.objects) text += one_line(object.uri) + "\n";
  return text;
}

}  // namespace evener::artifacts
