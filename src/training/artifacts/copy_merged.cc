
#include "training/artifacts/artifacts.h"
#include "training/artifacts/merged_folders.h"
#include "training/artifacts/object_copy.h"
#include "training/artifacts/parallel.h"
#include "training/artifacts/progress.h"

namespace evener::artifacts {
namespace {

struct ObjectToWrite {
  std::filesystem::path source;
  std::string place;            // "host: path"
  storage::Uri target;
  std::uint64_t size = 0;
};

storage::Uri below(const storage::Uri& target, const std::string& path) {
  storage::Uri object = target;
  if (!object.key.ends_with('/')) object.key += '/';
  object.key += path;
  return object;
}

// An object store has no links: a link to a file is written as that file.
Result<std::vector<ObjectToWrite>> objects_of(MergedFolders& merged, const storage::Uri& target,
                                              os::FileSystem& files) {
  std::vector<ObjectToWrite> objects;
  for (const MergedMember& member : merged.plan.members) {
    if (member.kind == MemberKind::kFolder) continue;
    const HostTree& tree = merged.trees[member.tree];
    ObjectToWrite object{.source = tree.folder / member.path,
                         .place = tree.host + ": " + member.path,
                         .target = below(target, member.path),
                         .size = member.stat.size};
    if (member.kind == MemberKind::kSymlink) {
      const auto stat = files.stat_followed(object.source);
      if (!stat || stat->kind != os::FileKind::kRegular) {
        merged.plan.left_out.push_back(object.place + ": symlink to " + member.link_target +
                                       ", which is no file; objects cannot be links");
        continue;
      }
      object.size = stat->size;
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

Status write_object(const ObjectToWrite& object, storage::ObjectStore& store,
                    os::FileSystem& files, ProgressMeter& meter, const std::stop_token& stop) {
  auto source = files.open(object.source);
  if (!source) return failure_in(object.place, std::move(source.error()));
  auto writer = store.create(object.target);
  if (!writer) return failure_in(object.place, std::move(writer.error()));
  Status copied = copy_bytes(**source, **writer, meter, stop);
  if (copied) copied = (*writer)->sync();
  if (copied) copied = (*writer)->close();
  if (!copied) return failure_in(object.place, std::move(copied.error()));
  return ok();
}

}  // namespace

Result<PackResult> copy_merged(const std::vector<HostFolder>& folders, const storage::Uri& target,
                               const PackOptions& options, const storage::StoreSet& stores,
                               os::FileSystem& files, const ProgressSink& progress,
                               std::stop_token stop) {
  const std::string doing = "writing " + storage::to_string(target);
  auto merged = merge_folders(folders, files, stop);
  if (!merged) return failure_in(doing, std::move(merged.error()));
  auto objects = objects_of(*merged, target, files);
  if (!objects) return failure_in(doing, std::move(objects.error()));
  PackResult result;
  result.clashes = std::move(merged->plan.clashes);
  result.left_out = std::move(merged->plan.left_out);
  result.empty = objects->empty();
  if (result.empty) return result;
  for (const ObjectToWrite& object : *objects) result.bytes_read += object.size;

  auto store = stores.find(target);
  if (!store) return failure_in(doing, std::move(store.error()));
  ProgressMeter meter(progress, result.bytes_read);
  std::vector<char> written(objects->size(), 0);
  Status done = run_tasks(
      objects->size(), options.threads,
      [&](std::size_t, std::size_t index, std::stop_token task_stop) -> Status {
        RETURN_IF_ERROR(write_object((*objects)[index], **store, files, meter, task_stop));
        written[index] = 1;
        return ok();
      },
      stop);
  if (!done) {
    // All or nothing: what is already there is taken back. The first error is what matters.
    for (std::size_t index = 0; index < objects->size(); ++index)
      if (written[index] != 0) (void)(*store)->remove((*objects)[index].target);
    return failure_in(doing, std::move(done.error()));
  }
  meter.finish();
  result.bytes_written = meter.done();
  return result;
}

}  // namespace evener::artifacts
