#include "data/sources/sources.h"

#include <algorithm>
#include <array>

#include "data/sources/kinds.h"

namespace evener::data::sources {
namespace {

constexpr std::array kKinds = {Kind::kImages, Kind::kShards, Kind::kRecords};
constexpr std::array<std::string_view, 4> kEndings = {".jpg", ".jpeg", ".png", ".webp"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool ends_in(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  name.remove_prefix(name.size() - ending.size());
  return std::ranges::equal(name, ending, {}, lower);
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kImages: return "images";
    case Kind::kShards: return "shards";
    case Kind::kRecords: return "records";
  }
  return "";
}

std::optional<Kind> kind_from(std::string_view text) {
  for (const Kind kind : kKinds)
    if (to_string(kind) == text) return kind;
  return std::nullopt;
}

bool is_photograph(std::string_view name) {
  return std::ranges::any_of(kEndings, [&](auto ending) { return ends_in(name, ending); });
}

Result<std::unique_ptr<Source>> open(const Options& options, const storage::StoreSet& stores,
                                     const std::stop_token& stop) {
  switch (options.kind) {
    case Kind::kImages: return open_images(options, stores);
    case Kind::kShards: return open_shards(options, stores, stop);
    case Kind::kRecords: break;
  }
  return open_records(options, stores);
}

}  // namespace evener::data::sources
