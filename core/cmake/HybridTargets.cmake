# Targets of the parts: for each part an object library, a test program and a benchmark program.
#
#   hybrid_part(NAME [FOLDERS dir...] [DEPENDS part...] [LIBRARIES target...] [TEST_LIBRARIES target...]
#              [TEST_SOURCES file...] [COLD regex|ALL] [SERIAL_TESTS filter] [THREADED_TESTS regex]
#              [LONG_TESTS regex] [RANDOM_TESTS regex])
#     collects *.cpp of this directory (or of FOLDERS below it) into the object library hybrid_NAME,
#     *_test.cpp and TEST_SOURCES into the test program hybrid_NAME_test, *_bench.cpp into hybrid_NAME_bench.
#     Sources that match COLD (options, reports) run once: they are the object library hybrid_NAME_cold, compiled in
#     half the time with -Og, or with -O0 and sanitizers.
#     Object libraries, so that self-registering files are always linked in. Tests that match SERIAL_TESTS use
#     what the whole machine shares and run alone. A thread-sanitizer build has only the test files that match
#     THREADED_TESTS: the other tests are single-threaded. LONG_TESTS take too long with sanitizers: a build with
#     sanitizers leaves them out; one with HYBRID_TESTS=PROGRAMS has only these and RANDOM_TESTS, which run fewer random
#     cases with sanitizers.
#   hybrid_link(TARGET part...)   links parts, and the parts they depend on, into TARGET.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Checks of the undefined-behaviour sanitizer that are left out, in this folder and those below: those that take a
# third of the compile time and find what the address sanitizer finds, too. Folders whose code never reads bytes as a
# value of another type add `alignment`.
set(HYBRID_UNCHECKED null,object-size,vptr)

function(hybrid_flags target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic $<$<BOOL:${HYBRID_WERROR}>:-Werror>>)
  # False positives of g++ 12 in std::string: "literal" + string (GCC bug 105651); the others with precompiled headers.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
  if(HYBRID_PRECOMPILE)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds>)
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fvisibility=hidden>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  if(HYBRID_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${HYBRID_SANITIZE} -fno-sanitize=${HYBRID_UNCHECKED}
      -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${HYBRID_SANITIZE})
  endif()
endfunction()

# The headers that most sources include. hybrid_headers(TARGET header...) compiles them and header... once: other targets
# with the same flags reuse them (hybrid_precompile). Without HYBRID_PRECOMPILE there is no such target.
set(HYBRID_COMMON_HEADERS <algorithm> <array> <cstdint> <deque> <filesystem> <fstream> <functional> <map> <memory>
  <numeric> <optional> <set> <span> <string> <string_view> <unordered_map> <vector> <fmt/format.h>)
