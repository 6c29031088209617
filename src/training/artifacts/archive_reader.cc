#include "training/artifacts/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace evener::artifacts {
namespace {

constexpr std::size_t kReadBytes = 1u << 20;
constexpr std::size_t kZeroBytes = 64u << 10;   // of a hole, handed on at a time

struct CloseArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

// What libarchive reads from. Keeps the file system's own error, which libarchive cannot carry.
struct Input {
  std::unique_ptr<os::ReadableFile> file;
  std::uint64_t offset = 0;
  std::vector<std::byte> buffer = std::vector<std::byte>(kReadBytes);
  Status status = ok();

  static la_ssize_t read(archive* reader, void* self, const void** bytes) {
    Input& input = *static_cast<Input*>(self);
    auto got = input.file->read_at(input.offset, input.buffer);
    if (!got) {
      input.status = tl::unexpected(std::move(got.error()));
      archive_set_error(reader, EIO, "cannot read");
      return -1;
    }
    input.offset += *got;
    *bytes = input.buffer.data();
    return static_cast<la_ssize_t>(*got);
  }
};

// Names are bytes; libarchive has none where it could not bring them into the C locale.
std::string text_of(const char* bytes, const char* utf8) {
  if (bytes != nullptr) return bytes;
  return utf8 != nullptr ? utf8 : "";
}

class LibArchiveReader final : public ArchiveReader {
 public:
  explicit LibArchiveReader(std::unique_ptr<os::ReadableFile> file) : reader_(archive_read_new()) {
    input_.file = std::move(file);
  }

  Status start() {
    archive_read_support_format_tar(reader_.get());
    archive_read_support_format_gnutar(reader_.get());
    archive_read_support_format_empty(reader_.get());
    archive_read_support_filter_gzip(reader_.get());
    if (archive_read_open(reader_.get(), &input_, nullptr, &Input::read, nullptr) != ARCHIVE_OK)
      return broken();
    return ok();
  }

  Result<std::optional<ArchiveEntry>> next() override {
    const int code = archive_read_next_header(reader_.get(), &entry_);
    // libarchive takes a failed read behind the last entry for the end.
    if (!input_.status) return broken();
    if (code == ARCHIVE_EOF) return std::optional<ArchiveEntry>();
    // A warning is about names in another character set; their bytes are what counts here.
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return broken();
    ArchiveEntry found;
    found.path = text_of(archive_entry_pathname(entry_), archive_entry_pathname_utf8(entry_));
    found.size = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry_)));
    found.executable = (archive_entry_perm(entry_) & 0100) != 0;
    found.kind = kind();
    if (found.kind == ArchiveEntryKind::kSymlink)
      found.link = text_of(archive_entry_symlink(entry_), archive_entry_symlink_utf8(entry_));
    if (found.kind == ArchiveEntryKind::kHardLink)
      found.link = text_of(archive_entry_hardlink(entry_), archive_entry_hardlink_utf8(entry_));
    return std::optional<ArchiveEntry>(std::move(found));
  }

  Status read_data(const Sink& sink) override {
    std::uint64_t written = 0;
    while (true) {
      const void* bytes = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int code = archive_read_data_block(reader_.get(), &bytes, &size, &offset);
      if (code != ARCHIVE_OK && code != ARCHIVE_EOF) return broken();
      RETURN_IF_ERROR(write_zeros(written, static_cast<std::uint64_t>(offset), sink));
      if (code == ARCHIVE_EOF) return ok();
      RETURN_IF_ERROR(sink({static_cast<const std::byte*>(bytes), size}));
      written += size;
    }
  }

 private:
  ArchiveEntryKind kind() const {
    if (archive_entry_hardlink(entry_) != nullptr || archive_entry_hardlink_utf8(entry_) != nullptr)
      return ArchiveEntryKind::kHardLink;
    switch (archive_entry_filetype(entry_)) {
      case AE_IFREG: return ArchiveEntryKind::kFile;
      case AE_IFDIR: return ArchiveEntryKind::kFolder;
      case AE_IFLNK: return ArchiveEntryKind::kSymlink;
      default: return ArchiveEntryKind::kOther;
    }
  }

  static Status write_zeros(std::uint64_t& written, std::uint64_t until, const Sink& sink) {
    static constexpr std::byte kZeros[kZeroBytes]{};
    while (written < until) {
      const std::size_t size = std::min<std::uint64_t>(kZeroBytes, until - written);
      RETURN_IF_ERROR(sink({kZeros, size}));
      written += size;
    }
    return ok();
  }

  tl::unexpected<Error> broken() {
    if (!input_.status) return tl::unexpected<Error>(std::move(input_.status.error()));
    const char* text = archive_error_string(reader_.get());
    return failure(ErrorCode::kCorrupt, std::string("not a valid tar or tar.gz file: ") +
                                            (text != nullptr ? text : "unknown error"));
  }

  Input input_;
  std::unique_ptr<archive, CloseArchive> reader_;
  archive_entry* entry_ = nullptr;   // belongs to reader_
};

}  // namespace

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::open(os::FileSystem& files,
                                                           const std::filesystem::path& path) {
  auto file = files.open(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  auto reader = std::make_unique<LibArchiveReader>(std::move(*file));
  RETURN_IF_ERROR(reader->start());
  return reader;
}

}  // namespace evener::artifacts
