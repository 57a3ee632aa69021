# Targets from folders: sources are found by their names, so that adding a file changes no list.
#   x.cc        goes into the folder's library
#   x_test.cc   into <folder>_test, run by ctest
#   x_bench.cc  into <folder>_bench

add_library(warpsight_common INTERFACE)
target_include_directories(warpsight_common INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(warpsight_common INTERFACE WARPSIGHT_VERSION="${PROJECT_VERSION}")
if(WARPSIGHT_SANITIZE AND absl_VERSION VERSION_GREATER 20230000)
  target_sources(
    warpsight_common
    INTERFACE
      "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${PROJECT_SOURCE_DIR}/cmake/sanitizer_options.cc>")
endif()

# Adds the given folders that have a CMakeLists.txt, and src's folders one by one.
function(warpsight_add_folders)
  foreach(top IN LISTS ARGN)
    file(GLOB inner CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${top}/*/CMakeLists.txt")
    foreach(description IN ITEMS "${PROJECT_SOURCE_DIR}/${top}/CMakeLists.txt" LISTS inner)
      if(EXISTS "${description}")
        cmake_path(GET description PARENT_PATH folder)
        add_subdirectory("${folder}")
      endif()
    endforeach()
  endforeach()
endfunction()

# Sorts the sources below `folder` into library, tests and benchmarks.
function(warpsight_sources folder library_var tests_var benches_var)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cc")
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cc$")
  set(${library_var} ${sources} PARENT_SCOPE)
  set(${tests_var} ${tests} PARENT_SCOPE)
  set(${benches_var} ${benches} PARENT_SCOPE)
endfunction()

# Tests that take long are started first: one that is started last has one processor, the others none.
set(WARPSIGHT_LONG_TEST 100)

# warpsight_test(NAME SOURCES ... LINK ... [SHARDS n]): a GoogleTest program. Shards are parts of it
# that ctest runs concurrently. Each writes its cases to <build>/test_results/<ctest name>.xml.
function(warpsight_test name)
  cmake_parse_arguments(arg "" "SHARDS" "SOURCES;LINK" ${ARGN})
  if(NOT arg_SOURCES OR NOT WARPSIGHT_TESTS)
    return()
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE warpsight_common ${arg_LINK} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE WARPSIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             WARPSIGHT_BUILD_DIR="${PROJECT_BINARY_DIR}")
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(test ${name})
    if(arg_SHARDS GREATER 1)
      math(EXPR number "${shard} + 1")
      set(test ${name}_${number}_of_${arg_SHARDS})
    endif()
    add_test(NAME ${test} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
    if(arg_SHARDS GREATER 1)
      set_tests_properties(${test} PROPERTIES COST ${WARPSIGHT_LONG_TEST})
    endif()
    set_tests_properties(
      ${test}
      PROPERTIES
        TIMEOUT 900
        ENVIRONMENT
        "GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/test_results/${test}.xml;GTEST_BRIEF=1;GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}"
    )
  endforeach()
endfunction()

# warpsight_bench(NAME SOURCES ... LINK ...): a Google Benchmark program, except in sanitizer builds.
function(warpsight_bench name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  if(NOT arg_SOURCES OR NOT WARPSIGHT_TESTS OR WARPSIGHT_SANITIZE)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE warpsight_common ${arg_LINK} benchmark::benchmark_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE WARPSIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             WARPSIGHT_BUILD_DIR="${PROJECT_BINARY_DIR}")
endfunction()

# warpsight_folder(NAME [PLAIN] [EXCLUDE regex] [SHARDS n] [SOURCES ...] [LINK ...]): the current folder as
# the static library NAME with its tests, in SHARDS parts, and benchmarks. SOURCES adds generated files. LINK
# lists what the folder's code may use: the folders in the table of docs/architecture.md, and other libraries.
# PLAIN: it has special compile options, so it does not share precompiled headers.
function(warpsight_folder name)
  cmake_parse_arguments(arg "PLAIN" "EXCLUDE;SHARDS" "SOURCES;LINK" ${ARGN})
  warpsight_sources("${CMAKE_CURRENT_SOURCE_DIR}" sources tests benches)
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  if(NOT sources AND NOT arg_SOURCES)
    # A folder that has only headers also becomes a library that can be linked.
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/headers_only.cc" CONTENT "")
    set(sources "${CMAKE_CURRENT_BINARY_DIR}/headers_only.cc")
  endif()
  add_library(${name} STATIC ${sources} ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC warpsight_common ${arg_LINK})
  if(NOT arg_PLAIN)
    warpsight_use_headers(${name} program_headers)
  endif()
  warpsight_test(${name}_test SOURCES ${tests} LINK ${name} SHARDS ${arg_SHARDS})
  if(TARGET ${name}_test AND NOT arg_PLAIN)
    warpsight_use_headers(${name}_test test_headers)
  endif()
  warpsight_bench(${name}_bench SOURCES ${benches} LINK ${name})
endfunction()

# The folders of formats beside the calling file: all folders with code except api.
function(warpsight_formats variable)
  file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true
       RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*")
  set(formats "")
  foreach(entry IN LISTS entries)
    file(GLOB code CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${entry}/*.cc")
    list(FILTER code EXCLUDE REGEX "_(test|bench)\\.cc$")
    if(code AND NOT entry STREQUAL "api")
      list(APPEND formats "${entry}")
    endif()
  endforeach()
  set(${variable} "${formats}" PARENT_SCOPE)
endfunction()
