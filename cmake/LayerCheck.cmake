# Every full build checks that includes follow the tables in docs/architecture.md, and that these
# tables agree with the tree.
file(GLOB_RECURSE layered CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.h"
     "${PROJECT_SOURCE_DIR}/src/*.cc")
set(check "${PROJECT_SOURCE_DIR}/cmake/check_layers.py")
set(check_docs "${PROJECT_SOURCE_DIR}/cmake/check_layer_docs.py")
set(stamp "${PROJECT_BINARY_DIR}/layers.stamp")
add_custom_command(
  OUTPUT "${stamp}"
  COMMAND Python3::Interpreter "${check}" "${PROJECT_SOURCE_DIR}"
  COMMAND Python3::Interpreter "${check_docs}" "${PROJECT_SOURCE_DIR}"
  COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
  DEPENDS "${check}" "${check_docs}" "${PROJECT_SOURCE_DIR}/docs/architecture.md"
          "${PROJECT_SOURCE_DIR}/src/README.md" ${layered}
  COMMENT "Checking layers"
  VERBATIM)
add_custom_target(check_layers ALL DEPENDS "${stamp}")
if(TARGET warpsight)
  add_dependencies(warpsight check_layers)
endif()
foreach(script check_layers check_layer_docs check_commits check_functions check_includes check_version check_words notice
        packages tidy)
  add_test(NAME ${script}_test
           COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/${script}_test.py")
endforeach()
