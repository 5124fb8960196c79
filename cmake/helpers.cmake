# lockstep_library(NAME SOURCES ... USES ...): a static library of ours with what it may use, as its users see it.
function(lockstep_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC lockstep_flags ${ARG_USES} fmt::fmt xxhash)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE lockstep_flags ${ARG_USES} fmt::fmt xxhash)
  endif()
endfunction()

# lockstep_executable(NAME SOURCES ... USES ...): lands in build/<preset>/bin.
function(lockstep_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE lockstep_flags ${ARG_USES} fmt::fmt xxhash)
endfunction()

# lockstep_test(NAME SOURCES ... USES ...): one GoogleTest executable a module; each TEST is a ctest test "NAME.Suite.Case".
function(lockstep_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;USES" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE lockstep_flags ${ARG_USES} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE LOCKSTEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             LOCKSTEP_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()

# lockstep_benchmark(NAME SOURCES ... USES ...): a Google Benchmark executable; never run by ctest.
function(lockstep_benchmark name)
  if(NOT LOCKSTEP_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE lockstep_flags ${ARG_USES} benchmark::benchmark_main)
endfunction()
