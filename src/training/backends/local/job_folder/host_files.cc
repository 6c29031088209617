#include "training/backends/local/job_folder/host_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "os/unique_fd.h"

namespace evener::backends {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// The last folder of the path, or no descriptor.
os::UniqueFd open_folder(const std::filesystem::path& root,
                         const std::vector<std::string>& relative) {
  os::UniqueFd folder(::open(root.c_str(), kFolderFlags));
  for (const std::string& part : relative) {
    if (!folder) break;
    folder = os::UniqueFd(::openat(folder.get(), part.c_str(), kFolderFlags));
  }
  return folder;
}

}  // namespace

std::string read_failure_text(const std::filesystem::path& ml_folder) {
  const os::UniqueFd folder = open_folder(ml_folder, {"output"});
  if (!folder) return "";
  // Non-blocking: opening a FIFO must not wait for a writer.
  const os::UniqueFd file(
      ::openat(folder.get(), "failure", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  // A character cut off by the limit would turn into a replacement character: read a little more.
  constexpr std::size_t kLongestCharacter = 4;
  std::string text(kMaxFailureTextBytes + kLongestCharacter, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + filled, text.size() - filled);
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  text.resize(filled);
  return cut_utf8(valid_utf8(text), kMaxFailureTextBytes);
}

bool is_plain_folder(const std::filesystem::path& ml_folder,
                     const std::vector<std::string>& relative) {
  return static_cast<bool>(open_folder(ml_folder, relative));
}

}  // namespace evener::backends
