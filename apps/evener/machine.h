// What commands take from the process and machine they run on: environment, terminal, size.
//
// Used by:  commands; everything below apps gets these as arguments.
// Threads:  call before other threads change the environment (nothing here does).
// Fails:    never; what cannot be told has a safe default.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace evener::app {

// The parts of our environment that the host image has: PATH, HOME, LANG, LC_*, TZ, and the
// variables that a chosen Python needs.
std::map<std::string, std::string> host_environment();

// All of it by name, and as "K=V" for programs of our own.
std::map<std::string, std::string> environment_variables();
std::vector<std::string> current_environment();

// The user's credential folders and the home itself: no job may see them.
std::vector<std::string> masked_paths(const std::filesystem::path& home);

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};
bool is_terminal(int descriptor);
TerminalSize terminal_size(int descriptor);

// As many open files as this process may have: each connection is one. For its children, too.
void raise_open_files_limit();

// True once nobody can read standard output any more.
bool output_is_closed();

}  // namespace evener::app
