# Every target of this project gets these; warnings are errors.
add_library(evener_warnings INTERFACE)
target_compile_options(evener_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wduplicated-cond -Wduplicated-branches
  -Wlogical-op -Wuseless-cast -Wsuggest-override -Werror)
