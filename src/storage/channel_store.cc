#include "storage/storage.h"

namespace evener::storage {
namespace {

using os::fs::path;

// channel://raw/a.jpg is the file `input`/raw/a.jpg.
class ChannelStore final : public ObjectStore {
 public:
  ChannelStore(os::FileSystem& files, const path& input)
      : files_(make_file_store(files)), input_(input.lexically_normal()) {}

  Result<std::vector<StoredObject>> list(const Uri& prefix) override {
    const auto file = file_of(prefix);
    if (!file) return tl::unexpected(file.error());
    const std::size_t channel_bytes = to_string(Uri{"file", "", root_of(prefix)}).size();
    auto listed = files_->list(*file);
    if (!listed) return listed;
    // Named as the job names them, whatever the folder of channels is called on this host.
    for (StoredObject& object : *listed)
      object.uri = to_string({prefix.scheme, prefix.bucket, object.uri.substr(channel_bytes)});
    return listed;
  }
  Result<std::unique_ptr<os::ReadableFile>> open(const Uri& object) override {
    const auto file = file_of(object);
    if (!file) return tl::unexpected(file.error());
    return files_->open(*file);
  }
  Result<std::unique_ptr<os::WritableFile>> create(const Uri& object) override {
    return read_only(object);
  }
  Status remove(const Uri& object) override { return read_only(object); }
  std::optional<path> local_folder(const Uri& prefix) override {
    const auto file = file_of(prefix);
    return file ? files_->local_folder(*file) : std::nullopt;
  }

 private:
  // The key of the channel's folder, with its last slash.
  std::string root_of(const Uri& uri) const {
    return (input_.relative_path() / uri.bucket / "").string();
  }

  Result<Uri> file_of(const Uri& uri) const {
    const std::string root = root_of(uri);
    auto file = parse_uri("/" + root + uri.key);
    if (!file) return file;
    if (uri.bucket.starts_with('.') || !file->key.starts_with(root))
      return failure(ErrorCode::kInvalidArgument, to_string(uri) + " leads out of the channels");
    return file;
  }

  static tl::unexpected<Error> read_only(const Uri& uri) {
    return failure(ErrorCode::kUnsupported, to_string(uri) + ": a channel is for reading");
  }

  const std::unique_ptr<ObjectStore> files_;
  const path input_;
};

}  // namespace

std::unique_ptr<ObjectStore> make_channel_store(os::FileSystem& files, const path& input) {
  return std::make_unique<ChannelStore>(files, input);
}

}  // namespace evener::storage
