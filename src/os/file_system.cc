#include "os/file_system.h"

namespace evener::os {
namespace {

fs::path parent_or_here(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

}  // namespace

Result<std::string> read_text(FileSystem& files, const fs::path& path, std::uint64_t limit_bytes) {
  auto file = files.open(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  constexpr std::size_t kStepBytes = 64u << 10;
  std::string text;
  while (true) {
    // The size is not asked for: files of /proc and /sys say 0.
    const std::size_t have = text.size();
    text.resize(have + kStepBytes);
    auto got = (*file)->read_at(have, std::as_writable_bytes(std::span(&text[have], kStepBytes)));
    if (!got) return tl::unexpected(std::move(got.error()));
    text.resize(have + *got);
    if (text.size() > limit_bytes)
      return failure(ErrorCode::kLimitExceeded,
                     "read " + path.string() + ": over " + std::to_string(limit_bytes) + " bytes");
    if (*got == 0) return text;
  }
}

Status write_text(FileSystem& files, const fs::path& path, std::string_view text,
                  Durability durability) {
  auto file = files.create_replacing(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  RETURN_IF_ERROR((*file)->append(std::as_bytes(std::span(text.data(), text.size()))));
  if (durability == Durability::kSynced) RETURN_IF_ERROR((*file)->sync());
  RETURN_IF_ERROR((*file)->close());
  if (durability == Durability::kSynced) return files.sync_directory(parent_or_here(path));
  return ok();
}

Status write_private_text(FileSystem& files, const fs::path& path, std::string_view text) {
  auto file = files.create_private(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  RETURN_IF_ERROR((*file)->append(std::as_bytes(std::span(text.data(), text.size()))));
  return (*file)->close();
}

Status make_parent_directories(FileSystem& files, const fs::path& path) {
  const fs::path parent = path.parent_path();
  if (parent.empty()) return ok();
  return files.make_directories(parent);
}

}  // namespace evener::os
