#include <unistd.h>

#include <fstream>
#include <sstream>

#include "os/cgroup.h"

namespace evener::os {
namespace fs = std::filesystem;
namespace {

struct CgroupMount {
  std::string root;      // of the mount, within the file system
  fs::path at;
  bool v2 = false;
  std::string options;   // with v1: names of controllers among them
};

bool has_word(const std::string& list, std::string_view word, char separator) {
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, separator);) {
    if (item == word) return true;
  }
  return false;
}

// `36 35 98:0 /root /mount/point rw,noatime shared:1 - cgroup cgroup rw,cpu`
std::vector<CgroupMount> cgroup_mounts(const std::string& mountinfo) {
  std::vector<CgroupMount> mounts;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line.substr(0, dash));
    std::istringstream after(line.substr(dash + 3));
    std::string skip, root, at, type, source, options;
    before >> skip >> skip >> skip >> root >> at;
    after >> type >> source >> options;
    if (type == "cgroup" || type == "cgroup2") {
      mounts.push_back({root, at, type == "cgroup2", options});
    }
  }
  return mounts;
}

// The path after the second colon of the line `0::/path`.
std::string own_v2_path(const std::string& membership) {
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "/";
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

bool usable(const fs::path& folder) {
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

// A v1 root is usable if we may make groups in it, or if an administrator made `evener` in it
// ours.
void find_v1(const CgroupMount& mount, const fs::path& prefix, CgroupLayout& layout) {
  for (const Controller controller : kControllers) {
    if (!has_word(mount.options, to_string(controller), ',')) continue;
    const fs::path root = prefix / mount.at.relative_path();
    if (usable(root) || usable(root / "evener")) {
      layout.roots[controller] = root;
      layout.missing.erase(controller);
    } else {
      layout.missing[controller] = root.string() + " is not writable";
    }
  }
}

// The highest folder above our own group that we may use: groups of all jobs then stand side by
// side, wherever they were started. Its processes are moved nowhere.
void find_v2(const CgroupMount& mount, const std::string& own, const fs::path& prefix,
             CgroupLayout& layout) {
  const fs::path top = prefix / mount.at.relative_path();
  fs::path candidate = top;
  std::optional<fs::path> root;
  auto check = [&](const fs::path& folder) {
    if (!root && usable(folder) && ::access((folder / "cgroup.procs").c_str(), W_OK) == 0 &&
        ::access((folder / "cgroup.subtree_control").c_str(), W_OK) == 0) {
      root = folder;
    }
  };
  check(candidate);
  const fs::path inside = fs::path(own).lexically_relative(mount.root);
  for (const fs::path& part : inside) {
    if (part == "." || part == "..") continue;
    candidate /= part;
    check(candidate);
  }
  for (const Controller controller : kControllers) {
    if (layout.roots.contains(controller)) continue;
    if (!root) {
      layout.missing[controller] = "no group of " + top.string() + " is delegated to this user";
      continue;
    }
    // CPU time is counted without any controller.
    const std::string available = first_line(*root / "cgroup.controllers");
    if (controller == Controller::kCpuAccounting ||
        has_word(available, to_string(controller), ' ')) {
      layout.roots[controller] = *root;
      layout.missing.erase(controller);
    } else {
      layout.missing[controller] = root->string() + " has no controller " +
                                   std::string(to_string(controller));
    }
  }
}

std::string read_whole(const char* path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::string_view to_string(Controller controller) {
  switch (controller) {
    case Controller::kCpu: return "cpu";
    case Controller::kCpuAccounting: return "cpuacct";
    case Controller::kMemory: return "memory";
    case Controller::kPids: return "pids";
  }
  return "cpu";
}

std::optional<Controller> controller_from_string(std::string_view text) {
  for (const Controller controller : kControllers) {
    if (to_string(controller) == text) return controller;
  }
  return std::nullopt;
}

std::string_view to_string(CgroupVersion version) {
  switch (version) {
    case CgroupVersion::kNone: return "none";
    case CgroupVersion::kV1: return "v1";
    case CgroupVersion::kV2: return "v2";
  }
  return "none";
}

std::optional<CgroupVersion> cgroup_version_from_string(std::string_view text) {
  for (const auto version : {CgroupVersion::kNone, CgroupVersion::kV1, CgroupVersion::kV2}) {
    if (to_string(version) == text) return version;
  }
  return std::nullopt;
}

CgroupFacts read_cgroup_facts() {
  return {read_whole("/proc/self/mountinfo"), read_whole("/proc/self/cgroup")};
}

CgroupLayout find_cgroup_layout(const CgroupFacts& facts, const fs::path& prefix) {
  CgroupLayout layout;
  for (const Controller controller : kControllers) layout.missing[controller] = "not mounted";
  const std::vector<CgroupMount> mounts = cgroup_mounts(facts.mounts);
  bool v1 = false;
  for (const CgroupMount& mount : mounts) {
    if (mount.v2) continue;
    for (const Controller controller : kControllers) {
      v1 = v1 || has_word(mount.options, to_string(controller), ',');
    }
    find_v1(mount, prefix, layout);
  }
  if (v1) {
    // Hybrid: what v1 holds is not in the v2 tree.
    layout.version = CgroupVersion::kV1;
    return layout;
  }
  for (const CgroupMount& mount : mounts) {
    if (!mount.v2) continue;
    layout.version = CgroupVersion::kV2;
    find_v2(mount, own_v2_path(facts.membership), prefix, layout);
    break;
  }
  return layout;
}

}  // namespace evener::os
