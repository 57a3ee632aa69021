# The libraries Warpsight stands on: Debian packages, and DuckDB (see FindDuckDB.cmake).
# `./dev setup` installs them.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(CLI11 REQUIRED)
find_package(DuckDB REQUIRED)
find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(TBB REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET GLOBAL libisal)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET GLOBAL re2)
pkg_check_modules(sqlite REQUIRED IMPORTED_TARGET GLOBAL sqlite3)
pkg_check_modules(xlsxwriter REQUIRED IMPORTED_TARGET GLOBAL xlsxwriter)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET GLOBAL libzstd)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# The parts of Abseil in use, under one name.
add_library(warpsight_absl INTERFACE)
target_link_libraries(
  warpsight_absl
  INTERFACE absl::btree absl::flat_hash_map absl::flat_hash_set absl::hash absl::inlined_vector
            absl::node_hash_map absl::span absl::strings)

# libharu, which Debian ships without a description for pkg-config.
find_path(HPDF_INCLUDE_DIR hpdf.h REQUIRED)
find_library(HPDF_LIBRARY hpdf REQUIRED)
add_library(warpsight_hpdf INTERFACE)
target_include_directories(warpsight_hpdf SYSTEM INTERFACE "${HPDF_INCLUDE_DIR}")
target_link_libraries(warpsight_hpdf INTERFACE "${HPDF_LIBRARY}")

# The font of PDF files (fonts-dejavu-core).
find_file(WARPSIGHT_FONT DejaVuSans.ttf PATHS /usr/share/fonts/truetype/dejavu NO_DEFAULT_PATH
          REQUIRED)
