# What only reads, writes and reports, and the tests, are built quickly rather than to run fast: lightly optimized, with the
# heavy headers parsed once. Graph and planner are lightly optimized too: they run once a launch. The build type's
# optimization stays for what runs in every step, the profiler, the statistics and the data.
# Sources still include all that they use; a build without precompiled headers stays possible.
#
add_library(lockstep_quick_flags INTERFACE)
target_compile_options(lockstep_quick_flags INTERFACE -O1)
# lockstep_precompiled(NAME HEADERS ... USES ...): a set of precompiled headers, with the flags of its users.
function(lockstep_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;USES" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE lockstep_flags lockstep_quick_flags fmt::fmt ${ARG_USES})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()
set(lockstep_standard_headers <algorithm> <filesystem> <fstream> <functional> <map> <optional> <set> <span> <string> <vector>)
lockstep_precompiled(lockstep_json_headers HEADERS ${lockstep_standard_headers} <fmt/format.h> <nlohmann/json.hpp>
                     USES nlohmann_json::nlohmann_json)
if(LOCKSTEP_TESTS)
  lockstep_precompiled(lockstep_test_headers HEADERS ${lockstep_standard_headers} <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>
                       USES GTest::gmock)
  set_target_properties(lockstep_test_headers PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

# lockstep_quick_build(HEADERS TARGET...): builds the targets so, with a set of precompiled headers.
function(lockstep_quick_build headers)
  foreach(target ${ARGN})
    target_link_libraries(${target} PRIVATE lockstep_quick_flags)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endforeach()
endfunction()

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

# lockstep_test(NAME SOURCES ... USES ... [OWN_MAIN] [HEADERS precompiled]): one GoogleTest executable a module; each TEST is a ctest test "NAME.Suite.Case".
function(lockstep_test name)
  cmake_parse_arguments(ARG "OWN_MAIN" "TIMEOUT;HEADERS" "SOURCES;USES" ${ARGN})
  set(ARG_MAIN GTest::gmock $<IF:$<BOOL:${ARG_OWN_MAIN}>,GTest::gtest,GTest::gtest_main>)
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS lockstep_test_headers)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE lockstep_flags ${ARG_USES} ${ARG_MAIN})
  target_compile_definitions(${name} PRIVATE LOCKSTEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             LOCKSTEP_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  lockstep_quick_build(${ARG_HEADERS} ${name})
  add_dependencies(tests ${name})
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       NO_PRETTY_TYPES NO_PRETTY_VALUES  # a value prints as bytes and addresses, which differ by run
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
  add_dependencies(benchmarks ${name})
endfunction()
