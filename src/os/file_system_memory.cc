#include <algorithm>
#include <cerrno>

#include "os/file_system_memory_tree.h"

namespace evener::os {
namespace {

using memory::LastSymlink;
using memory::MemoryTree;
using memory::Node;
using memory::Place;
using memory::Publish;

constexpr std::uint64_t kFreeBytes = 1ull << 40;

tl::unexpected<Error> failed(int error, std::string_view operation, const fs::path& path) {
  return errno_failure(error, std::string(operation) + " " + path.string());
}

// True if `wanted` is `top` or below it.
bool holds(const std::shared_ptr<Node>& top, const std::shared_ptr<Node>& wanted) {
  return top == wanted || std::ranges::any_of(top->children, [&](const auto& child) {
           return holds(child.second, wanted);
         });
}

class MemoryFileSystem final : public FileSystem {
 public:
  explicit MemoryFileSystem(const Clock& clock) : tree_(std::make_shared<MemoryTree>(clock)) {}

  Result<std::unique_ptr<ReadableFile>> open(const fs::path& path) override {
    const MutexLock lock(tree_->mutex);
    auto node = regular(path);
    if (!node) return tl::unexpected(std::move(node.error()));
    return memory::readable(tree_, std::move(*node));
  }

  Result<std::unique_ptr<WritableFile>> create(const fs::path& path) override {
    const MutexLock lock(tree_->mutex);
    auto node = regular_or_new(path);
    if (!node) return tl::unexpected(std::move(node.error()));
    (*node)->bytes.clear();
    return memory::writable(tree_, std::move(*node), path, Publish::kNow);
  }

  Result<std::unique_ptr<WritableFile>> create_replacing(const fs::path& path) override {
    return create_unpublished(path, Publish::kAtClose);
  }
  Result<std::unique_ptr<WritableFile>> create_new(const fs::path& path) override {
    return create_unpublished(path, Publish::kAtCloseIfFree);
  }
  Result<std::unique_ptr<WritableFile>> create_private(const fs::path& path) override {
    return create_unpublished(path, Publish::kAtClose, 0600);
  }

  Result<std::unique_ptr<WritableFile>> open_append(const fs::path& path) override {
    const MutexLock lock(tree_->mutex);
    auto node = regular_or_new(path);
    if (!node) return tl::unexpected(std::move(node.error()));
    return memory::writable(tree_, std::move(*node), path, Publish::kNow);
  }

  Result<FileStat> stat(const fs::path& path) override { return stat_by(path, LastSymlink::kKeep); }
  Result<FileStat> stat_followed(const fs::path& path) override {
    return stat_by(path, LastSymlink::kFollow);
  }

  Result<std::vector<DirectoryEntry>> list(const fs::path& directory) override;
  Status make_directories(const fs::path& directory) override;
  Status rename(const fs::path& from, const fs::path& to) override;
  Status remove_file(const fs::path& path) override;
  Status remove_tree(const fs::path& path) override;
  Status make_symlink(const std::string& target, const fs::path& path) override;
  Result<std::string> read_symlink(const fs::path& path) override;

  Status set_mode(const fs::path& path, std::uint32_t mode) override {
    const MutexLock lock(tree_->mutex);
    auto node = tree_->node_at(path, LastSymlink::kFollow);
    if (!node) return tl::unexpected(std::move(node.error()));
    (*node)->mode = mode;
    return ok();
  }

  Status truncate(const fs::path& path, std::uint64_t size) override {
    const MutexLock lock(tree_->mutex);
    auto node = regular(path);
    if (!node) return tl::unexpected(std::move(node.error()));
    (*node)->bytes.resize(size);
    return ok();
  }

  Status copy_file(const fs::path& from, const fs::path& to) override;

  Status sync_directory(const fs::path& directory) override {
    const MutexLock lock(tree_->mutex);
    auto node = tree_->node_at(directory, LastSymlink::kFollow);
    return node ? ok() : Status(tl::unexpected(std::move(node.error())));
  }

  Result<std::uint64_t> free_bytes(const fs::path& path) override {
    RETURN_IF_ERROR(sync_directory(path));
    return kFreeBytes;
  }

 private:
  Result<std::unique_ptr<WritableFile>> create_unpublished(const fs::path& path, Publish publish,
                                                           std::uint32_t mode = 0644) {
    const MutexLock lock(tree_->mutex);
    auto place = tree_->find(path, LastSymlink::kKeep);
    if (!place) return tl::unexpected(std::move(place.error()));
    if (!path.has_filename()) return failed(EISDIR, "create", path);
    return memory::writable(tree_, tree_->new_node(FileKind::kRegular, mode), path, publish);
  }

  Result<std::shared_ptr<Node>> regular(const fs::path& path) const {
    auto node = tree_->node_at(path, LastSymlink::kFollow);
    if (node && (*node)->kind != FileKind::kRegular) return failed(EISDIR, "open", path);
    return node;
  }

  Result<std::shared_ptr<Node>> regular_or_new(const fs::path& path) {
    auto place = tree_->find(path, LastSymlink::kFollow);
    if (!place) return tl::unexpected(std::move(place.error()));
    if (place->node) return regular(path);
    if (!path.has_filename()) return failed(EISDIR, "create", path);
    auto node = tree_->new_node(FileKind::kRegular, 0644);
    place->folder->children[place->name] = node;
    return node;
  }

  Result<FileStat> stat_by(const fs::path& path, LastSymlink last) const {
    const MutexLock lock(tree_->mutex);
    auto node = tree_->node_at(path, last);
    if (!node) return tl::unexpected(std::move(node.error()));
    return memory::stat_of(**node);
  }

