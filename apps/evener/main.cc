#include <csignal>

#include "evener/flags.h"

int main(int argc, char** argv) {
  // A limit on the size of files is an error of a write, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  return evener::app::run_command_line(argc, argv);
}
