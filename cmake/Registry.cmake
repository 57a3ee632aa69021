# Lists that the build generates from the tree, instead of static initializers.

# warpsight_registry(TYPE Importer FUNCTION AllImporters NAMESPACE importers HEADER importers/api/importer.h
#                    NAMES chrome ... OUTPUT var)
# writes a source file that defines `std::vector<warpsight::Importer> warpsight::AllImporters()` from
# `warpsight::importers::<name>::Define()` of every name, in the names' order. OUTPUT receives the
# file's path, or nothing while HEADER does not exist.
function(warpsight_registry)
  cmake_parse_arguments(arg "" "TYPE;FUNCTION;NAMESPACE;HEADER;OUTPUT" "NAMES" ${ARGN})
  set(${arg_OUTPUT} "" PARENT_SCOPE)
  file(GLOB header CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${arg_HEADER}")
  if(NOT header)
    return()
  endif()
  set(declarations "")
  set(elements "")
  foreach(name IN LISTS arg_NAMES)
    string(APPEND declarations
           "namespace warpsight::${arg_NAMESPACE}::${name} {\n${arg_TYPE} Define();\n}\n")
    string(APPEND elements "  all.push_back(${arg_NAMESPACE}::${name}::Define());\n")
  endforeach()
  list(LENGTH arg_NAMES count)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAMESPACE}_list.cc")
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT
"// Written by cmake/Registry.cmake.
#include <vector>

#include \"@arg_HEADER@\"

@declarations@
namespace warpsight {
std::vector<@arg_TYPE@> @arg_FUNCTION@() {
  std::vector<@arg_TYPE@> all;
  all.reserve(@count@);
@elements@  return all;
}
}  // namespace warpsight
")
  set(${arg_OUTPUT} "${file}" PARENT_SCOPE)
endfunction()
