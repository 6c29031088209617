
#include "base/join_uri.h"
#include "base/near_miss.h"
#include "training/runner/runner.h"
#include "training/runner/script_mode.h"
#include "training/runner/source_copy.h"

namespace evener::runner {

namespace {

using std::filesystem::path;

// Where the service's client puts code of a job without network: inside a channel.
constexpr std::string_view kChannelsFolder = "/opt/ml/input/data/";

bool is_archive(std::string_view name) {
  for (const std::string_view suffix : {".tar.gz", ".tgz", ".tar"})
    if (name.ends_with(suffix)) return true;
  return false;
}

// sagemaker_submit_directory, with a place inside a channel led back to the channel's source.
std::string source_of(const jobs::JobSpec& spec) {
  const std::string source = decoded_hyperparameter(spec, kSubmitDirectory);
  if (!source.starts_with(kChannelsFolder)) return source;
  const std::string rest = source.substr(kChannelsFolder.size());
  const std::size_t slash = rest.find('/');
  const std::string tail = slash == std::string::npos ? "" : rest.substr(slash + 1);
  for (const jobs::Channel& channel : spec.channels) {
    if (channel.name != rest.substr(0, slash)) continue;
    const bool whole = tail.empty() || channel.uri.ends_with("/" + tail);
    return whole ? channel.uri : join_uri(channel.uri, tail);
  }
  return source;
}

tl::unexpected<Error> no_source(const std::string& source, const std::string& why) {
  return failure(ErrorCode::kNotFound, "the source code '" + source + "' " + why +
                                           "; it is given by --source-dir or the hyperparameter "
                                           "sagemaker_submit_directory");
}

Result<os::FileStat> find_local(const path& source, os::FileSystem& files) {
  auto stat = files.stat_followed(source);
  if (!stat && stat.error().code == ErrorCode::kNotFound)
    return no_source(source.string(), "does not exist");
  if (stat && stat->kind != os::FileKind::kDirectory && stat->kind != os::FileKind::kRegular)
    return no_source(source.string(), "is neither a folder nor a file");
  return stat;
}

// A folder, an archive or one script of this machine.
Status take_local(const path& source, os::FileSystem& files, const path& code,
                  const UnpackFunction& unpack) {
  const Result<os::FileStat> stat = find_local(source, files);
  if (!stat) return tl::unexpected(stat.error());
  if (stat->kind == os::FileKind::kDirectory) return copy_source(source, code, files);
  if (is_archive(source.string())) return unpack(source, code);
  return files.copy_file(source, code / source.filename());
}

// Objects of a store: one archive, or all that lies under the URI.
Status take_remote(const storage::Uri& uri, storage::ObjectStore& store, os::FileSystem& files,
                   const path& code, const UnpackFunction& unpack) {
  const Result<std::vector<storage::StoredObject>> objects = store.list(uri);
  if (!objects) return tl::unexpected(objects.error());
  if (objects->empty()) return no_source(storage::to_string(uri), "does not exist");
  if (objects->size() != 1 || !is_archive(objects->front().key))
    return fetch_objects(*objects, store, code, files);
  const path archive = code.parent_path() / (code.filename().string() + ".source.tar.gz");
  const Status fetched = fetch_object(objects->front(), store, archive, files);
  const Status unpacked = fetched ? unpack(archive, code) : fetched;
  const Status removed = files.remove_file(archive);
  return unpacked || removed ? unpacked : ok();
}

bool is_there(os::FileSystem& files, const path& file) {
  return files.stat_followed(file).has_value();
}

Status check_entry_point(const std::string& entry_point, const std::string& source,
                         os::FileSystem& files, const path& code) {
  const Result<os::FileStat> stat = files.stat_followed(code / entry_point);
  if (stat && stat->kind != os::FileKind::kDirectory) return ok();
  std::vector<std::string> names;
  const path folder = path(entry_point).parent_path();
  if (const auto entries = files.list(code / folder))
    for (const os::DirectoryEntry& entry : *entries)
      if (entry.kind != os::FileKind::kDirectory) names.push_back((folder / entry.name).string());
  const std::vector<std::string_view> known(names.begin(), names.end());
  return failure(ErrorCode::kInvalidArgument, "the entry point '" + entry_point + "' is not in '" +
                                                  source + "'" + did_you_mean(entry_point, known));
}

}  // namespace

Status check_local_code(const jobs::JobSpec& spec, os::FileSystem& files) {
  if (!has_source_code(spec)) return ok();
  const std::string source = source_of(spec);
  if (source.empty()) return no_source("", "is not given");
  const Result<storage::Uri> uri = storage::parse_uri(source);
  if (!uri) return failure_in("the source code '" + source + "'", uri.error());
  if (uri->scheme != "file") return ok();
  const path place = "/" + uri->key;
  const Result<os::FileStat> stat = find_local(place, files);
  if (!stat) return tl::unexpected(stat.error());
  if (stat->kind == os::FileKind::kRegular) {
    const auto opened = files.open(place);
    return opened ? ok() : tl::unexpected(opened.error());
  }
  if (const auto listed = files.list(place); !listed) return tl::unexpected(listed.error());
  if (!uses_script_mode(spec)) return ok();
  const Result<std::string> entry_point = entry_point_of(spec);
  if (!entry_point) return tl::unexpected(entry_point.error());
  const CodeForm form = is_there(files, place / "setup.py") ? CodeForm::kPackage : CodeForm::kFiles;
  if (entry_kind(*entry_point, form) == EntryKind::kPackage) return ok();
  RETURN_IF_ERROR(check_entry_point(*entry_point, source, files, place));
  const auto opened = files.open(place / *entry_point);
  return opened ? ok() : tl::unexpected(opened.error());
}

Result<PreparedCode> prepare_code(const jobs::JobSpec& spec, const storage::StoreSet& stores,
                                  os::FileSystem& files, const std::filesystem::path& code,
                                  const UnpackFunction& unpack) {
  const std::string source = source_of(spec);
  if (source.empty())
    return no_source("", "is not given");
  const Result<storage::Uri> uri = storage::parse_uri(source);
  if (!uri) return failure_in("the source code '" + source + "'", uri.error());
  RETURN_IF_ERROR(files.make_directories(code));
  if (uri->scheme == "file") {
    RETURN_IF_ERROR(take_local("/" + uri->key, files, code, unpack));
  } else {
    const Result<storage::ObjectStore*> store = stores.find(*uri);
    if (!store) return failure_in("the source code '" + source + "'", store.error());
    RETURN_IF_ERROR(take_remote(*uri, **store, files, code, unpack));
  }

  PreparedCode prepared;
  prepared.has_requirements = is_there(files, code / "requirements.txt");
  if (is_there(files, code / "setup.py")) prepared.form = CodeForm::kPackage;
  if (!uses_script_mode(spec)) return prepared;
  const Result<std::string> entry_point = entry_point_of(spec);
  if (!entry_point) return tl::unexpected(entry_point.error());
  const EntryKind kind = entry_kind(*entry_point, prepared.form);
  if (kind == EntryKind::kPackage) return prepared;  // what the package offers, only Python knows
  RETURN_IF_ERROR(check_entry_point(*entry_point, source, files, code));
  if (kind == EntryKind::kCommand) RETURN_IF_ERROR(files.set_mode(code / *entry_point, 0755));
  return prepared;
}

}  // namespace evener::runner
