# Finds DuckDB's C API as the target DuckDB::DuckDB: the system's DuckDB if it is new enough,
# otherwise the shared library and header that `npm ci` puts into third_party/duckdb/node_modules.
# The npm library is copied to <build>/lib, so that the program finds it by a relative path.

set(DuckDB_MINIMUM 1.4)
set(npm_folder "${PROJECT_SOURCE_DIR}/third_party/duckdb/node_modules")

find_path(system_header duckdb.h NO_CACHE)
find_library(system_library duckdb NO_CACHE)
if(system_header AND system_library)
  try_run(
    duckdb_ran duckdb_compiled
    SOURCE_FROM_CONTENT
      duckdb_version.cc
      "#include <cstdio>\n#include <duckdb.h>\nint main() { std::puts(duckdb_library_version()); }"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${system_header}"
    LINK_LIBRARIES "${system_library}"
    RUN_OUTPUT_VARIABLE duckdb_version)
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" duckdb_version "${duckdb_version}")
  if(duckdb_compiled AND duckdb_version VERSION_GREATER_EQUAL DuckDB_MINIMUM)
    set(DuckDB_VERSION "${duckdb_version}")
    set(DuckDB_INCLUDE_DIR "${system_header}")
    set(DuckDB_LIBRARY "${system_library}")
  else()
    message(STATUS "Not using the system's DuckDB '${duckdb_version}': ${DuckDB_MINIMUM} or later is needed")
  endif()
endif()

if(NOT DuckDB_LIBRARY)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(library_folder "${npm_folder}/@duckdb/node-bindings-linux-arm64")
  else()
    set(library_folder "${npm_folder}/@duckdb/node-bindings-linux-x64")
  endif()
  set(header_folder "${npm_folder}/duckdb/src/duckdb/src/include")
  if(EXISTS "${library_folder}/libduckdb.so" AND EXISTS "${header_folder}/duckdb.h")
    file(READ "${library_folder}/package.json" library_package)
    file(READ "${npm_folder}/duckdb/package.json" header_package)
    string(JSON library_version GET "${library_package}" version)
    string(JSON header_version GET "${header_package}" version)
    string(REGEX MATCH "^[0-9]+\\.[0-9]+\\.[0-9]+" DuckDB_VERSION "${library_version}")
    if(NOT DuckDB_VERSION VERSION_EQUAL header_version)
      message(FATAL_ERROR "third_party/duckdb pins the library ${library_version} with the header of "
                          "${header_version}: they must be of one version")
    endif()
    configure_file("${library_folder}/libduckdb.so" "${PROJECT_BINARY_DIR}/lib/libduckdb.so"
                   COPYONLY)
    set(DuckDB_INCLUDE_DIR "${header_folder}")
    set(DuckDB_LIBRARY "${PROJECT_BINARY_DIR}/lib/libduckdb.so")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  DuckDB
  REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR
  VERSION_VAR DuckDB_VERSION
  REASON_FAILURE_MESSAGE "Run ./dev setup, or `npm ci --ignore-scripts` in third_party/duckdb.")

if(DuckDB_FOUND AND NOT TARGET DuckDB::DuckDB)
  # The folder of its header also contains DuckDB's C++ headers; only the C API may be visible.
  configure_file("${DuckDB_INCLUDE_DIR}/duckdb.h" "${PROJECT_BINARY_DIR}/duckdb_include/duckdb.h"
                 COPYONLY)
  add_library(DuckDB::DuckDB SHARED IMPORTED)
  set_target_properties(
    DuckDB::DuckDB
    PROPERTIES IMPORTED_LOCATION "${DuckDB_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_BINARY_DIR}/duckdb_include")
endif()
