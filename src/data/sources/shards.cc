#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "base/mutex.h"
#include "data/sources/index_file.h"
#include "data/sources/kinds.h"
#include "data/sources/object_table.h"
#include "data/sources/placed.h"
#include "data/sources/tar_walk.h"

namespace evener::data::sources {
namespace {

constexpr std::size_t kIndexThreads = 8;          // shards that are indexed at the same time
constexpr std::string_view kLabelEnding = "cls";

// A photograph within its shard.
struct Member {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t shard = 0;
};

struct IndexedShard {
  std::vector<Member> members;
  std::vector<std::string> keys;
  std::vector<std::string> labels;                // texts; as many as members, or none
};

class Shards final : public Source {
 public:
  struct Parts {
    ObjectTable shards;
    std::vector<Member> members;
    ObjectTable keys;
    LabelSet labels;
  };

  Shards(Placed placed, Parts parts) : placed_(std::move(placed)), parts_(std::move(parts)) {
    Fingerprint print;
    print.add(to_string(Kind::kShards));
    for (std::size_t i = 0; i < parts_.shards.count(); ++i) {
      print.add(parts_.shards.name(i));
      print.add(parts_.shards.size(i));
    }
    for (std::size_t i = 0; i < parts_.members.size(); ++i) {
      print.add(parts_.keys.name(i));
      print.add(parts_.members[i].offset);
      print.add(static_cast<std::uint64_t>(label(i)));
    }
    fingerprint_ = print.take();
  }

  std::uint64_t samples() const override { return parts_.members.size(); }
  const std::string& fingerprint() const override { return fingerprint_; }
  const std::vector<std::string>& classes() const override { return parts_.labels.classes; }
  std::uint64_t label_count() const override { return parts_.labels.count; }
  std::int64_t label(std::uint64_t sample) const override {
    return parts_.labels.labels.empty() ? 0 : parts_.labels.labels[sample];
  }
  std::string id(std::uint64_t sample) const override {
    return std::string(parts_.shards.name(parts_.members[sample].shard)) + ":" +
           std::string(parts_.keys.name(sample));
  }

  Status read(std::uint64_t sample, Reading& into) const override {
    const Member& member = parts_.members[sample];
    const ObjectTable& shards = parts_.shards;
    return placed_.read(shards.name(member.shard),
                        {shards.size(member.shard), shards.version(member.shard)}, member.offset,
                        into.take(member.size), into.place);
  }

