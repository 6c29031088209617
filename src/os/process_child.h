// What a spawned child does between clone and exec.
//
// Used by:  process.cc only.
// Threads:  the child shares the parent's memory while the parent's thread waits: only system
//           calls, no allocation, no locks.
// Fails:    by leaving the step and errno in ChildPlan and ending with code 127.
#pragma once

#include <sys/types.h>

namespace evener::os {

enum class ChildStep { kNone, kSignals, kSession, kParentDeath, kDescriptors, kDirectory, kExec };

struct DescriptorMove {
  int from = -1;
  int to = -1;
};

struct ChildPlan {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* directory = nullptr;
  DescriptorMove* moves = nullptr;   // sorted by `to`, each `to` once; written to by the child
  int move_count = 0;
  int first_free = 0;                // above every `from` and `to`
  bool new_session = false;
  bool die_with_parent = false;
  pid_t parent = 0;
  ChildStep failed_step = ChildStep::kNone;
  int failed_errno = 0;
};

// The start function for clone(2). Returns only the exit code of a failure.
int run_child(void* plan);

}  // namespace evener::os
