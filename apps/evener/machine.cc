#include "evener/machine.h"

#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <string_view>

#include "evener/engine_seat.h"

extern char** environ;

namespace evener::app {
namespace {

constexpr std::string_view kKeptNames[] = {"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "VIRTUAL_ENV",
                                           "PYENV_ROOT", "PYENV_VERSION", "CONDA_PREFIX",
                                           "EVENER_PYTHON"};

bool is_kept(std::string_view name) {
  for (const auto kept : kKeptNames)
    if (name == kept) return true;
  return name.starts_with("LC_");
}

// Below the user's home folder: places where programs keep keys and tokens.
constexpr std::string_view kCredentialPaths[] = {
    ".ssh", ".aws", ".gnupg", ".netrc", ".pypirc", ".git-credentials", ".docker", ".kube",
    ".azure", ".config/gcloud", ".config/gh", ".config/rclone", ".config/huggingface",
    ".cache/huggingface/token", ".huggingface", ".password-store", ".local/share/keyrings",
    ".npmrc", ".cargo/credentials", ".cargo/credentials.toml", ".s3cfg", ".mc", ".vault-token"};

int count_nvidia_devices() {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("nvidia") && name.size() > 6 &&
        std::isdigit(static_cast<unsigned char>(name[6])) != 0)
      ++count;
  }
  return count;
}

}  // namespace

std::map<std::string, std::string> host_environment() {
  std::map<std::string, std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view pair = *entry;
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || !is_kept(pair.substr(0, equals))) continue;
    kept[std::string(pair.substr(0, equals))] = pair.substr(equals + 1);
  }
  kept.try_emplace("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  return kept;
}

std::map<std::string, std::string> environment_variables() {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view pair = *entry;
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos)
      all[std::string(pair.substr(0, equals))] = pair.substr(equals + 1);
  }
  return all;
}

std::vector<std::string> current_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

std::vector<std::string> masked_paths(const std::filesystem::path& home) {
  std::vector<std::string> masked{home.string(), "/etc/shadow", "/etc/gshadow"};
  if (const char* user = std::getenv("HOME"); user != nullptr && *user == '/')
    for (const auto path : kCredentialPaths)
      masked.push_back((std::filesystem::path(user) / path).string());
  return masked;
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

bool output_is_closed() {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLNVAL)) != 0;
}

TerminalSize terminal_size(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return {.columns = size.ws_col, .rows = size.ws_row};
}

void raise_open_files_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

scheduling::Cluster machine_cluster() {
  scheduling::Cluster cluster;
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof usable, &usable) == 0) cluster.cpus = CPU_COUNT(&usable);
  struct sysinfo memory{};
  if (::sysinfo(&memory) == 0)
    cluster.memory_gib = static_cast<double>(memory.totalram) * memory.mem_unit / (1u << 30);
  cluster.accelerators = count_nvidia_devices();
  return cluster;
}

}  // namespace evener::app
