#include "training/artifacts/merge.h"

#include <map>

#include "training/artifacts/relative_path.h"

namespace evener::artifacts {
namespace {

class Merger {
 public:
  Merger(const std::vector<HostTree>& trees, const SameContent& same)
      : trees_(trees), same_(same) {}

  Result<MergePlan> run() {
    for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
      for (const std::string& text : trees_[tree].left_out)
        plan_.left_out.push_back(trees_[tree].host + ": " + text);
      for (const TreeEntry& entry : trees_[tree].entries) RETURN_IF_ERROR(add(tree, entry));
    }
    drop_links_that_leave();
    add_folders();
    for (auto& [path, member] : kept_) plan_.members.push_back(std::move(member));
    for (auto& [path, clash] : clashes_) plan_.clashes.push_back(std::move(clash));
    return std::move(plan_);
  }

 private:
  static MemberKind kind_of(const TreeEntry& entry) {
    return entry.stat.kind == os::FileKind::kSymlink ? MemberKind::kSymlink : MemberKind::kFile;
  }

  Status add(std::size_t tree, const TreeEntry& entry) {
    // A link that leaves the folder as it stands must not push out another host's file.
    if (kind_of(entry) == MemberKind::kSymlink &&
        follow_link({{entry.path, entry.link_target}}, entry.path) == LinkReach::kOutside) {
      leave_out(tree, entry.path, entry.link_target, LinkReach::kOutside);
      return ok();
    }
    if (const MergedMember* blocking = blocking_parent(entry.path)) {
      add_clash(blocking->path, blocking->tree, tree);
      return ok();
    }
    if (const auto folder = folders_.find(entry.path); folder != folders_.end()) {
      add_clash(entry.path, folder->second, tree);
      return ok();
    }
    const auto present = kept_.find(entry.path);
    if (present != kept_.end()) return compare(present->second, tree, entry);
    keep(tree, entry);
    return ok();
  }

  Status compare(const MergedMember& kept, std::size_t tree, const TreeEntry& entry) {
    bool equal = kept.kind == kind_of(entry);
    if (equal && kept.kind == MemberKind::kSymlink) equal = kept.link_target == entry.link_target;
    if (equal && kept.kind == MemberKind::kFile) {
      equal = kept.stat.size == entry.stat.size;
      if (equal && kept.stat.size > 0) {
        auto same = same_(entry.path, kept.tree, tree);
        if (!same) return tl::unexpected(std::move(same.error()));
        equal = *same;
      }
    }
    if (!equal) add_clash(kept.path, kept.tree, tree);
    return ok();
  }

  // A kept file or link where this path needs a folder.
  const MergedMember* blocking_parent(std::string_view path) const {
    for (std::string_view at = parent_of(path); !at.empty(); at = parent_of(at)) {
      const auto found = kept_.find(at);
      if (found != kept_.end()) return &found->second;
    }
    return nullptr;
  }

  void keep(std::size_t tree, const TreeEntry& entry) {
    for (std::string_view at = parent_of(entry.path); !at.empty(); at = parent_of(at))
      if (!folders_.try_emplace(std::string(at), tree).second) break;
    kept_.emplace(entry.path, MergedMember{.path = entry.path,
                                           .kind = kind_of(entry),
                                           .tree = tree,
                                           .stat = entry.stat,
                                           .link_target = entry.link_target});
  }

  void add_clash(const std::string& path, std::size_t kept, std::size_t dropped) {
    jobs::PathClash& clash = clashes_[path];
    clash.path = path;
    clash.kept = trees_[kept].host;
    const std::string& host = trees_[dropped].host;
    // Hosts come one after the other, so a repeated one is the last.
    if (clash.dropped.empty() || clash.dropped.back() != host) clash.dropped.push_back(host);
  }

  void leave_out(std::size_t tree, const std::string& path, const std::string& target,
                 LinkReach reach) {
    plan_.left_out.push_back(trees_[tree].host + ": " + path + ": symlink to " + target +
                             (reach == LinkReach::kEndless ? ", which leads nowhere (a loop)"
                                                           : ", outside the folder"));
  }

  // Links may leave the folder only through other links, of other hosts even.
  void drop_links_that_leave() {
    LinkMap links;
    for (const auto& [path, member] : kept_)
      if (member.kind == MemberKind::kSymlink) links.emplace(path, member.link_target);
    for (const auto& [path, target] : links) {
      const LinkReach reach = follow_link(links, path);
      if (reach == LinkReach::kInside) continue;
      leave_out(kept_.find(path)->second.tree, path, target, reach);
      kept_.erase(path);
    }
  }

  void add_folders() {
    std::map<std::string, MergedMember, std::less<>> folders;
    for (const auto& [path, member] : kept_)
      for (std::string_view at = parent_of(path); !at.empty(); at = parent_of(at))
        if (!folders
                 .try_emplace(std::string(at), MergedMember{.path = std::string(at),
                                                            .kind = MemberKind::kFolder,
                                                            .tree = member.tree,
                                                            .stat = {},
                                                            .link_target = {}})
                 .second)
          break;
    kept_.merge(folders);
  }

  const std::vector<HostTree>& trees_;
  const SameContent& same_;
  std::map<std::string, MergedMember, std::less<>> kept_;
  std::map<std::string, std::size_t, std::less<>> folders_;  // needed by what is kept -> whose
  std::map<std::string, jobs::PathClash, std::less<>> clashes_;
  MergePlan plan_;
};

}  // namespace

Result<MergePlan> merge_trees(const std::vector<HostTree>& trees, const SameContent& same) {
  return Merger(trees, same).run();
}

}  // namespace evener::artifacts
