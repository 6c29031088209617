#include "training/sandbox/process_tree.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

namespace evener::sandbox {
namespace {

struct ProcessLine {
  pid_t parent = 0;
  std::uint64_t ticks = 0;   // user and system time, of waited-for children too
};

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return pids;
  while (const dirent* entry = ::readdir(folder.get())) {
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, pid).ptr == end && pid > 0) pids.push_back(pid);
  }
  return pids;
}

std::string read_proc(pid_t pid, const char* file) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// `pid (name) state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime
// cutime cstime ...`; the name may hold blanks and parentheses.
std::optional<ProcessLine> read_stat(pid_t pid) {
  const std::string text = read_proc(pid, "stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skip;
  ProcessLine line;
  fields >> skip >> line.parent;
  for (int i = 0; i < 9; ++i) fields >> skip;
  for (int i = 0; i < 4; ++i) {
    std::uint64_t ticks = 0;
    fields >> ticks;
    line.ticks += ticks;
  }
  return line;
}

std::uint64_t private_bytes(pid_t pid) {
  std::istringstream lines(read_proc(pid, "status"));
  std::uint64_t kibibytes = 0;
  for (std::string key; lines >> key;) {
    std::uint64_t value = 0;
    if ((key == "RssAnon:" || key == "RssShmem:") && lines >> value) kibibytes += value;
    std::getline(lines, key);
  }
  return kibibytes * 1024;
}

std::uint64_t nanos(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : all_processes()) {
    if (const auto line = read_stat(pid)) children.emplace(line->parent, pid);
  }
  std::vector<pid_t> found = {root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

TreeUsage usage_of_descendants() {
  TreeUsage usage;
  const auto nanos_per_tick =
      1'000'000'000 / static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
  for (const pid_t pid : descendants(::getpid())) {
    const auto line = read_stat(pid);
    if (!line) continue;
    usage.cpu_nanos += line->ticks * nanos_per_tick;
    usage.memory_bytes += private_bytes(pid);
  }
  rusage ended{};
  if (::getrusage(RUSAGE_CHILDREN, &ended) == 0) {
    usage.cpu_nanos += nanos(ended.ru_utime) + nanos(ended.ru_stime);
  }
  return usage;
}

std::vector<pid_t> processes_with_environment(const std::string& start) {
  std::vector<pid_t> found;
  for (const pid_t pid : all_processes()) {
    if (pid == ::getpid()) continue;
    const std::string text = read_proc(pid, "environ");
    const std::size_t at = text.find(start);
    if (at != std::string::npos && (at == 0 || text[at - 1] == '\0')) found.push_back(pid);
  }
  return found;
}

}  // namespace evener::sandbox
