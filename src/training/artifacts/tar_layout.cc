#include "training/artifacts/tar_layout.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "training/artifacts/tar_format.h"
#include "training/artifacts/zero_blocks.h"

namespace evener::artifacts {
namespace {

TarMember tar_member(const LaidOutMember& laid_out) {
  const MergedMember& member = *laid_out.member;
  TarMember tar{.path = member.path,
                .type = TarType::kFile,
                .executable = (member.stat.mode & 0100) != 0,
                .size = 0,
                .link_target = member.link_target,
                .data = laid_out.sparse.get()};
  switch (member.kind) {
    case MemberKind::kFolder: tar.type = TarType::kFolder; break;
    case MemberKind::kSymlink: tar.type = TarType::kSymlink; break;
    case MemberKind::kFile: tar.size = member.stat.size; break;
  }
  return tar;
}

std::uint64_t member_end(const LaidOutMember& member) {
  return member.offset + member.header_size + tar_padded(member.data_size);
}

// Opened even when it is small: a file that cannot be read shall be named before anything is
// written.
Result<std::unique_ptr<const std::vector<os::Extent>>> find_holes(os::FileSystem& files,
                                                                  const HostTree& tree,
                                                                  const MergedMember& member) {
  std::unique_ptr<const std::vector<os::Extent>> none;
  auto file = files.open(tree.folder / member.path);
  if (!file) return tl::unexpected(std::move(file.error()));
  auto parts = sparse_parts(**file, member.stat.size);
  if (!parts) return tl::unexpected(std::move(parts.error()));
  if (!parts->has_value()) return none;
  return std::make_unique<const std::vector<os::Extent>>(std::move(**parts));
}

}  // namespace

std::string place_of(const std::vector<HostTree>& trees, const MergedMember& member) {
  return trees[member.tree].host + ": " + member.path;
}

Result<TarLayout> lay_out(os::FileSystem& files, const std::vector<HostTree>& trees,
                          const MergePlan& plan, std::stop_token stop) {
  TarLayout layout{.trees = &trees, .members = {}, .size = 0, .file_bytes = 0};
  layout.members.reserve(plan.members.size());
  for (const MergedMember& member : plan.members) {
    if (stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped on request");
    LaidOutMember laid_out;
    laid_out.member = &member;
    laid_out.offset = layout.size;
    if (member.kind == MemberKind::kFile) {
      auto sparse = find_holes(files, trees[member.tree], member);
      if (!sparse) return failure_in(place_of(trees, member), std::move(sparse.error()));
      laid_out.sparse = std::move(*sparse);
      layout.file_bytes += member.stat.size;
    }
    const TarMember tar = tar_member(laid_out);
    laid_out.header_size = tar_header(tar).size();
    laid_out.data_size = tar_data_size(tar);
    layout.size = member_end(laid_out);
    layout.members.push_back(std::move(laid_out));
  }
  layout.size += kTarEnd;
  return layout;
}

Status TarReader::read(std::uint64_t offset, std::span<std::byte> buffer) {
  CHECK(offset + buffer.size() <= layout_.size, "range beyond the archive");
  // The member that holds `offset` is the last one that starts at or before it.
  auto member = std::ranges::upper_bound(layout_.members, offset, {}, &LaidOutMember::offset);
  if (member != layout_.members.begin()) --member;
  for (; member != layout_.members.end() && !buffer.empty(); ++member) {
    const std::uint64_t end = member_end(*member);
    if (offset >= end) continue;
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - offset));
    RETURN_IF_ERROR(read_member(*member, offset - member->offset, buffer.first(length)));
    buffer = buffer.subspan(length);
    offset += length;
  }
  std::ranges::fill(buffer, std::byte{0});
  return ok();
}

Status TarReader::read_member(const LaidOutMember& member, std::uint64_t skip,
                              std::span<std::byte> buffer) {
  if (skip < member.header_size) {
    const std::string header = tar_header(tar_member(member));
    const std::size_t length = std::min(buffer.size(), header.size() - skip);
    std::memcpy(buffer.data(), header.data() + skip, length);
    buffer = buffer.subspan(length);
    skip += length;
  }
  skip -= member.header_size;
  if (skip < member.data_size && !buffer.empty()) {
    const auto length =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), member.data_size - skip));
    Status read = read_data(member, skip, buffer.first(length));
    if (!read) return failure_in(place_of(*layout_.trees, *member.member), std::move(read.error()));
    buffer = buffer.subspan(length);
  }
  std::ranges::fill(buffer, std::byte{0});
  return ok();
}

Status TarReader::read_data(const LaidOutMember& member, std::uint64_t skip,
                            std::span<std::byte> buffer) {
  RETURN_IF_ERROR(open(member));
  if (member.sparse == nullptr) {
    RETURN_IF_ERROR(read_file(member, skip, buffer));
    return check_unchanged(member);
  }
  for (const os::Extent& part : *member.sparse) {
    if (buffer.empty()) break;
    if (skip >= part.length) {
      skip -= part.length;
      continue;
    }
    const auto length =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), part.length - skip));
    RETURN_IF_ERROR(read_file(member, part.offset + skip, buffer.first(length)));
    buffer = buffer.subspan(length);
    skip = 0;
  }
  return check_unchanged(member);
}

Status TarReader::read_file(const LaidOutMember& member, std::uint64_t offset,
                            std::span<std::byte> buffer) {
  CHECK(opened_ == &member, "another file is open");
  while (!buffer.empty()) {
    auto got = file_->read_at(offset, buffer);
    if (!got) return tl::unexpected(std::move(got.error()));
    if (*got == 0) return failure(ErrorCode::kIo, "the file became shorter while it was read");
    buffer = buffer.subspan(*got);
    offset += *got;
  }
  return ok();
}

Status TarReader::open(const LaidOutMember& member) {
  if (opened_ == &member) return ok();
  auto file =
      files_.open((*layout_.trees)[member.member->tree].folder / member.member->path);
  if (!file) return tl::unexpected(std::move(file.error()));
  file_ = std::move(*file);
  opened_ = &member;
  return ok();
}

// After the bytes were read: whoever wrote before that has moved the time or the size.
Status TarReader::check_unchanged(const LaidOutMember& member) const {
  auto now = file_->stat();
  if (!now) return tl::unexpected(std::move(now.error()));
  const os::FileStat& then = member.member->stat;
  if (now->size == then.size && now->modified == then.modified && now->inode == then.inode &&
      now->device == then.device)
    return ok();
  return failure(ErrorCode::kIo,
                 "the file changed while it was packed; a process of the job may still write it");
}

}  // namespace evener::artifacts
