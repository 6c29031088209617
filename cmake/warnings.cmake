# Every target of this project gets these; warnings are errors.
add_library(evener_warnings INTERFACE)
target_compile_options(evener_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wduplicated-cond -Wduplicated-branches
  -Wlogical-op -Wuseless-cast -Wsuggest-override -Werror)
# g++ 12 sees overlaps and overruns inside std::string at -O2 that are not there (its bugs 105329
# and 105651); without optimisation it does not look.
target_compile_options(evener_warnings INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
