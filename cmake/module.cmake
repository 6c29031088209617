# Tests check the optimised libraries; optimising the tests themselves would only take time.
function(evener_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O0;-g1>)
endfunction()

# One source file with gtest and the standard headers that tests use, compiled
# once and shared by all test targets as a precompiled header.
function(evener_test_header)
  if(TARGET evener_test_pch)
    return()
  endif()
  if(NOT EXISTS ${CMAKE_BINARY_DIR}/test_pch.cc)
    file(WRITE ${CMAKE_BINARY_DIR}/test_pch.cc "")
  endif()
  add_library(evener_test_pch STATIC ${CMAKE_BINARY_DIR}/test_pch.cc)
  target_link_libraries(evener_test_pch PRIVATE evener_warnings)
  target_link_libraries(evener_test_pch PUBLIC GTest::gtest GTest::gmock Threads::Threads tl::expected)
  # A precompiled header serves only targets of the same kind of code: tests are built the
  # compiler's own way, and so is the header.
  set_target_properties(evener_test_pch PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  evener_compile_quickly(evener_test_pch)
  target_precompile_headers(evener_test_pch PRIVATE
    <gtest/gtest.h> <chrono> <filesystem> <functional> <map> <memory> <optional>
    <string> <string_view> <thread> <variant> <vector> <tl/expected.hpp>)
endfunction()

# evener_add_test(NAME SOURCES... [DEPENDS targets] [LABELS labels])
# A gtest program registered with ctest as one test.
function(evener_add_test name)
  cmake_parse_arguments(T "" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  evener_test_header()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  math(EXPR T_TIMEOUT "${T_TIMEOUT} * ${EVENER_SLOWNESS}")
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE evener_warnings ${T_DEPENDS} GTest::gtest_main GTest::gmock Threads::Threads)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  evener_compile_quickly(${name})
  target_precompile_headers(${name} REUSE_FROM evener_test_pch)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
  evener_report_findings(${name})
  evener_require_no_findings(${name})
endfunction()

# add_module(NAME [DEPENDS modules] [LIBS external libraries])
# A static library of all .cc files in the current folder but *_test.cc, and, if
# there are any, one gtest program of the *_test.cc files.
function(add_module name)
  cmake_parse_arguments(M "" "" "DEPENDS;LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(${name} PUBLIC ${M_DEPENDS} tl::expected Threads::Threads PRIVATE evener_warnings ${M_LIBS})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(${name} INTERFACE ${M_DEPENDS} tl::expected)
  endif()
  if(tests)
    evener_add_test(${name}_test SOURCES ${tests} DEPENDS ${name} ${M_LIBS} LABELS unit)
  endif()
endfunction()
