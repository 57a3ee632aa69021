# Where PyTorch's headers and libraries are found, python/torch_abi is compared with them. On other
# machines with a newer PyTorch, bench/capture/check_hook.py does the same.
set(torch_abi "${PROJECT_SOURCE_DIR}/python/torch_abi")

# The prebuilt hook with one wrong offset, which its check must notice.
if(TARGET warpsight_torch)
  add_library(torch_changed SHARED "${CMAKE_CURRENT_LIST_DIR}/changed_layout.cc"
                                   "${torch_abi}/layout.cc" "${torch_abi}/open.cc"
                                   "${torch_abi}/probe.cc")
  target_link_libraries(torch_changed PRIVATE warpsight_common ${CMAKE_DL_LIBS})
  target_include_directories(torch_changed PRIVATE "${PROJECT_SOURCE_DIR}/python" "${torch_abi}")
  set_target_properties(torch_changed PROPERTIES CXX_VISIBILITY_PRESET hidden)
  add_test(NAME torch_probe_test COMMAND Python3::Interpreter
                                         "${CMAKE_CURRENT_LIST_DIR}/probe_test.py")
  set_tests_properties(
    torch_probe_test
    PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT
               "WARPSIGHT_PYTHON=${PROJECT_SOURCE_DIR}/python;TORCH_CHANGED=$<TARGET_FILE:torch_changed>")
endif()

# It takes the offsets of members without an object, which a sanitizer reports.
if(WARPSIGHT_SANITIZE)
  return()
endif()
find_path(WARPSIGHT_TORCH_INCLUDE ATen/record_function.h)
find_library(WARPSIGHT_TORCH_CPU torch_cpu)
find_library(WARPSIGHT_TORCH_C10 c10)
if(NOT WARPSIGHT_TORCH_INCLUDE OR NOT WARPSIGHT_TORCH_CPU OR NOT WARPSIGHT_TORCH_C10)
  return()
endif()
add_executable(torch_abi_check "${CMAKE_CURRENT_LIST_DIR}/layout_check.cc" "${torch_abi}/layout.cc")
set_target_properties(torch_abi_check PROPERTIES CXX_STANDARD 17)
target_include_directories(torch_abi_check PRIVATE "${PROJECT_SOURCE_DIR}/python")
target_include_directories(
  torch_abi_check SYSTEM PRIVATE "${WARPSIGHT_TORCH_INCLUDE}"
                                 "${WARPSIGHT_TORCH_INCLUDE}/torch/csrc/api/include")
target_compile_options(torch_abi_check PRIVATE -fno-access-control -Wno-invalid-offsetof)
target_link_libraries(torch_abi_check PRIVATE "${WARPSIGHT_TORCH_CPU}" "${WARPSIGHT_TORCH_C10}")
add_test(NAME torch_abi_check COMMAND torch_abi_check)
