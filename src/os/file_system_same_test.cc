// The file system in memory behaves as the real one: the same random calls give the same answers.
#include <gtest/gtest.h>

#include "base/ids.h"
#include "os/file_systems_test.h"

namespace evener::os {
namespace {

// A path of few names, so that calls meet what earlier calls made.
fs::path random_path(SeededRandom& random, const fs::path& root) {
  constexpr std::string_view kNames[] = {"a", "b", "c", ".."};
  fs::path path = root;
  // One folder stands between the root and all else, so that `..` stays inside.
  path /= "in/in/in/in";
  const std::uint64_t parts = random.below(4);
  for (std::uint64_t i = 0; i < parts; ++i) {
    const std::uint64_t last_name = i + 1 == parts ? 3 : 4;  // `..` is not a last name
    path /= kNames[random.below(last_name)];
  }
  return path;
}

std::string outcome(const auto& result) {
  return result ? "ok" : std::string(to_string(result.error().code));
}

std::string listing(FileSystem& files, const fs::path& path) {
  const auto entries = files.list(path);
  if (!entries) return outcome(entries);
  std::string text;
  for (const DirectoryEntry& entry : *entries)
    text += entry.name + ":" + std::to_string(static_cast<int>(entry.kind)) + " ";
  return text;
}

std::string append(FileSystem& files, const fs::path& path, std::string_view text) {
  auto file = files.open_append(path);
  if (!file) return outcome(file);
  return outcome((*file)->append(std::as_bytes(std::span(text.data(), text.size()))));
}

// What one call answers; the choice of the call and its arguments come from `random` alone.
std::string one_call(FileSystem& files, const fs::path& root, SeededRandom& random) {
  const fs::path path = random_path(random, root);
  const fs::path other = random_path(random, root);
  const std::string text = random_suffix(random, random.below(9));
  constexpr std::string_view kTargets[] = {"a", "../b", "c/a", "."};
  const std::string target(kTargets[random.below(std::size(kTargets))]);
  switch (random.below(11)) {
    case 0: return "write " + outcome(write_text(files, path, text));
    case 1: return "read " + read_text(files, path).value_or("none");
    case 2: return "append " + append(files, path, text);
    // Which of several obstacles it names is not compared.
    case 3: return files.make_directories(path) ? "mkdir ok" : "mkdir failed";
    case 4: return "rename " + outcome(files.rename(path, other));
    case 5: return "unlink " + outcome(files.remove_file(path));
    case 6: return "list " + listing(files, path);
    case 7: return "copy " + outcome(files.copy_file(path, other));
    case 8: return "symlink " + outcome(files.make_symlink(target, path));
    case 9: return "stat " + outcome(files.stat_followed(path));
    default: return "tree " + (random.below(4) == 0 ? outcome(files.remove_tree(path)) : "");
  }
}

TEST(FileSystemsAgree, MemoryAnswersAsTheRealOneDoes) {
  constexpr std::uint64_t kSeeds = 15;
  constexpr int kCalls = 200;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    FileSystemUnderTest real(FileSystemKind::kReal);
    FileSystemUnderTest memory(FileSystemKind::kMemory);
    for (FileSystemUnderTest* each : {&real, &memory})
      ASSERT_TRUE(each->files().make_directories(each->root() / "in/in/in/in"));
    SeededRandom random_real(seed);
    SeededRandom random_memory(seed);
    for (int call = 0; call < kCalls; ++call) {
      ASSERT_EQ(one_call(real.files(), real.root(), random_real),
                one_call(memory.files(), memory.root(), random_memory))
          << "seed " << seed << ", call " << call;
    }
  }
}

}  // namespace
}  // namespace evener::os
