// The command line: sub-commands, flags, help, shell completion.
//
// Used by:  main.
// Threads:  the main thread, once.
// Fails:    answers 2 after printing what is wrong with the flags.
#pragma once

#include <string>
#include <vector>

namespace evener::app {

int run_command_line(int argc, char** argv);

// What a shell needs to complete: a command's words, its sub-commands and its flags.
struct CompletionEntry {
  std::string path;                       // "evener jobs logs"
  std::vector<std::string> words;         // sub-commands and flags
};
// A script for "bash", "zsh" or "fish"; "" for another shell.
std::string completion_script(const std::string& shell,
                              const std::vector<CompletionEntry>& entries);

}  // namespace evener::app
