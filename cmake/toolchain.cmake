# Language level, compiler cache and linker. Everything here is optional speed
# except the language level.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(EVENER_CCACHE ccache)
if(EVENER_CCACHE)
  # A precompiled header changes the time stamps that ccache hashes.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${EVENER_CCACHE})
endif()
find_program(EVENER_MOLD mold)
if(EVENER_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
