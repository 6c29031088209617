// For tests: a sandbox in a process of its own, as root or as a user without any rights.
//
// Used by:  tests.
// Threads:  one.
// Fails:    in_process() answers what went wrong, or "skip: " and why.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "os/temporary_folder_test.h"
#include "training/sandbox/sandbox.h"

namespace evener::sandbox {

enum class Who { kRoot, kUser };

// Runs `body` in a forked child as that user; its text, "" for success. "skip: ..." when this
// process cannot become that user or the machine refuses.
std::string in_process(Who who, const std::function<std::string()>& body);

// in_process() as a test: skips, or fails with the text.
inline void check(Who who, const std::function<std::string()>& body) {
  const std::string text = in_process(who, body);
  if (text.starts_with("skip: ")) GTEST_SKIP() << text.substr(6);
  EXPECT_EQ(text, "");
}

// One sandbox over a temporary folder, both gone at the end.
class Lab {
 public:
  Lab();

  static SandboxOptions options(int instances);
  // Why this process cannot have such a sandbox: "" or "skip: ...".
  static std::string why_not(const SandboxOptions& options);
  // "" or why there is none. Mounts every instance without further mounts unless told.
  std::string start(SandboxOptions options);
  std::string start_unmounted(SandboxOptions options);

  // Starts `script` with sh on the host.
  std::string begin(const std::string& host, const std::string& script);
  // The next event but notices, within 20 s.
  HostEvent next();
  // begin(), then next(); the program's output is output(host).
  HostEvent run(const std::string& host, const std::string& script);
  std::string output(const std::string& host) const;
  // Waits for a notice with `words`, for 20 s.
  bool await_notice(const std::string& words);
  // Waits up to 10 s until the program has written `text`.
  bool await_output(const std::string& host, const std::string& text) const;

  const std::filesystem::path& folder() const { return folder_; }
  Sandbox& sandbox() { return *sandbox_; }
  void end() { sandbox_.reset(); }

 private:
  os::TemporaryFolder temporary_;
  const std::filesystem::path folder_;
  std::unique_ptr<Sandbox> sandbox_;   // gone before its folder
};

// check() with a lab.
inline void check(Who who, const std::function<std::string(Lab&)>& body) {
  check(who, [&]() -> std::string {
    Lab lab;
    return body(lab);
  });
}

// "" if they are equal, else both.
std::string differ(const std::string& what, const std::string& got, const std::string& wanted);

}  // namespace evener::sandbox
