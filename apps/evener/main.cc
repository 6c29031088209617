#include "evener/flags.h"

int main(int argc, char** argv) { return evener::app::run_command_line(argc, argv); }
