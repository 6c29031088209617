// Object stores behind one seam: listing, ranged reads, puts. `file://` and plain paths here;
// s3:// in s3/.
//
// Used by:  training/artifacts (channels in, artifacts out), data/sources, apps.
// Threads:  an ObjectStore may be shared.
// Fails:    kInvalidArgument on a URI that is none; kNotFound, kPermissionDenied, kNoSpace, ...
//           with the URI in the message; kUnsupported for a scheme that has no store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"

namespace evener::storage {

// file:///a/b and /a/b are the same: scheme "file", bucket "", key "a/b" -> path "/a/b".
// s3://bucket/key: scheme "s3", bucket "bucket", key "key".
struct Uri {
  std::string scheme;
  std::string bucket;
  std::string key;
  bool operator==(const Uri&) const = default;
};
// Percent signs are literal; no query, no fragment. Paths must be absolute; `//`, `.` and `..` are
// taken out of them. A key with a part `..` is refused.
Result<Uri> parse_uri(std::string_view text);
std::string to_string(const Uri& uri);

struct StoredObject {
  std::string key;              // relative to the prefix that was listed; see list()
  std::string uri;              // whole
  std::uint64_t size = 0;       // bytes
  std::string version{};        // another one once the content is another: the time of the last
                                // write of a file, the ETag of an S3 object; "" if the store has none
};

// A file's version; "" where its store knows no time.
std::string version_of(const os::FileStat& stat);

// What a reader remembers of an object that was listed.
struct Listed {
  std::uint64_t size = 0;
  std::string_view version{};   // "": any
};

struct FetchOptions {
  std::optional<std::uint64_t> size{};              // as listed; spares a store a question
  std::function<void(std::uint64_t)> arrived{};     // so many bytes more; from any thread
  std::stop_token stop{};
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  // The objects under `prefix`, sorted by key. If `prefix` is a folder: everything below it, keys
  // relative to it. Else if it is one object: that object, key its last part. Else every object
  // whose key starts with it, keys from the last slash of the prefix on. Nothing there: empty.
  // Files that are not regular (after following symlinks) and cycles are an error.
  virtual Result<std::vector<StoredObject>> list(const Uri& prefix) = 0;
  virtual Result<std::unique_ptr<os::ReadableFile>> open(const Uri& object) = 0;
  // Fills `buffer` from `offset` of an object that was listed. kCorrupt: it has another size or
  // version by now.
  virtual Status read_listed(const Uri& object, const Listed& listed, std::uint64_t offset,
                             std::span<std::byte> buffer);
  // Appears whole under its name when close() has succeeded, or not at all.
  virtual Result<std::unique_ptr<os::WritableFile>> create(const Uri& object) = 0;
  // As create(), but close() fails with kAlreadyExists if an object of that name is there by then.
  // kUnsupported from a store that cannot tell.
  virtual Result<std::unique_ptr<os::WritableFile>> create_new(const Uri& object);
  // Writes the whole object to the file `target`, whose folder is there. A store that can reads
  // parts of it at the same time, goes on where a transfer broke off, and compares checksums.
  // kCorrupt: what came is not what is stored. After an error the file's content is unspecified.
  virtual Status fetch(const Uri& object, os::FileSystem& files, const os::fs::path& target,
                       const FetchOptions& options);
  // No error if absent.
  virtual Status remove(const Uri& object) = 0;
  // The folder on this machine that holds exactly the objects under `prefix`, if there is one:
  // input can then be shown without copying. Not for a folder with symlinks or mounts below it,
  // which would not be the same where it is shown.
  virtual std::optional<os::fs::path> local_folder(const Uri& prefix) = 0;
};

std::unique_ptr<ObjectStore> make_file_store(os::FileSystem& files);

// channel://NAME/key: the channels of a job as one of its programs sees them, below `input`, which is
// not the same folder on every host. For reading.
std::unique_ptr<ObjectStore> make_channel_store(os::FileSystem& files, const os::fs::path& input);

// The store for a URI's scheme; kUnsupported names the schemes that there are.
class StoreSet {
 public:
  void add(std::string scheme, std::unique_ptr<ObjectStore> store);
  Result<ObjectStore*> find(const Uri& uri) const;

 private:
  std::vector<std::pair<std::string, std::unique_ptr<ObjectStore>>> stores_;
};

}  // namespace evener::storage
