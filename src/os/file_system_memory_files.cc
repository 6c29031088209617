#include <algorithm>
#include <cstring>

#include "os/file_system_memory_tree.h"

namespace evener::os::memory {
namespace {

class MemoryReadableFile final : public ReadableFile {
 public:
  MemoryReadableFile(std::shared_ptr<MemoryTree> tree, std::shared_ptr<Node> node)
      : tree_(std::move(tree)), node_(std::move(node)) {}

  Result<FileStat> stat() const override {
    const MutexLock lock(tree_->mutex);
    return stat_of(*node_);
  }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> buffer) const override {
    const MutexLock lock(tree_->mutex);
    if (offset >= node_->bytes.size()) return std::size_t{0};
    const std::size_t count = std::min(buffer.size(), node_->bytes.size() - offset);
    if (count > 0) std::memcpy(buffer.data(), node_->bytes.data() + offset, count);
    return count;
  }
  Result<std::vector<Extent>> extents() const override {
    const MutexLock lock(tree_->mutex);
    if (node_->bytes.empty()) return std::vector<Extent>();
    return std::vector<Extent>{{0, node_->bytes.size()}};
  }

 private:
  std::shared_ptr<MemoryTree> tree_;
  std::shared_ptr<Node> node_;
};

class MemoryWritableFile final : public WritableFile {
 public:
  MemoryWritableFile(std::shared_ptr<MemoryTree> tree, std::shared_ptr<Node> node, fs::path path,
                     Publish publish)
      : tree_(std::move(tree)), node_(std::move(node)), path_(std::move(path)), publish_(publish) {}

  Status append(std::span<const std::byte> bytes) override {
    const MutexLock lock(tree_->mutex);
    if (closed_) return failure(ErrorCode::kIo, "write " + path_.string() + ": it is closed");
    node_->bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    node_->modified = tree_->clock.wall_now();
    return ok();
  }
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    const MutexLock lock(tree_->mutex);
    if (closed_) return failure(ErrorCode::kIo, "write " + path_.string() + ": it is closed");
    if (bytes.empty()) return ok();
    if (node_->bytes.size() < offset + bytes.size()) node_->bytes.resize(offset + bytes.size());
    std::memcpy(node_->bytes.data() + offset, bytes.data(), bytes.size());
    node_->modified = tree_->clock.wall_now();
    return ok();
  }
  Status sync() override { return ok(); }
  Status close() override {
    const MutexLock lock(tree_->mutex);
    if (std::exchange(closed_, true) || publish_ == Publish::kNow) return ok();
    return publish_at(*tree_, path_, node_, publish_);
  }

 private:
  std::shared_ptr<MemoryTree> tree_;
  std::shared_ptr<Node> node_;
  fs::path path_;
  Publish publish_;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<ReadableFile> readable(std::shared_ptr<MemoryTree> tree,
                                       std::shared_ptr<Node> node) {
  return std::make_unique<MemoryReadableFile>(std::move(tree), std::move(node));
}

std::unique_ptr<WritableFile> writable(std::shared_ptr<MemoryTree> tree, std::shared_ptr<Node> node,
                                       fs::path path, Publish publish) {
  return std::make_unique<MemoryWritableFile>(std::move(tree), std::move(node), std::move(path),
                                              publish);
}

}  // namespace evener::os::memory
