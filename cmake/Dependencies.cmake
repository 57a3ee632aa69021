# The libraries that Warpsight uses: packages of the system, and DuckDB (see FindDuckDB.cmake).
# `./dev setup` installs them. The error for a missing library names its Debian package;
# cmake/packages.sh has the names for other systems.

find_package(Threads REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(DuckDB REQUIRED)

# warpsight_missing(LIBRARY PACKAGE): stops, and says what to install.
function(warpsight_missing library package)
  message(FATAL_ERROR "${library} was not found. On Debian and Ubuntu it is in the package ${package}: "
                      "run `./dev setup`, which installs all that is missing, or "
                      "`apt-get install ${package}`.")
endfunction()

# warpsight_find_package(NAME DEBIAN package): a library that provides CMake files.
macro(warpsight_find_package name)
  cmake_parse_arguments(arg "" "DEBIAN" "" ${ARGN})
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    warpsight_missing(${name} ${arg_DEBIAN})
  endif()
endmacro()

# warpsight_find_library(NAME HEADER header LIBRARY library DEBIAN package): the target
# warpsight_NAME for a library that is found by its files. pkg-config is not used: for a shared
# library, it requires the development files of all libraries on which that library depends (Debian
# 13's xlsxwriter: minizip, zlib).
function(warpsight_find_library name)
  cmake_parse_arguments(arg "" "HEADER;LIBRARY;DEBIAN" "" ${ARGN})
  find_path(${name}_INCLUDE_DIR ${arg_HEADER})
  find_library(${name}_LIBRARY ${arg_LIBRARY})
  if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
    warpsight_missing(${name} ${arg_DEBIAN})
  endif()
  add_library(warpsight_${name} INTERFACE)
  target_include_directories(warpsight_${name} SYSTEM INTERFACE "${${name}_INCLUDE_DIR}")
  target_link_libraries(warpsight_${name} INTERFACE "${${name}_LIBRARY}")
endfunction()

warpsight_find_package(absl DEBIAN libabsl-dev)
warpsight_find_package(CLI11 DEBIAN libcli11-dev)
warpsight_find_package(fmt DEBIAN libfmt-dev)
warpsight_find_package(simdjson DEBIAN libsimdjson-dev)
warpsight_find_package(TBB DEBIAN libtbb-dev)
if(WARPSIGHT_TESTS)
  warpsight_find_package(GTest DEBIAN "libgtest-dev libgmock-dev")
  warpsight_find_package(benchmark DEBIAN libbenchmark-dev)
endif()
warpsight_find_library(isal HEADER isa-l.h LIBRARY isal DEBIAN libisal-dev)
warpsight_find_library(re2 HEADER re2/re2.h LIBRARY re2 DEBIAN libre2-dev)
warpsight_find_library(sqlite HEADER sqlite3.h LIBRARY sqlite3 DEBIAN libsqlite3-dev)
warpsight_find_library(xlsxwriter HEADER xlsxwriter.h LIBRARY xlsxwriter DEBIAN libxlsxwriter-dev)
warpsight_find_library(zstd HEADER zstd.h LIBRARY zstd DEBIAN libzstd-dev)
warpsight_find_library(hpdf HEADER hpdf.h LIBRARY hpdf DEBIAN libhpdf-dev)

find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp)
if(NOT PROTOZERO_INCLUDE_DIR)
  warpsight_missing(protozero libprotozero-dev)
endif()

# The parts of Abseil in use, under one name.
add_library(warpsight_absl INTERFACE)
target_link_libraries(
  warpsight_absl
  INTERFACE absl::btree absl::flat_hash_map absl::flat_hash_set absl::hash)

# The font of PDF files.
find_file(
  WARPSIGHT_FONT DejaVuSans.ttf
  PATHS /usr/share/fonts/truetype/dejavu # Debian, Ubuntu
        /usr/share/fonts/dejavu-sans-fonts # Fedora
        /usr/share/fonts/TTF # Arch
  NO_DEFAULT_PATH)
if(NOT WARPSIGHT_FONT)
  warpsight_missing("The font DejaVu Sans" fonts-dejavu-core)
endif()
