#include "os/file_system.h"

#include "base/ids.h"

namespace evener::os {
namespace {

// A name beside `path` that no one else uses. Hidden, so that listings for people skip it.
fs::path temporary_beside(const fs::path& path) {
  constexpr std::size_t kSuffixLength = 10;
  constexpr std::size_t kKeptNameBytes = 200;  // names are at most 255 bytes
  SystemRandom random;
  const std::string name = path.filename().string().substr(0, kKeptNameBytes);
  return path.parent_path() / ("." + name + ".tmp-" + random_suffix(random, kSuffixLength));
}

Status write_whole(FileSystem& files, const fs::path& path, std::string_view text,
                   Durability durability) {
  auto file = files.create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  RETURN_IF_ERROR((*file)->append(std::as_bytes(std::span(text.data(), text.size()))));
  if (durability == Durability::kSynced) RETURN_IF_ERROR((*file)->sync());
  return (*file)->close();
}

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
  const fs::path temporary = temporary_beside(path);
  Status written = write_whole(files, temporary, text, durability);
  if (written) written = files.rename(temporary, path);
  if (!written) {
    (void)files.remove_file(temporary);
    return written;
  }
  if (durability == Durability::kSynced) return files.sync_directory(parent_or_here(path));
  return ok();
}

Status make_parent_directories(FileSystem& files, const fs::path& path) {
  const fs::path parent = path.parent_path();
  if (parent.empty()) return ok();
  return files.make_directories(parent);
}

}  // namespace evener::os
