#include "evener/isolation.h"

#include <unistd.h>

namespace evener::app {
namespace {

constexpr std::uint64_t kMaxRememberedBytes = 256;

// Changes with the boot, the user and the user namespace: what decides whether namespaces work.
std::string circumstances(os::FileSystem& files) {
  const auto boot = os::read_text(files, "/proc/sys/kernel/random/boot_id", kMaxRememberedBytes);
  const auto owner = files.read_symlink("/proc/self/ns/user");
  if (!boot || !owner) return "";
  return *owner + " " + std::to_string(::geteuid()) + " " + *boot;
}

sandbox::Isolation remembered_or_probed(const Home& home, os::FileSystem& files) {
  const std::string now = circumstances(files);
  const auto remembered = os::read_text(files, home.probed_isolation(), kMaxRememberedBytes);
  if (remembered && !now.empty() && *remembered == now) return sandbox::Isolation::kNamespaces;
  const auto best = sandbox::best_isolation();
  // Not being able to remember costs time only.
  if (best == sandbox::Isolation::kNamespaces && !now.empty())
    (void)os::write_text(files, home.probed_isolation(), now);
  return best;
}

}  // namespace

Result<sandbox::Isolation> choose_isolation(const std::string& word, const Home& home,
                                            os::FileSystem& files) {
  auto wished = wished_isolation(word);
  if (!wished) return tl::unexpected(wished.error());
  if (!*wished) return remembered_or_probed(home, files);
  return **wished == jobs::Isolation::kPlain ? sandbox::Isolation::kPlain
                                             : sandbox::Isolation::kNamespaces;
}

Result<std::optional<jobs::Isolation>> wished_isolation(const std::string& word) {
  if (word.empty()) return std::nullopt;
  if (const auto isolation = jobs::isolation_from(word)) return isolation;
  return failure(ErrorCode::kInvalidArgument,
                 "--isolation '" + word + "': use namespaces or plain");
}

}  // namespace evener::app
