# cmake -DSOURCE=folder -DHEADER=file -P WriteCommit.cmake: writes the commit of the sources into a header,
# unless it says the same already. Without git, or outside a repository of their own, as in an unpacked archive,
# the commit of the sources is empty. Modified means that what the program is built from differs:
# tests and docs do not count.
cmake_minimum_required(VERSION 3.25)

set(commit "")
set(modified false)
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE}/.git")
  set(git "${GIT}" --no-optional-locks -C "${SOURCE}")
  execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE commit ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(
    COMMAND ${git} status --porcelain -- CMakeLists.txt cmake python src third_party viewer
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(commit AND changes)
    set(modified true)
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" @ONLY CONTENT
"// Written by cmake/WriteCommit.cmake.
#pragma once

#define WARPSIGHT_COMMIT \"@commit@\"
#define WARPSIGHT_MODIFIED @modified@
")
