# Language level, warnings, optimization, sanitizers, compiler cache and linker for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Paths inside the build folder become relative to the program, so a copied build folder still runs.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# Line tables are enough for stack traces and profilers, and link much faster than full debug data.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O3 -g1 -DNDEBUG")

add_compile_options(-Wall -Wextra)
if(WARPSIGHT_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12's -Wrestrict is wrong about std::string concatenation (GCC bug 105651). The others depend
  # on what the optimizer inlined, and are too often wrong inside libstdc++ to stop a build.
  add_compile_options(-Wno-restrict)
  foreach(warning array-bounds free-nonheap-object maybe-uninitialized stringop-overflow
                  stringop-overread)
    add_compile_options(-Wno-${warning})
  endforeach()
endif()

set(WARPSIGHT_FUZZERS OFF)
if(WARPSIGHT_SANITIZE)
  set(sanitizers address,undefined)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Most of the time of compiling is instrumentation's, so that -O2 takes no longer than -O1.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
    # The same objects serve the tests and the fuzzers.
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
    check_cxx_source_compiles(
      "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, decltype(sizeof(0))) { return 0; }"
      WARPSIGHT_HAS_LIBFUZZER)
    unset(CMAKE_REQUIRED_FLAGS)
    set(WARPSIGHT_FUZZERS ${WARPSIGHT_HAS_LIBFUZZER})
    if(WARPSIGHT_FUZZERS)
      set(sanitizers fuzzer-no-link,${sanitizers})
    endif()
  endif()
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(WARPSIGHT_FUZZERS)
    # Calls that show the fuzzer both sides of every comparison take a third of the time of tests. Only
    # code that looks for values in bytes has them: see warpsight_trace_comparisons.
    add_compile_options(-fno-sanitize-coverage=trace-cmp)
  endif()
  add_link_options(-fsanitize=${sanitizers})
  # Abseil changes the layout of its hash tables under sanitizers, but the packaged library was built
  # without them; NDEBUG_SANITIZER keeps the packaged layout.
  add_compile_definitions(_GLIBCXX_ASSERTIONS NDEBUG_SANITIZER)
  # For code that must leave memory to the sanitizers: only GCC has its own macro for this.
  add_compile_definitions(WARPSIGHT_SANITIZED)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumentation confuses the flow analysis behind it (see -fsanitize in GCC's manual).
    add_compile_options(-Wno-maybe-uninitialized)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
      # With these, addresses in the tables of newer Abseil versions are not constant expressions
      # (GCC bug 71962). Using a null pointer still stops the program.
      add_compile_options(-fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute)
    endif()
  endif()
endif()

# warpsight_trace_comparisons(SOURCES...): the fuzzer learns from the comparisons in these files which
# bytes to try: magic numbers, tags, lengths. Comparisons of texts it sees everywhere, in memcmp().
function(warpsight_trace_comparisons)
  if(WARPSIGHT_FUZZERS)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fsanitize-coverage=trace-cmp)
  endif()
endfunction()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # A compiler cache can store precompiled headers only if they do not contain the time stamps of
  # files.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths are relative, so that all clones share one cache; the other settings let ccache work with
  # precompiled headers (see "Precompiled headers" in ccache's manual).
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE}")
endif()

include(CheckLinkerFlag)
foreach(linker mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} WARPSIGHT_HAS_${linker})
  if(WARPSIGHT_HAS_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()
