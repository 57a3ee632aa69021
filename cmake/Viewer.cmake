# The front end: built by Vite when its sources change, and embedded in the program. Vite ignores
# types, so it need not wait for the C++ code that writes the types of reports; `viewer_types`
# checks them.

set(WARPSIGHT_VIEWER_FROM "" CACHE PATH
    "Another build's folder viewer/, whose files to use in place of building the front end again")

# warpsight_viewer(TYPES program OUTPUT var): `program` writes the types of the reports to a given
# file. OUTPUT receives the source file that contains the front end.
function(warpsight_viewer)
  cmake_parse_arguments(arg "" "TYPES;OUTPUT" "" ${ARGN})
  set(source "${PROJECT_SOURCE_DIR}/viewer")
  set(built "${PROJECT_BINARY_DIR}/viewer")
  if(WARPSIGHT_VIEWER_FROM)
    set(${arg_OUTPUT} "${WARPSIGHT_VIEWER_FROM}/embedded_assets.cc" PARENT_SCOPE)
    return()
  endif()

  find_program(NPM npm)
  if(NOT NPM OR NOT EXISTS "${source}/node_modules/.installed-lock.json")
    message(FATAL_ERROR "The viewer's packages are missing: run ./dev setup")
  endif()

  set(types "${source}/src/generated/reports.ts")
  add_custom_command(
    OUTPUT "${types}"
    COMMAND ${arg_TYPES} "${types}"
    DEPENDS ${arg_TYPES}
    COMMENT "Writing the types of reports for the viewer"
    VERBATIM)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${source}/src/*.ts" "${source}/src/*.tsx"
       "${source}/src/*.css" "${source}/src/*.svg")
  list(FILTER sources EXCLUDE REGEX "/generated/|\\.test\\.tsx?$")
  file(GLOB settings CONFIGURE_DEPENDS "${source}/*.json" "${source}/*.ts" "${source}/*.html")
  add_custom_command(
    OUTPUT "${built}/types.stamp"
    COMMAND "${NPM}" run --silent check
    COMMAND ${CMAKE_COMMAND} -E touch "${built}/types.stamp"
    DEPENDS ${sources} ${settings} "${types}"
    WORKING_DIRECTORY "${source}"
    COMMENT "Checking the types of the viewer"
    VERBATIM)
  add_custom_target(viewer_types ALL DEPENDS "${built}/types.stamp")
  add_custom_command(
    OUTPUT "${built}/embedded_assets.cc"
    COMMAND "${NPM}" run --silent build -- --logLevel warn --emptyOutDir --outDir "${built}/site"
    COMMAND "${NPM}" run --silent build -- --logLevel warn --emptyOutDir --mode offline --outDir
            "${built}/offline"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/embed_assets.py" "${built}/site"
            "${built}/offline/index.html" "${built}"
    DEPENDS ${sources} ${settings} "${PROJECT_SOURCE_DIR}/cmake/embed_assets.py"
    WORKING_DIRECTORY "${source}"
    COMMENT "Building the viewer"
    VERBATIM)
  set(${arg_OUTPUT} "${built}/embedded_assets.cc" PARENT_SCOPE)
endfunction()