function(hybrid_headers target)
  if(HYBRID_PRECOMPILE)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${target}.cpp CONTENT "")
    add_library(${target} OBJECT ${PROJECT_BINARY_DIR}/${target}.cpp)
    hybrid_flags(${target})
    target_link_libraries(${target} PRIVATE Threads::Threads fmt::fmt)
    target_precompile_headers(${target} PRIVATE ${HYBRID_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

function(hybrid_precompile target headers)
  if(TARGET ${headers})
    target_precompile_headers(${target} REUSE_FROM ${headers})
    # g++ refuses precompiled headers of -fPIC in sources of -fPIE, which CMake gives to programs.
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fPIC>)
    endif()
  endif()
endfunction()

# Test sources take long to compile and little time to run: they are compiled with little optimisation; with none with
# sanitizers, and where they only run programs (RUNS_PROGRAMS).
function(hybrid_test_flags target)
  hybrid_flags(${target})
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gmock fmt::fmt)
  if(HYBRID_SANITIZE OR "RUNS_PROGRAMS" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
  endif()
endfunction()

# hybrid_test_program(TARGET [RUNS_PROGRAMS])  the flags, GoogleTest with its main(), and the headers precompiled for
# tests.
function(hybrid_test_program target)
  hybrid_test_flags(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE GTest::gtest_main)
  if("RUNS_PROGRAMS" IN_LIST ARGN AND NOT HYBRID_SANITIZE)
    hybrid_precompile(${target} hybrid_program_test_headers)
  else()
    hybrid_precompile(${target} hybrid_test_headers)
  endif()
endfunction()

# hybrid_headers_of_tests(TARGET [RUNS_PROGRAMS])  hybrid_headers() for hybrid_test_program().
function(hybrid_headers_of_tests target)
  hybrid_headers(${target} <gmock/gmock.h> <gtest/gtest.h>)
  if(TARGET ${target})
    hybrid_test_flags(${target} ${ARGN})
  endif()
endfunction()

# hybrid_cold(TARGET)  precompiled headers and little optimisation in Release builds, none with sanitizers.
function(hybrid_cold target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Og>)
  if(HYBRID_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
    # Precompiled headers need the optimisation with which they were made: those of the tests have none.
    hybrid_precompile(${target} hybrid_test_headers)
  else()
    hybrid_precompile(${target} hybrid_common_headers)
  endif()
endfunction()

# With HYBRID_UNITY one run of the compiler reads several sources of the target: a full build is much faster, the build
# after a change slower. Names in unnamed namespaces must then be unique within a target.
function(hybrid_unity target)
  if(HYBRID_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    # g++ takes a source that another one includes for a header, whose classes must not use unnamed namespaces.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
    # Less garbage collection: 8 % less time for a third more memory, 1.2 GB at most.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param=ggc-min-expand=300 --param=ggc-min-heapsize=1000000>)
  endif()
endfunction()

# hybrid_objects(TARGET sources... [COLD] [DEPENDS part...] [LIBRARIES target...])  the object library of a part.
function(hybrid_objects target)
  cmake_parse_arguments(arg "COLD" "" "DEPENDS;LIBRARIES" ${ARGN})
  add_library(${target} OBJECT ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${target} PROPERTIES HYBRID_DEPENDS "${arg_DEPENDS}")
  hybrid_flags(${target})
  hybrid_unity(${target})
  target_link_libraries(${target} PUBLIC Threads::Threads fmt::fmt ${arg_LIBRARIES})
  if(arg_COLD)
    hybrid_cold(${target})
  else()
    hybrid_precompile(${target} hybrid_common_headers)
  endif()
endfunction()

function(hybrid_link target)
  set(pending ${ARGN})
  set(done)
  while(pending)
    list(POP_FRONT pending part)
    if(part IN_LIST done)
      continue()
    endif()
    list(APPEND done ${part})
    target_link_libraries(${target} PRIVATE hybrid_${part})
    get_target_property(depends hybrid_${part} HYBRID_DEPENDS)
    if(depends)
      list(APPEND pending ${depends})
    endif()
  endwhile()
endfunction()

# hybrid_discover_tests(PREFIX TARGET SHARDS [APART filter] [SERIAL filter])  registers the tests of a GoogleTest program
# one by one, and again, with the label `shard`, in SHARDS processes: the start of a process with sanitizers takes longer
# than most tests. Left out of the shards: tests named Nightly..., which take minutes. SERIAL: tests that run alone.
function(hybrid_discover_tests prefix target shards)
  cmake_parse_arguments(arg "" "SERIAL" "" ${ARGN})
  set(apart "*.Nightly*")
  if(arg_SERIAL)
    string(APPEND apart ":${arg_SERIAL}")
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${prefix}. TEST_FILTER "${arg_SERIAL}"
      TEST_LIST ${target}_serial_tests PROPERTIES RUN_SERIAL ON)
    add_test(NAME ${prefix}.serial COMMAND ${target} "--gtest_filter=${arg_SERIAL}")
    set_tests_properties(${prefix}.serial PROPERTIES LABELS shard RUN_SERIAL ON TIMEOUT 300)
  endif()
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${prefix}. TEST_FILTER "-${apart}")
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${prefix}. TEST_FILTER "*.Nightly*"
    TEST_LIST ${target}_nightly_tests PROPERTIES LABELS nightly)
  math(EXPR last "${shards} - 1")
  foreach(index RANGE ${last})
    add_test(NAME ${prefix}.shard_${index} COMMAND ${target} --gtest_brief=1 "--gtest_filter=-${apart}")
    set_tests_properties(${prefix}.shard_${index} PROPERTIES LABELS shard
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# hybrid_choose_tests(VARIABLE REGEX)  leaves in the list VARIABLE the tests that match; none if REGEX is empty.
function(hybrid_choose_tests variable regex)
  set(chosen ${${variable}})
  list(FILTER chosen INCLUDE REGEX "(^|/)(${regex})_test\\.cpp$")
  set(${variable} ${chosen} PARENT_SCOPE)
endfunction()

function(hybrid_part name)
  cmake_parse_arguments(arg "" "COLD;SHARDS;SERIAL_TESTS;THREADED_TESTS;LONG_TESTS;RANDOM_TESTS" "FOLDERS;DEPENDS;LIBRARIES;TEST_LIBRARIES;TEST_SOURCES" ${ARGN})
  if(NOT arg_FOLDERS)
    set(arg_FOLDERS .)
  endif()
  set(sources)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")
  if(HYBRID_SANITIZE STREQUAL thread)
    hybrid_choose_tests(tests "${arg_THREADED_TESTS}")
  elseif(HYBRID_TESTS STREQUAL PROGRAMS)
    set(chosen ${arg_LONG_TESTS} ${arg_RANDOM_TESTS})
    list(JOIN chosen "|" chosen)
    hybrid_choose_tests(tests "${chosen}")
  elseif(HYBRID_SANITIZE AND arg_LONG_TESTS)
    list(FILTER tests EXCLUDE REGEX "(^|/)(${arg_LONG_TESTS})_test\\.cpp$")
  endif()
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")

  if(arg_COLD STREQUAL ALL)
    set(all_cold COLD)
  elseif(arg_COLD)
    set(cold ${sources})
    list(FILTER cold INCLUDE REGEX "${arg_COLD}")
    list(FILTER sources EXCLUDE REGEX "${arg_COLD}")
    hybrid_objects(hybrid_${name}_cold ${cold} COLD LIBRARIES ${arg_LIBRARIES})
    list(APPEND arg_DEPENDS ${name}_cold)
  endif()
  hybrid_objects(hybrid_${name} ${sources} ${all_cold} DEPENDS ${arg_DEPENDS} LIBRARIES ${arg_LIBRARIES})

  if(HYBRID_TESTS AND tests)
    add_executable(hybrid_${name}_test ${tests} ${arg_TEST_SOURCES})
    hybrid_link(hybrid_${name}_test ${name})
    target_link_libraries(hybrid_${name}_test PRIVATE ${arg_TEST_LIBRARIES})
    hybrid_test_program(hybrid_${name}_test)
    hybrid_unity(hybrid_${name}_test)
    if(NOT arg_SHARDS)
      list(LENGTH tests arg_SHARDS)
      math(EXPR arg_SHARDS "${arg_SHARDS} / 8 + 1")
    endif()
    hybrid_discover_tests(${name} hybrid_${name}_test ${arg_SHARDS} SERIAL "${arg_SERIAL_TESTS}")
  endif()
  if(HYBRID_BENCHMARKS AND benches)
    add_executable(hybrid_${name}_bench ${benches})
    hybrid_flags(hybrid_${name}_bench)
    hybrid_link(hybrid_${name}_bench ${name})
    hybrid_precompile(hybrid_${name}_bench hybrid_common_headers)
    target_link_libraries(hybrid_${name}_bench PRIVATE benchmark::benchmark_main)
  endif()
endfunction()
