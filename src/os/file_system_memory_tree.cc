#include "os/file_system_memory_tree.h"

#include <cerrno>
#include <deque>

namespace evener::os::memory {
namespace {

constexpr int kMaxSymlinks = 40;  // as the kernel
constexpr std::size_t kMaxNameBytes = 255;

void put_first(std::deque<std::string>& parts, const fs::path& path) {
  std::vector<std::string> added;
  for (const fs::path& part : path.relative_path()) {
    if (!part.empty() && part != ".") added.push_back(part.string());
  }
  parts.insert(parts.begin(), added.begin(), added.end());
}

}  // namespace

MemoryTree::MemoryTree(const Clock& clock_in)
    : clock(clock_in), root(new_node(FileKind::kDirectory, 0755)) {}

std::shared_ptr<Node> MemoryTree::new_node(FileKind kind, std::uint32_t mode) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->mode = mode;
  node->inode = next_inode++;
  node->modified = clock.wall_now();
  return node;
}

Result<Place> MemoryTree::find(const fs::path& path, LastSymlink last) const {
  std::deque<std::string> parts;
  put_first(parts, path);
  const bool folder_wanted = !path.empty() && !path.has_filename();  // "a/"
  std::vector<Place> way{{root, "", root}};
  int symlinks = 0;
  while (!parts.empty()) {
    const std::string name = std::move(parts.front());
    parts.pop_front();
    const std::shared_ptr<Node> folder = way.back().node;
    if (!folder) return errno_failure(ENOENT, "find " + path.string());
    if (folder->kind != FileKind::kDirectory)
      return errno_failure(ENOTDIR, "find " + path.string());
    if (name == "..") {
      if (way.size() > 1) way.pop_back();
      continue;
    }
    if (name.size() > kMaxNameBytes) return errno_failure(ENAMETOOLONG, "find " + path.string());
    const auto child = folder->children.find(name);
    if (child == folder->children.end()) {
      way.push_back({folder, name, nullptr});
      continue;
    }
    const bool follow = !parts.empty() || last == LastSymlink::kFollow || folder_wanted;
    if (child->second->kind == FileKind::kSymlink && follow) {
      if (++symlinks > kMaxSymlinks) return errno_failure(ELOOP, "find " + path.string());
      const fs::path target = child->second->bytes;
      if (target.is_absolute()) way.resize(1);
      put_first(parts, target);
      continue;
    }
    way.push_back({folder, name, child->second});
  }
  if (folder_wanted && way.back().node && way.back().node->kind != FileKind::kDirectory)
    return errno_failure(ENOTDIR, "find " + path.string());
  return way.back();
}

Result<std::shared_ptr<Node>> MemoryTree::node_at(const fs::path& path, LastSymlink last) const {
  auto place = find(path, last);
  if (!place) return tl::unexpected(std::move(place.error()));
  if (!place->node) return errno_failure(ENOENT, "find " + path.string());
  return place->node;
}

FileStat stat_of(const Node& node) {
  FileStat stat;
  stat.kind = node.kind;
  stat.size = node.bytes.size();
  stat.allocated = node.bytes.size();
  stat.mode = node.mode;
  stat.device = 1;
  stat.inode = node.inode;
  stat.modified = node.modified;
  return stat;
}

Status publish_at(MemoryTree& tree, const fs::path& path, std::shared_ptr<Node> node,
                  Publish publish) {
  auto place = tree.find(path, LastSymlink::kKeep);
  if (!place) return tl::unexpected(std::move(place.error()));
  if (place->node && publish == Publish::kAtCloseIfFree)
    return errno_failure(EEXIST, "create " + path.string());
  if (place->name.empty() || (place->node && place->node->kind == FileKind::kDirectory))
    return errno_failure(EISDIR, "create " + path.string());
  place->folder->children[place->name] = std::move(node);
  return ok();
}

}  // namespace evener::os::memory
