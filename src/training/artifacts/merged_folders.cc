#include "training/artifacts/merged_folders.h"

#include <algorithm>
#include <cstring>

#include "training/artifacts/zero_blocks.h"

namespace evener::artifacts {
namespace {

constexpr std::size_t kCompareBytes = 1u << 20;  // read from each file at a time

// Two open files compared range by range.
class Comparison {
 public:
  Comparison(const os::ReadableFile& left, const os::ReadableFile& right, std::stop_token stop)
      : left_(left), right_(right), stop_(std::move(stop)) {}

  Result<bool> same(std::uint64_t size) {
    auto left_parts = sparse_parts(left_, size);
    if (!left_parts) return tl::unexpected(std::move(left_parts.error()));
    auto right_parts = sparse_parts(right_, size);
    if (!right_parts) return tl::unexpected(std::move(right_parts.error()));
    if (!same_parts(*left_parts, *right_parts)) return false;
    if (!left_parts->has_value()) return same_range({0, size});
    for (const os::Extent& part : **left_parts) {
      auto equal = same_range(part);
      if (!equal || !*equal) return equal;
    }
    return true;
  }

 private:
  using Parts = std::optional<std::vector<os::Extent>>;
  static bool same_parts(const Parts& left, const Parts& right) {
    if (!left || !right) return left.has_value() == right.has_value();
    return std::ranges::equal(*left, *right, [](const os::Extent& a, const os::Extent& b) {
      return a.offset == b.offset && a.length == b.length;
    });
  }

  Result<bool> same_range(os::Extent range) {
    while (range.length > 0) {
      if (stop_.stop_requested()) return failure(ErrorCode::kCancelled, "stopped on request");
      const auto wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(kCompareBytes, range.length));
      RETURN_IF_ERROR(fill(left_, range.offset, std::span(left_bytes_).first(wanted)));
      RETURN_IF_ERROR(fill(right_, range.offset, std::span(right_bytes_).first(wanted)));
      if (std::memcmp(left_bytes_.data(), right_bytes_.data(), wanted) != 0) return false;
      range.offset += wanted;
      range.length -= wanted;
    }
    return true;
  }

  static Status fill(const os::ReadableFile& file, std::uint64_t offset,
                     std::span<std::byte> buffer) {
    while (!buffer.empty()) {
      auto got = file.read_at(offset, buffer);
      if (!got) return tl::unexpected(std::move(got.error()));
      if (*got == 0) return failure(ErrorCode::kIo, "the file became shorter while it was read");
      buffer = buffer.subspan(*got);
      offset += *got;
    }
    return ok();
  }

  const os::ReadableFile& left_;
  const os::ReadableFile& right_;
  std::stop_token stop_;
  std::vector<std::byte> left_bytes_ = std::vector<std::byte>(kCompareBytes);
  std::vector<std::byte> right_bytes_ = std::vector<std::byte>(kCompareBytes);
};

Result<bool> same_content(os::FileSystem& files, const std::filesystem::path& left_path,
                          const std::filesystem::path& right_path, std::stop_token stop) {
  auto left = files.open(left_path);
  if (!left) return tl::unexpected(std::move(left.error()));
  auto right = files.open(right_path);
  if (!right) return tl::unexpected(std::move(right.error()));
  auto stat = (*left)->stat();
  if (!stat) return tl::unexpected(std::move(stat.error()));
  return Comparison(**left, **right, std::move(stop)).same(stat->size);
}

}  // namespace

Result<MergedFolders> merge_folders(const std::vector<HostFolder>& folders, os::FileSystem& files,
                                    std::stop_token stop) {
  std::vector<HostFolder> ordered = folders;
  std::ranges::stable_sort(ordered, natural_before, &HostFolder::host);
  MergedFolders merged;
  for (const HostFolder& folder : ordered) {
    auto tree = read_tree(files, folder, stop);
    if (!tree) return failure_in(folder.host, std::move(tree.error()));
    merged.trees.push_back(std::move(*tree));
  }
  const SameContent same = [&](const std::string& path, std::size_t tree,
                               std::size_t other) -> Result<bool> {
    auto equal = same_content(files, merged.trees[tree].folder / path,
                              merged.trees[other].folder / path, stop);
    if (equal) return equal;
    return failure_in(merged.trees[tree].host + " and " + merged.trees[other].host + ": " + path,
                      std::move(equal.error()));
  };
  auto plan = merge_trees(merged.trees, same);
  if (!plan) return tl::unexpected(std::move(plan.error()));
  merged.plan = std::move(*plan);
  return merged;
}

}  // namespace evener::artifacts
