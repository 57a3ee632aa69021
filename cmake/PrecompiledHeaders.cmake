# The headers of libraries that most files include, compiled once: reading them takes half of the
# compile time of a typical file. There are two sets, one for the program and one for tests. They
# hide missing includes, which is why cmake/check_includes.py looks for these in the text.

option(WARPSIGHT_PCH "Compile the common headers once" ON)

set(warpsight_common_headers
    <algorithm> <array> <charconv> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>
    <absl/container/flat_hash_map.h>)

# warpsight_header_set(NAME LINK libraries HEADERS headers): a target whose precompiled headers others use.
function(warpsight_header_set name)
  cmake_parse_arguments(arg "" "" "LINK;HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.cc" CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/${name}.cc")
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# warpsight_use_headers(TARGET SET): TARGET must be compiled with the same options as SET.
function(warpsight_use_headers target set)
  if(WARPSIGHT_PCH)
    target_precompile_headers(${target} REUSE_FROM ${set})
  endif()
endfunction()

if(WARPSIGHT_PCH)
  warpsight_header_set(program_headers LINK fmt::fmt warpsight_absl HEADERS ${warpsight_common_headers})
  if(WARPSIGHT_TESTS)
    warpsight_header_set(
      test_headers
      LINK fmt::fmt warpsight_absl GTest::gmock
      HEADERS ${warpsight_common_headers} <gtest/gtest.h> <gmock/gmock.h>)
  endif()
endif()
