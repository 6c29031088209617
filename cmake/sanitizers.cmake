# EVENER_SANITIZE: a list for -fsanitize=, set by the presets asan-ubsan and tsan.
set(EVENER_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize= takes them")
if(EVENER_SANITIZE)
  add_compile_options(-fsanitize=${EVENER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${EVENER_SANITIZE})
  # Sanitizers confuse gcc's flow analysis of library code.
  add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=tsan)
endif()
