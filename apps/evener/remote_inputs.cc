#include "evener/remote_inputs.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <memory>
#include <vector>

#include "evener/machine.h"
#include "evener/object_stores.h"
#include "training/artifacts/artifacts.h"

namespace evener::app {
namespace {

using document::Value;
using storage::Uri;

constexpr std::string_view kSubmitDirectory = "sagemaker_submit_directory";
constexpr std::chrono::seconds kUploadPatience{30};
constexpr std::size_t kPieceBytes = 256u << 10;

std::string without_quotes(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.starts_with('"') && text.ends_with('"');
  return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

bool is_local(std::string_view uri) { return uri.starts_with("file://"); }

Status check_data(const ServerConnection& server, const jobs::JobSpec& spec) {
  for (const auto& channel : spec.channels)
    if (is_local(channel.uri))
      return failure(ErrorCode::kInvalidArgument,
                     "channel " + channel.name + ": the server at " + server.url +
                         " does not see the files of this machine; copy " + channel.uri.substr(7) +
                         " to s3:// first, or run evener where the server runs");
  if (is_local(spec.output_uri) && !spec.output_uri.starts_with(server.facts.output))
    return failure(ErrorCode::kInvalidArgument,
                   "output " + spec.output_uri + ": the server at " + server.url +
                       " does not see the files of this machine; name an s3:// place, or the "
                       "server's own folder " + server.facts.output);
  return ok();
}

// The job's own bucket, else the server's; "" where neither is known.
std::string bucket_for(const ServerConnection& server, const jobs::JobSpec& spec) {
  const auto output = storage::parse_uri(spec.output_uri);
  if (output && output->scheme == "s3") return output->bucket;
  return server.facts.bucket;
}

// The environment's, and what it does not say as the server has it.
Result<std::optional<storage::S3Access>> access_of(const ServerConnection& server) {
  std::map<std::string, std::string> all = environment_variables();
  if (!server.facts.s3_endpoint.empty())
    all.try_emplace("AWS_ENDPOINT_URL_S3", server.facts.s3_endpoint);
  if (!all.contains("AWS_ENDPOINT_URL_S3")) return std::optional<storage::S3Access>();
  if (server.key) {
    all.try_emplace("AWS_ACCESS_KEY_ID", server.key->id);
    all.try_emplace("AWS_SECRET_ACCESS_KEY", server.key->secret);
  }
  auto access = storage::access_from(all);
  if (access && *access) (*access)->patience = kUploadPatience;
  return access;
}

// A folder that holds one file, while this lives.
class FolderOfOne {
 public:
  static Result<std::unique_ptr<FolderOfOne>> make(const std::filesystem::path& file) {
    std::string name = (std::filesystem::temp_directory_path() / "evener-source-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return errno_failure(errno, "make the folder " + name);
    auto folder = std::make_unique<FolderOfOne>(name);
    std::error_code failed;
    std::filesystem::copy_file(file, folder->path_ / file.filename(), failed);
    if (failed) return errno_failure(failed.value(), "copy " + file.string());
    return folder;
  }
  explicit FolderOfOne(std::filesystem::path path) : path_(std::move(path)) {}
  ~FolderOfOne() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FolderOfOne(const FolderOfOne&) = delete;
  FolderOfOne& operator=(const FolderOfOne&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
};

Status pack(const std::filesystem::path& folder, const Uri& target, const storage::StoreSet& stores,
            os::FileSystem& files) {
  const auto packed = artifacts::pack_archive({{.host = "source", .folder = folder, .seen_as = ""}},
                                              target, {}, stores, files, [](auto, auto) {}, {});
  return packed ? ok() : Status(tl::unexpected(packed.error()));
}

Status copy(const os::ReadableFile& from, os::WritableFile& to) {
  std::vector<std::byte> buffer(kPieceBytes);
  for (std::uint64_t at = 0;;) {
    const auto got = from.read_at(at, buffer);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return to.close();
    RETURN_IF_ERROR(to.append(std::span(buffer).first(*got)));
    at += *got;
  }
}

// A folder, an archive, or a script alone.
Status put_source(const std::filesystem::path& source, const Uri& target,
                  const storage::StoreSet& stores, os::FileSystem& files) {
  const auto found = files.stat_followed(source);
  if (!found) return tl::unexpected(found.error());
  if (found->kind == os::FileKind::kDirectory) return pack(source, target, stores, files);
  if (!source.string().ends_with(".tar.gz")) {
    const auto folder = FolderOfOne::make(source);
    return folder ? pack((*folder)->path(), target, stores, files)
                  : Status(tl::unexpected(folder.error()));
  }
  const auto from = files.open(source);
  if (!from) return tl::unexpected(from.error());
  const auto store = stores.find(target);
  if (!store) return tl::unexpected(store.error());
  const auto to = (*store)->create(target);
  return to ? copy(**from, **to) : Status(tl::unexpected(to.error()));
}

Result<std::string> upload_source(const ServerConnection& server, const jobs::JobSpec& spec,
                                  const std::filesystem::path& source, os::FileSystem& files) {
  const std::string bucket = bucket_for(server, spec);
  const auto access = access_of(server);
  if (!access) return tl::unexpected(access.error());
  if (!*access || bucket.empty())
    return failure(ErrorCode::kInvalidArgument,
                   "the server at " + server.url + " does not see " + source.string() +
                       " of this machine, and no S3 server and bucket are known to bring it there: "
                       "use evener up there, or AWS_ENDPOINT_URL_S3 and --output s3://BUCKET/...");
  const Uri target{.scheme = "s3", .bucket = bucket,
                   .key = spec.name + "/source/sourcedir.tar.gz"};
  ObjectStores objects;
  storage::StoreSet stores;
  stores.add("s3", objects.make([known = **access] { return Result<storage::S3Access>(known); },
                                {.job_folder = {}, .trouble = {}, .stop = {}}));
  if (auto put = put_source(source, target, stores, files); !put)
    return failure_in("upload the source code to " + to_string(target), put.error());
  return to_string(target);
}

}  // namespace

void add_machine(control_plane::ServerFacts& facts, os::FileSystem& files) {
  constexpr std::uint64_t kMostBytes = 128;
  const auto boot = os::read_text(files, "/proc/sys/kernel/random/boot_id", kMostBytes);
  struct stat found {};
  if (!boot || ::stat(facts.folder.c_str(), &found) != 0) return;
  facts.boot = boot->substr(0, boot->find('\n'));
  facts.device = found.st_dev;
  facts.inode = found.st_ino;
}

bool sees_the_same_files(const control_plane::ServerFacts& facts, os::FileSystem& files) {
  control_plane::ServerFacts here{.version = "", .output = "", .folder = facts.folder};
  add_machine(here, files);
  return !here.boot.empty() && here.boot == facts.boot && here.device == facts.device &&
         here.inode == facts.inode;
}

Status bring_inputs(const ServerConnection& server, const jobs::JobSpec& spec, os::FileSystem& files,
                    Value& request) {
  if (sees_the_same_files(server.facts, files)) return ok();
  RETURN_IF_ERROR(check_data(server, spec));
  Value* parameters = request.find("HyperParameters");
  Value* source = parameters == nullptr ? nullptr : parameters->find(kSubmitDirectory);
  if (source == nullptr) return ok();
  const std::string uri = without_quotes(source->text);
  if (!is_local(uri)) return ok();
  auto uploaded = upload_source(server, spec, uri.substr(7), files);
  if (!uploaded) return tl::unexpected(uploaded.error());
  const bool quoted = source->text != uri;
  *source = document::make_string(quoted ? document::quote(*uploaded) : *uploaded);
  return ok();
}

}  // namespace evener::app