  std::shared_ptr<MemoryTree> tree_;
};

Result<std::vector<DirectoryEntry>> MemoryFileSystem::list(const fs::path& directory) {
  const MutexLock lock(tree_->mutex);
  auto node = tree_->node_at(directory, LastSymlink::kFollow);
  if (!node) return tl::unexpected(std::move(node.error()));
  if ((*node)->kind != FileKind::kDirectory) return failed(ENOTDIR, "list", directory);
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, child] : (*node)->children) entries.push_back({name, child->kind});
  return entries;
}

Status MemoryFileSystem::make_directories(const fs::path& directory) {
  const MutexLock lock(tree_->mutex);
  fs::path so_far = "/";
  for (const fs::path& part : directory.relative_path()) {
    so_far /= part;
    auto place = tree_->find(so_far, LastSymlink::kKeep);
    if (!place) return tl::unexpected(std::move(place.error()));
    if (!place->node) {
      place->folder->children[place->name] = tree_->new_node(FileKind::kDirectory, 0755);
      continue;
    }
    const auto node = tree_->node_at(so_far, LastSymlink::kFollow);
    if (node && (*node)->kind == FileKind::kDirectory) continue;
    // A symlink that leads nowhere takes the name too.
    const bool taken = so_far == directory || (!node && node.error().code == ErrorCode::kNotFound);
    if (!node && !taken) return tl::unexpected(node.error());
    return failed(taken ? EEXIST : ENOTDIR, "mkdir", so_far);
  }
  return ok();
}

Status MemoryFileSystem::rename(const fs::path& from, const fs::path& to) {
  const MutexLock lock(tree_->mutex);
  auto source = tree_->find(from, LastSymlink::kKeep);
  if (!source) return tl::unexpected(std::move(source.error()));
  auto target = tree_->find(to, LastSymlink::kKeep);
  if (!target) return tl::unexpected(std::move(target.error()));
  if (!source->node) return failed(ENOENT, "rename", from);
  if (source->node == target->node) return ok();
  // In the kernel's order.
  if (holds(source->node, target->folder)) return failed(EINVAL, "rename", from);
  if (target->node && holds(target->node, source->folder)) return failed(ENOTEMPTY, "rename", to);
  const bool folder = source->node->kind == FileKind::kDirectory;
  if (target->node) {
    const bool onto_folder = target->node->kind == FileKind::kDirectory;
    if (onto_folder && !folder) return failed(EISDIR, "rename", to);
    if (!onto_folder && folder) return failed(ENOTDIR, "rename", to);
    if (onto_folder && !target->node->children.empty()) return failed(ENOTEMPTY, "rename", to);
  }
  source->folder->children.erase(source->name);
  target->folder->children[target->name] = source->node;
  return ok();
}

Status MemoryFileSystem::remove_file(const fs::path& path) {
  const MutexLock lock(tree_->mutex);
  auto place = tree_->find(path, LastSymlink::kKeep);
  if (!place) return tl::unexpected(std::move(place.error()));
  if (!place->node) return failed(ENOENT, "remove", path);
  if (place->node->kind == FileKind::kDirectory) return failed(EISDIR, "remove", path);
  place->folder->children.erase(place->name);
  return ok();
}

Status MemoryFileSystem::remove_tree(const fs::path& path) {
  const MutexLock lock(tree_->mutex);
  const fs::path plain = path.has_filename() ? path : path.parent_path();
  if (!plain.has_filename() || plain.filename() == "." || plain.filename() == "..")
    return failure(ErrorCode::kInvalidArgument, "remove tree " + path.string() + ": not a name");
  auto place = tree_->find(plain, LastSymlink::kKeep);
  if (!place && place.error().code == ErrorCode::kNotFound) return ok();
  if (!place) return tl::unexpected(std::move(place.error()));
  if (place->node) place->folder->children.erase(place->name);
  return ok();
}

Status MemoryFileSystem::make_symlink(const std::string& target, const fs::path& path) {
  const MutexLock lock(tree_->mutex);
  auto place = tree_->find(path, LastSymlink::kKeep);
  if (!place) return tl::unexpected(std::move(place.error()));
  if (place->node) return failed(EEXIST, "symlink", path);
  auto node = tree_->new_node(FileKind::kSymlink, 0777);
  node->bytes = target;
  place->folder->children[place->name] = std::move(node);
  return ok();
}

Result<std::string> MemoryFileSystem::read_symlink(const fs::path& path) {
  const MutexLock lock(tree_->mutex);
  auto node = tree_->node_at(path, LastSymlink::kKeep);
  if (!node) return tl::unexpected(std::move(node.error()));
  if ((*node)->kind != FileKind::kSymlink) return failed(EINVAL, "readlink", path);
  return (*node)->bytes;
}

Status MemoryFileSystem::copy_file(const fs::path& from, const fs::path& to) {
  const MutexLock lock(tree_->mutex);
  auto source = regular(from);
  if (!source) return tl::unexpected(std::move(source.error()));
  auto place = tree_->find(to, LastSymlink::kKeep);
  if (!place) return tl::unexpected(std::move(place.error()));
  if (place->node == *source) return failed(EINVAL, "copy", from);
  if (place->node && place->node->kind != FileKind::kRegular) return failed(ELOOP, "copy to", to);
  auto copy = place->node ? place->node : tree_->new_node(FileKind::kRegular, 0644);
  copy->bytes = (*source)->bytes;
  copy->mode = (*source)->mode & 0777u;
  copy->modified = tree_->clock.wall_now();
  place->folder->children[place->name] = std::move(copy);
  return ok();
}

}  // namespace

std::unique_ptr<FileSystem> make_memory_file_system(const Clock& clock) {
  return std::make_unique<MemoryFileSystem>(clock);
}

}  // namespace evener::os
