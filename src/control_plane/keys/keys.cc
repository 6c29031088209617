#include "control_plane/keys/keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/document.h"
#include "os/unique_fd.h"

namespace evener::control_plane {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdCharacters = 20;
constexpr std::size_t kSecretCharacters = 40;
constexpr off_t kMostBytes = 1 << 20;

std::string upper_id(Random& random) {
  std::string id = "EV" + random_suffix(random, kIdCharacters - 2);
  for (char& c : id)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return id;
}

std::string text_of(const std::vector<Key>& keys) {
  document::Value list = document::make_list({});
  for (const Key& key : keys) {
    document::Value one = document::make_object();
    one.set("id", document::make_string(key.id));
    one.set("secret", document::make_string(key.secret));
    one.set("role", document::make_string(to_string(key.role)));
    list.items.push_back(std::move(one));
  }
  document::Value root = document::make_object();
  root.set("keys", std::move(list));
  return document::write(root) + "\n";
}

// Writes the whole file beside its place and gives it its name only if there is none by then.
Status make_file(const fs::path& file, const std::string& text, Random& random) {
  const fs::path part = file.string() + "." + random_suffix(random, 8);
  const os::UniqueFd out(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) return errno_failure(errno, "make the key file " + part.string());
  const ssize_t written = ::write(out.get(), text.data(), text.size());
  int error = written < 0 ? errno : written != static_cast<ssize_t>(text.size()) ? ENOSPC : 0;
  if (error == 0 && ::fsync(out.get()) != 0) error = errno;
  if (error == 0 && ::link(part.c_str(), file.c_str()) != 0 && errno != EEXIST) error = errno;
  ::unlink(part.c_str());
  if (error != 0) return errno_failure(error, "make the key file " + file.string());
  const os::UniqueFd folder(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
  return ok();
}

Status check_owner(const fs::path& file, int descriptor) {
  struct stat stat {};
  if (::fstat(descriptor, &stat) != 0) return errno_failure(errno, "look at " + file.string());
  if (!S_ISREG(stat.st_mode) || stat.st_uid != ::geteuid())
    return failure(ErrorCode::kPermissionDenied,
                   "the key file " + file.string() + " is not a file of this user");
  if ((stat.st_mode & 077) != 0)
    return failure(ErrorCode::kPermissionDenied,
                   "others may use the key file " + file.string() +
                       ": chmod 600 it, and delete it to get new keys if they may have been read");
  if (stat.st_size > kMostBytes)
    return failure(ErrorCode::kCorrupt, "the key file " + file.string() + " is over 1 MiB");
  return ok();
}

Result<std::vector<Key>> read_keys(const fs::path& file, std::string_view text) {
  const auto corrupt = [&](const std::string& why) {
    return failure(ErrorCode::kCorrupt, "the key file " + file.string() + " " + why +
                                            "; delete it to get new keys");
  };
  const auto root = document::read(text);
  if (!root) return corrupt("is not valid: " + root.error().message);
  std::vector<Key> keys;
  for (const document::Value& one : root->items_at("keys")) {
    const auto role = role_from(one.text_at("role"));
    Key key{std::string(one.text_at("id")), std::string(one.text_at("secret")),
            role.value_or(Role::kReadOnly)};
    if (key.id.empty() || key.secret.empty() || !role)
      return corrupt("has a key without id, secret or role (read-only or full)");
    keys.push_back(std::move(key));
  }
  if (keys.empty()) return corrupt("has no keys");
  if (keys.size() > kMostKeys)
    return failure(ErrorCode::kLimitExceeded, "the key file " + file.string() + " has over " +
                                                  std::to_string(kMostKeys) + " keys");
  return keys;
}

}  // namespace

std::string_view to_string(Role role) { return role == Role::kFull ? "full" : "read-only"; }

std::optional<Role> role_from(std::string_view text) {
  for (const Role role : {Role::kReadOnly, Role::kFull})
    if (to_string(role) == text) return role;
  return std::nullopt;
}

Result<std::vector<Key>> open_keys(const fs::path& file, Random& random) {
  os::UniqueFd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!in && errno == ENOENT) {
    const std::vector<Key> keys{
        {upper_id(random), random_suffix(random, kSecretCharacters), Role::kFull},
        {upper_id(random), random_suffix(random, kSecretCharacters), Role::kReadOnly}};
    RETURN_IF_ERROR(make_file(file, text_of(keys), random));
    in = os::UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  }
  if (!in) return errno_failure(errno, "open the key file " + file.string());
  RETURN_IF_ERROR(check_owner(file, in.get()));
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(in.get(), buffer, sizeof buffer)) != 0;) {
    if (got < 0) return errno_failure(errno, "read the key file " + file.string());
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return read_keys(file, text);
}

}  // namespace evener::control_plane
