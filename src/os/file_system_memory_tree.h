// The tree of the in-memory file system: nodes and the way from a path to them.
//
// Used by:  file_system_memory*.cc only.
// Threads:  callers hold MemoryTree::mutex.
// Fails:    with the codes that the kernel would give.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "os/file_system.h"

namespace evener::os::memory {

struct Node {
  FileKind kind = FileKind::kRegular;
  std::uint32_t mode = 0644;
  std::uint64_t inode = 0;
  WallTime modified;
  std::string bytes;  // of a file; the target of a symlink
  std::map<std::string, std::shared_ptr<Node>> children;
};

// A name in a folder, taken or free.
struct Place {
  std::shared_ptr<Node> folder;
  std::string name;
  std::shared_ptr<Node> node;  // null if free
};

enum class LastSymlink { kKeep, kFollow };

struct MemoryTree {
  explicit MemoryTree(const Clock& clock_in);

  std::shared_ptr<Node> new_node(FileKind kind, std::uint32_t mode);
  Result<Place> find(const fs::path& path, LastSymlink last) const;
  // As find(), but a free name is kNotFound.
  Result<std::shared_ptr<Node>> node_at(const fs::path& path, LastSymlink last) const;

  const Clock& clock;
  mutable Mutex mutex;
  std::uint64_t next_inode = 1;  // before root, which takes the first
  std::shared_ptr<Node> root;
};

FileStat stat_of(const Node& node);

enum class Publish { kNow, kAtClose, kAtCloseIfFree };
std::unique_ptr<ReadableFile> readable(std::shared_ptr<MemoryTree> tree,
                                       std::shared_ptr<Node> node);
// The node takes the name `path` at close(), but for kNow.
std::unique_ptr<WritableFile> writable(std::shared_ptr<MemoryTree> tree, std::shared_ptr<Node> node,
                                       fs::path path, Publish publish);
// Puts `node` at `path`, in place of a file that is there or only if there is none.
Status publish_at(MemoryTree& tree, const fs::path& path, std::shared_ptr<Node> node,
                  Publish publish);

}  // namespace evener::os::memory
