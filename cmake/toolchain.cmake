# Language level, compiler cache and linker. Everything here is optional speed
# except the language level.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(EVENER_CCACHE ccache)
if(EVENER_CCACHE)
  # A precompiled header changes the time stamps that ccache hashes. Another checkout, or another
  # build folder of this one, compiles the same code: paths count from the root of the source.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${EVENER_CCACHE})
endif()
find_program(EVENER_MOLD mold)
if(EVENER_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
