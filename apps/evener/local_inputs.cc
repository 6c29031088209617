#include "evener/local_inputs.h"

#include <filesystem>
#include <string>
#include <vector>

#include "storage/storage.h"
#include "training/runner/runner.h"

namespace evener::app {
namespace {

namespace fs = std::filesystem;

// A tree of so many folders without a file is left to staging, which looks at all of it.
constexpr std::size_t kMostFolders = 10'000;

// Whether a file, or anything else that staging would have a word about, is in one of `folders` or
// below.
Result<bool> has_file(std::vector<fs::path> folders, os::FileSystem& files) {
  for (std::size_t looked = 0; looked < folders.size(); ++looked) {
    if (looked == kMostFolders) return true;
    const auto entries = files.list(folders[looked]);
    if (!entries) return tl::unexpected(entries.error());
    for (const os::DirectoryEntry& entry : *entries) {
      if (entry.kind != os::FileKind::kDirectory) return true;
      folders.push_back(folders[looked] / entry.name);
    }
  }
  return false;
}

// "/data/a" is the file, the folder, and whatever in /data begins with "a".
Result<bool> has_object(const fs::path& prefix, os::FileSystem& files) {
  const fs::path folder = prefix.parent_path();
  const std::string start = prefix.filename().string();
  if (start.empty() && !files.stat_followed(folder)) return false;
  if (start.empty()) return has_file({folder}, files);
  const auto whole = files.stat_followed(prefix);
  if (whole && whole->kind != os::FileKind::kDirectory) return true;
  const auto entries = files.list(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return false;
  // The folder above may be closed while what was named is not.
  if (!entries && whole) return has_file({prefix}, files);
  if (!entries) return tl::unexpected(entries.error());
  std::vector<fs::path> folders;
  for (const os::DirectoryEntry& entry : *entries) {
    if (!entry.name.starts_with(start)) continue;
    if (entry.kind != os::FileKind::kDirectory &&
        !(entry.kind == os::FileKind::kSymlink && whole && entry.name == start))
      return true;
    folders.push_back(folder / entry.name);
  }
  return has_file(std::move(folders), files);
}

Status check_channel(const jobs::Channel& channel, os::FileSystem& files) {
  const auto uri = storage::parse_uri(channel.uri);
  if (!uri) return failure_in("channel " + channel.name, uri.error());
  if (uri->scheme != "file") return ok();
  const fs::path place = "/" + uri->key;
  if (channel.data_type != jobs::DataType::kS3Prefix) {
    const auto opened = files.open(place);
    return opened ? ok() : failure_in("channel " + channel.name, opened.error());
  }
  const auto found = has_object(place, files);
  if (!found) return failure_in("channel " + channel.name, found.error());
  if (*found) return ok();
  return failure(ErrorCode::kNotFound,
                 "channel " + channel.name + ": No objects found under \"" + channel.uri +
                     "\" given in input data source. Please ensure that the location exists and "
                     "that objects exist under that prefix.");
}

}  // namespace

Status check_local_inputs(const jobs::JobSpec& spec, os::FileSystem& files) {
  for (const jobs::Channel& channel : spec.channels) RETURN_IF_ERROR(check_channel(channel, files));
  return runner::check_local_code(spec, files);
}

}  // namespace evener::app