 private:
  const Placed placed_;
  const Parts parts_;
  std::string fingerprint_;
};

// "dir/name.tail": the key is all before the first dot of the last part, the ending all behind it.
// Names without an ending, and hidden files, belong to no sample.
struct MemberName {
  std::string_view key;
  std::string ending;
};
std::optional<MemberName> split(std::string_view name) {
  const auto slash = name.rfind('/');
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  const auto dot = name.find('.', begin);
  if (dot == std::string_view::npos || dot == begin || dot + 1 == name.size()) return std::nullopt;
  std::string ending(name.substr(dot + 1));
  std::ranges::transform(ending, ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return MemberName{name.substr(0, dot), std::move(ending)};
}

// Members of one key, one after another, become a sample.
class Grouping {
 public:
  Grouping(const std::string& shard, Labels labels, IndexedShard& into)
      : shard_(shard), labels_(labels), into_(into) {}

  Status add(TarWalk& walk, const TarMember& member) {
    const auto name = split(member.name);
    if (!name) return ok();
    if (name->key != key_) {
      RETURN_IF_ERROR(finish());
      key_ = name->key;
    }
    if (name->ending == kLabelEnding && labels_ == Labels::kNeeded) {
      auto text = walk.text(member, kMaxLabelBytes);
      if (!text) return tl::unexpected(std::move(text.error()));
      label_ = text->substr(0, text->find_last_not_of(" \t\r\n") + 1);
      return ok();
    }
    if (!is_photograph("." + name->ending)) return ok();
    if (photograph_)
      return failure(ErrorCode::kInvalidArgument,
                     shard_ + ": " + key_ + " has two photographs; a sample has one");
    if (member.size > kMaxSampleBytes)
      return failure(ErrorCode::kLimitExceeded, shard_ + ": " + member.name + " is too large");
    photograph_ = Member{.offset = member.offset, .size = static_cast<std::uint32_t>(member.size)};
    return ok();
  }

  Status finish() {
    const auto photograph = std::exchange(photograph_, std::nullopt);
    const auto label = std::exchange(label_, std::nullopt);
    if (!photograph && !label) return ok();
    if (!photograph)
      return failure(ErrorCode::kInvalidArgument,
                     shard_ + ": " + key_ + " has a label, but no photograph beside it");
    if (labels_ == Labels::kNeeded) {
      if (!label || label->empty())
        return failure(ErrorCode::kInvalidArgument,
                       shard_ + ": " + key_ + " has no member " + key_ +
                           ".cls with its label; add it, or set label = \"none\"");
      into_.labels.push_back(*label);
    }
    into_.members.push_back(*photograph);
    into_.keys.push_back(key_);
    if (into_.members.size() > kMaxSamples)
      return failure(ErrorCode::kLimitExceeded, shard_ + ": too many samples");
    return ok();
  }

 private:
  const std::string& shard_;
  const Labels labels_;
  IndexedShard& into_;
  std::string key_;
  std::optional<Member> photograph_;
  std::optional<std::string> label_;
};

Result<IndexedShard> index_shard(const Placed& placed, const storage::StoredObject& object,
                                 Labels labels, const std::stop_token& stop) {
  auto file = placed.open(object);
  if (!file) return tl::unexpected(std::move(file.error()));
  IndexedShard indexed;
  TarWalk walk(**file, object.uri, object.size);
  Grouping grouping(object.uri, labels, indexed);
  while (true) {
    if (stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped on request");
    auto member = walk.next();
    if (!member) return tl::unexpected(std::move(member.error()));
    if (!*member) break;
    RETURN_IF_ERROR(grouping.add(walk, **member));
  }
  RETURN_IF_ERROR(grouping.finish());
  return indexed;
}

// All shards, some at a time; the first error ends all.
Result<std::vector<IndexedShard>> index_all(const Placed& placed,
                                            const std::vector<storage::StoredObject>& objects,
                                            Labels labels, const std::stop_token& stop) {
  std::vector<IndexedShard> indexed(objects.size());
  std::atomic<std::size_t> next{0};
  std::stop_source failed;
  const std::stop_callback pass_on(stop, [&] { failed.request_stop(); });
  Mutex mutex;
  std::optional<Error> error;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(kIndexThreads, objects.size()); ++i) {
      threads.emplace_back([&] {
        for (std::size_t at = next++; at < objects.size(); at = next++) {
          auto one = index_shard(placed, objects[at], labels, failed.get_token());
          if (one) {
            indexed[at] = std::move(*one);
            continue;
          }
          const MutexLock lock(mutex);
          if (!error) error = std::move(one.error());
          failed.request_stop();
          return;
        }
      });
    }
  }
  if (error) return tl::unexpected(std::move(*error));
  return indexed;
}

Result<std::unique_ptr<Source>> join(Placed placed,
                                     const std::vector<storage::StoredObject>& objects,
                                     std::vector<IndexedShard> indexed) {
  Shards::Parts parts;
  std::vector<std::string_view> labels;
  for (std::size_t shard = 0; shard < objects.size(); ++shard) {
    parts.shards.add(objects[shard].key, objects[shard].size, objects[shard].version);
    for (std::size_t i = 0; i < indexed[shard].members.size(); ++i) {
      Member member = indexed[shard].members[i];
      member.shard = static_cast<std::uint32_t>(shard);
      parts.members.push_back(member);
      parts.keys.add(indexed[shard].keys[i], 0, "");
    }
    labels.insert(labels.end(), indexed[shard].labels.begin(), indexed[shard].labels.end());
  }
  if (parts.members.empty())
    return failure(ErrorCode::kNotFound, placed.text() + ": no photograph is in its shards");
  if (parts.members.size() > kMaxSamples)
    return failure(ErrorCode::kLimitExceeded, placed.text() + ": too many samples");
  auto numbered = number_labels(labels, placed.text());
  if (!numbered) return tl::unexpected(std::move(numbered.error()));
  parts.labels = std::move(*numbered);
  return std::make_unique<Shards>(std::move(placed), std::move(parts));
}

}  // namespace

Result<std::unique_ptr<Source>> open_shards(const Options& options,
                                            const storage::StoreSet& stores,
                                            const std::stop_token& stop) {
  auto placed = Placed::at(options.location, stores);
  if (!placed) return tl::unexpected(std::move(placed.error()));
  auto objects = placed->list();
  if (!objects) return tl::unexpected(std::move(objects.error()));
  std::erase_if(*objects, [](const auto& object) { return !object.key.ends_with(".tar"); });
  if (objects->empty())
    return failure(ErrorCode::kNotFound, placed->text() + ": no .tar file is there");
  auto indexed = index_all(*placed, *objects, options.labels, stop);
  if (!indexed) return tl::unexpected(std::move(indexed.error()));
  return join(std::move(*placed), *objects, std::move(*indexed));
}

}  // namespace evener::data::sources
