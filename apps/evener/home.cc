#include "evener/home.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace evener::app {

namespace fs = std::filesystem;

fs::path home_path(const fs::path& chosen) {
  if (!chosen.empty()) return fs::absolute(chosen).lexically_normal();
  if (const char* home = std::getenv("EVENER_HOME"); home != nullptr && *home != '\0')
    return fs::absolute(home).lexically_normal();
  const char* user = std::getenv("HOME");
  return fs::path(user != nullptr && *user != '\0' ? user : "/tmp") / ".evener";
}

namespace {

Status check_usable(const fs::path& root) {
  std::error_code gone;
  if (!fs::is_directory(root, gone))
    return failure(ErrorCode::kInvalidArgument,
                   "the home " + root.string() +
                       " is not a folder; choose another with --home or EVENER_HOME");
  if (::access(root.c_str(), W_OK | X_OK) == 0) return ok();
  Error error = errno_error(errno, "write to the home " + root.string());
  error.message += "; choose another with --home or EVENER_HOME";
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<Home> open_home(const fs::path& chosen) {
  Home home{home_path(chosen)};
  std::error_code made;
  if (home.root.has_parent_path()) fs::create_directories(home.root.parent_path(), made);
  if (made)
    return errno_failure(made.value(), "make the home " + home.root.string());
  if (::mkdir(home.root.c_str(), 0700) != 0 && errno != EEXIST)
    return errno_failure(errno, "make the home " + home.root.string());
  RETURN_IF_ERROR(check_usable(home.root));
  return home;
}

Result<Home> find_home(const fs::path& chosen) {
  Home home{home_path(chosen)};
  std::error_code gone;
  if (fs::exists(home.root, gone)) RETURN_IF_ERROR(check_usable(home.root));
  if (fs::exists(home.store(), gone)) return home;
  return failure(ErrorCode::kNotFound, "no jobs yet in the home " + home.root.string() +
                                           "; --home or EVENER_HOME choose another");
}

}  // namespace evener::app
