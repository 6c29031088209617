#include "training/artifacts/tree.h"

#include <algorithm>

#include "training/artifacts/relative_path.h"

namespace evener::artifacts {
namespace {

using os::FileKind;

Status add_entry(os::FileSystem& files, HostTree& tree, std::string path,
                 std::string_view seen_as) {
  if (tree.entries.size() >= kTreeEntries)
    return failure(ErrorCode::kLimitExceeded,
                   tree.folder.string() + ": more than " + std::to_string(kTreeEntries) + " files");
  TreeEntry entry{.path = std::move(path), .stat = {}, .link_target = {}};
  const std::filesystem::path full = tree.folder / entry.path;
  auto stat = files.stat(full);
  if (!stat) return tl::unexpected(std::move(stat.error()));
  entry.stat = *stat;
  if (stat->kind == FileKind::kOther) {
    tree.left_out.push_back(entry.path + ": a socket, FIFO or device");
    return ok();
  }
  constexpr std::uint32_t kOwnerReads = 0400;
  if (stat->kind == FileKind::kRegular && (stat->mode & kOwnerReads) == 0)
    (void)files.set_mode(full, stat->mode | kOwnerReads);   // else reading it says why
  if (stat->kind == FileKind::kSymlink) {
    auto target = files.read_symlink(full);
    if (!target) return tl::unexpected(std::move(target.error()));
    entry.link_target = relative_target(entry.path, *target, seen_as);
  }
  tree.entries.push_back(std::move(entry));
  return ok();
}

// A program may have closed a folder of its results to its own user, who may open it again.
Result<std::vector<os::DirectoryEntry>> list_opened(os::FileSystem& files,
                                                    const std::filesystem::path& folder) {
  constexpr std::uint32_t kOwnerOnly = 0700;
  auto listed = files.list(folder);
  if (listed || listed.error().code != ErrorCode::kPermissionDenied) return listed;
  if (!files.set_mode(folder, kOwnerOnly)) return listed;
  return files.list(folder);
}

struct DigitSplit {
  std::string_view name;
  std::string_view number;   // without leading zeros
};

DigitSplit split_digits(std::string_view text) {
  std::size_t start = text.size();
  while (start > 0 && text[start - 1] >= '0' && text[start - 1] <= '9') --start;
  std::string_view number = text.substr(start);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return {text.substr(0, start), number};
}

}  // namespace

Result<HostTree> read_tree(os::FileSystem& files, const HostFolder& host, std::stop_token stop) {
  const std::filesystem::path& folder = host.folder;
  HostTree tree{.host = host.host, .folder = folder, .entries = {}, .left_out = {}};
  auto root = files.stat(folder);
  if (!root && root.error().code == ErrorCode::kNotFound) return tree;
  if (!root) return tl::unexpected(std::move(root.error()));
  if (root->kind != FileKind::kDirectory) {
    tree.left_out.push_back(folder.filename().string() + ": not a folder");
    return tree;
  }
  std::vector<std::string> folders{""};
  while (!folders.empty()) {
    if (stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped on request");
    const std::string at = std::move(folders.back());
    folders.pop_back();
    auto listed = list_opened(files, at.empty() ? folder : folder / at);
    if (!listed) return tl::unexpected(std::move(listed.error()));
    for (os::DirectoryEntry& item : *listed) {
      std::string path = at.empty() ? std::move(item.name) : at + '/' + item.name;
      if (item.kind == FileKind::kDirectory) {
        folders.push_back(std::move(path));
      } else {
        RETURN_IF_ERROR(add_entry(files, tree, std::move(path), host.seen_as));
      }
    }
  }
  std::ranges::sort(tree.entries, {}, &TreeEntry::path);
  std::ranges::sort(tree.left_out);
  return tree;
}

bool natural_before(const std::string& left, const std::string& right) {
  const DigitSplit a = split_digits(left);
  const DigitSplit b = split_digits(right);
  if (a.name != b.name) return a.name < b.name;
  if (a.number.size() != b.number.size()) return a.number.size() < b.number.size();
  if (a.number != b.number) return a.number < b.number;
  return left < right;
}

}  // namespace evener::artifacts
