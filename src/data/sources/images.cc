#include <algorithm>

#include "data/sources/index_file.h"
#include "data/sources/kinds.h"
#include "data/sources/object_table.h"
#include "data/sources/placed.h"

namespace evener::data::sources {
namespace {

class Images final : public Source {
 public:
  Images(Placed placed, ObjectTable files, LabelSet labels)
      : placed_(std::move(placed)), files_(std::move(files)), labels_(std::move(labels)) {
    Fingerprint print;
    print.add(to_string(Kind::kImages));
    for (std::size_t i = 0; i < files_.count(); ++i) {
      print.add(files_.name(i));
      print.add(files_.size(i));
      print.add(static_cast<std::uint64_t>(label(i)));
    }
    fingerprint_ = print.take();
  }

  std::uint64_t samples() const override { return files_.count(); }
  const std::string& fingerprint() const override { return fingerprint_; }
  const std::vector<std::string>& classes() const override { return labels_.classes; }
  std::uint64_t label_count() const override { return labels_.count; }
  std::int64_t label(std::uint64_t sample) const override {
    return labels_.labels.empty() ? 0 : labels_.labels[sample];
  }
  std::string id(std::uint64_t sample) const override { return std::string(files_.name(sample)); }

  Status read(std::uint64_t sample, Reading& into) const override {
    const std::uint64_t size = files_.size(sample);
    if (size > kMaxSampleBytes)
      return failure(ErrorCode::kLimitExceeded, id(sample) + " is larger than " +
                                                    std::to_string(kMaxSampleBytes) + " bytes");
    return placed_.read(files_.name(sample), {size, files_.version(sample)}, 0, into.take(size),
                        into.place);
  }

 private:
  const Placed placed_;
  const ObjectTable files_;
  const LabelSet labels_;
  std::string fingerprint_;
};

std::string_view folder_of(std::string_view name) {
  const auto slash = name.find('/');
  return slash == std::string_view::npos ? "" : name.substr(0, slash);
}

Result<std::unique_ptr<Source>> from_folders(const Options& options, Placed placed,
                                             const std::vector<storage::StoredObject>& objects) {
  ObjectTable files;
  std::vector<std::string_view> folders;
  std::string_view outside;      // a photograph in no folder
  for (const storage::StoredObject& object : objects) {
    if (!is_photograph(object.key)) continue;
    files.add(object.key, object.size, object.version);
    folders.push_back(folder_of(object.key));
    if (folders.back().empty()) outside = object.key;
  }
  if (files.count() == 0)
    return failure(ErrorCode::kNotFound,
                   placed.text() + ": no .jpg, .jpeg, .png or .webp file is there");
  if (options.labels == Labels::kUnused)
    return std::make_unique<Images>(std::move(placed), std::move(files), LabelSet{});
  if (!outside.empty())
    return failure(ErrorCode::kInvalidArgument,
                   placed.text() + ": " + std::string(outside) +
                       " is in no folder, so it has no class; give an index, or set label = "
                       "\"none\"");
  // Names of folders, even where all of them are numbers: "10" sorts before "2".
  std::vector<std::string> classes(folders.begin(), folders.end());
  std::ranges::sort(classes);
  const auto twice = std::ranges::unique(classes);
  classes.erase(twice.begin(), twice.end());
  if (classes.size() > kMaxClasses)
    return failure(ErrorCode::kLimitExceeded, placed.text() + ": too many folders");
  LabelSet labels;
  for (const std::string_view folder : folders)
    labels.labels.push_back(std::ranges::lower_bound(classes, folder) - classes.begin());
  labels.count = classes.size();
  labels.classes = std::move(classes);
  return std::make_unique<Images>(std::move(placed), std::move(files), std::move(labels));
}

Result<std::string> read_whole(const Placed& placed, const storage::StoredObject& object) {
  if (object.size > kMaxIndexBytes)
    return failure(ErrorCode::kLimitExceeded, object.uri + " is too large for an index");
  std::string text(object.size, '\0');
  storage::Uri place;
  RETURN_IF_ERROR(placed.read(object.key, {object.size, object.version}, 0,
                              std::as_writable_bytes(std::span(text)), place));
  return text;
}

Result<std::vector<IndexRow>> rows_of(const Options& options, const storage::StoreSet& stores) {
  auto form = index_form(options.index);
  if (!form) return tl::unexpected(std::move(form.error()));
  auto placed = Placed::at(options.index, stores);
  if (!placed) return tl::unexpected(std::move(placed.error()));
  auto objects = placed->list();
  if (!objects) return tl::unexpected(std::move(objects.error()));
  auto text = read_whole(*placed, objects->front());
  if (!text) return tl::unexpected(std::move(text.error()));
  return read_index(*text, options.index, *form, options.labels);
}

Result<std::unique_ptr<Source>> from_index(const Options& options, Placed placed,
                                           const std::vector<storage::StoredObject>& objects,
                                           const std::vector<IndexRow>& rows) {
  ObjectTable files;
  std::vector<std::string_view> texts;
  for (const IndexRow& row : rows) {
    const auto found =
        std::ranges::lower_bound(objects, row.file, {}, &storage::StoredObject::key);
    if (found == objects.end() || found->key != row.file)
      return failure(ErrorCode::kNotFound, options.index + ":" + std::to_string(row.line) + ": " +
                                               row.file + " is not in " + placed.text());
    files.add(found->key, found->size, found->version);
    texts.emplace_back(row.label);
  }
  if (options.labels == Labels::kUnused) texts.clear();
  auto labels = number_labels(texts, options.index);
  if (!labels) return tl::unexpected(std::move(labels.error()));
  return std::make_unique<Images>(std::move(placed), std::move(files), std::move(*labels));
}

}  // namespace

Result<std::unique_ptr<Source>> open_images(const Options& options,
                                            const storage::StoreSet& stores) {
  auto placed = Placed::at(options.location, stores);
  if (!placed) return tl::unexpected(std::move(placed.error()));
  auto objects = placed->list();
  if (!objects) return tl::unexpected(std::move(objects.error()));
  if (options.index.empty()) return from_folders(options, std::move(*placed), *objects);
  auto rows = rows_of(options, stores);
  if (!rows) return tl::unexpected(std::move(rows.error()));
  return from_index(options, std::move(*placed), *objects, *rows);
}

}  // namespace evener::data::sources
