# If CUDA's headers are found, src/agent/cuda_abi is compared with them: cuda_abi_check compiles if
# they agree. If NVTX's are found, the program of nvtx_handler_test is also built with them.
set(places PATHS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda
    PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include)
find_path(WARPSIGHT_CUPTI_INCLUDE cupti.h ${places})
find_path(WARPSIGHT_CUDA_INCLUDE cuda.h ${places})
find_path(WARPSIGHT_NVTX_INCLUDE nvtx3/nvToolsExt.h ${places})

if(WARPSIGHT_NVTX_INCLUDE AND TARGET warpsight_agent)
  add_executable(vendor_nvtx_program nvtx_program/nvtx_program.cc)
  target_compile_definitions(vendor_nvtx_program PRIVATE WARPSIGHT_VENDOR_NVTX)
  target_include_directories(vendor_nvtx_program SYSTEM PRIVATE "${WARPSIGHT_NVTX_INCLUDE}")
  target_link_libraries(vendor_nvtx_program PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
endif()

add_test(NAME cuda_abi_generate_check_test
         COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/generate_check_test.py")

if(NOT WARPSIGHT_CUPTI_INCLUDE OR NOT WARPSIGHT_CUDA_INCLUDE OR NOT WARPSIGHT_NVTX_INCLUDE)
  return()
endif()
# Older headers lack records of later versions.
file(STRINGS "${WARPSIGHT_CUPTI_INCLUDE}/cupti_version.h" version
     REGEX "^#define CUPTI_API_VERSION [0-9]+")
string(REGEX REPLACE ".* " "" version "${version}")
if(version LESS 130000)
  message(STATUS "The headers of CUPTI are older than 13.0: src/agent/cuda_abi is not compared")
  return()
endif()
file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/agent/cuda_abi/*.h")
set(generator "${CMAKE_CURRENT_LIST_DIR}/generate_check.py")
set(check "${CMAKE_CURRENT_BINARY_DIR}/cuda_abi_check.cc")
add_custom_command(
  OUTPUT "${check}"
  COMMAND Python3::Interpreter "${generator}" "${check}" ${headers}
  DEPENDS "${generator}" ${headers}
  VERBATIM)
add_library(cuda_abi_check OBJECT "${check}")
target_link_libraries(cuda_abi_check PRIVATE warpsight_common)
target_include_directories(cuda_abi_check PRIVATE "${PROJECT_SOURCE_DIR}")
target_include_directories(cuda_abi_check SYSTEM
                           PRIVATE "${WARPSIGHT_CUPTI_INCLUDE}" "${WARPSIGHT_CUDA_INCLUDE}"
                                   "${WARPSIGHT_NVTX_INCLUDE}")
