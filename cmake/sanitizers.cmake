# EVENER_SANITIZE: a list for -fsanitize=, set by the presets asan-ubsan and tsan.
set(EVENER_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize= takes them")
set(EVENER_REPORTS ${CMAKE_BINARY_DIR}/sanitizer_reports)
set(EVENER_SLOWNESS 1)   # timeouts of tests count so many times
if(EVENER_SANITIZE)
  set(EVENER_SLOWNESS 10)
  add_compile_options(-fsanitize=${EVENER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${EVENER_SANITIZE})
  # Looks at memory through a pipe, and reports every type where there are no descriptors left.
  add_compile_options(-fno-sanitize=vptr)
  # The checks of the standard library, such as an index beyond a vector's end.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  # Sanitizers confuse gcc's flow analysis of library code.
  add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=tsan)

  # Every process writes what its sanitizer finds into this folder, whoever runs it.
  file(MAKE_DIRECTORY ${EVENER_REPORTS})
  execute_process(COMMAND chmod 1777 ${EVENER_REPORTS})
  add_library(evener_sanitizer_reports OBJECT ${CMAKE_SOURCE_DIR}/cmake/sanitizer_reports.cc)
  target_compile_definitions(evener_sanitizer_reports PRIVATE EVENER_REPORTS="${EVENER_REPORTS}")
endif()

# evener_report_findings(TARGET) - of a program: what its sanitizer finds goes into EVENER_REPORTS.
function(evener_report_findings target)
  if(EVENER_SANITIZE)
    target_link_libraries(${target} PRIVATE evener_sanitizer_reports)
  endif()
endfunction()

# evener_require_no_findings(TEST) - a test of processes whose exit codes nobody may see: ctest
# empties the folder before the first such test, and looks into it after the last. TEST asks for
# tests of one folder only, so a property of the build says that the two are there.
function(evener_require_no_findings test)
  if(NOT EVENER_SANITIZE)
    return()
  endif()
  get_property(there GLOBAL PROPERTY EVENER_FINDINGS_TEST)
  if(NOT there)
    set_property(GLOBAL PROPERTY EVENER_FINDINGS_TEST ON)
    add_test(NAME sanitizers.forget
      COMMAND ${CMAKE_SOURCE_DIR}/tools/sanitizer_reports.sh forget ${EVENER_REPORTS})
    set_tests_properties(sanitizers.forget PROPERTIES FIXTURES_SETUP sanitizer_findings)
    add_test(NAME sanitizers.findings
      COMMAND ${CMAKE_SOURCE_DIR}/tools/sanitizer_reports.sh show ${EVENER_REPORTS})
    set_tests_properties(sanitizers.findings PROPERTIES FIXTURES_CLEANUP sanitizer_findings)
  endif()
  set_tests_properties(${test} PROPERTIES FIXTURES_REQUIRED sanitizer_findings)
endfunction()
