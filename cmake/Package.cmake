# The .deb, which `./dev package` writes with CPack. The tarball and the wheel are made by packaging/package.py
# from the same installed files.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpsight)
set(CPACK_PACKAGE_CONTACT "Warpsight developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Profiler for deep-learning programs on GPUs")
set(CPACK_PACKAGE_DESCRIPTION
    "Warpsight shows where a deep-learning program spends its time on a GPU. It records unmodified CUDA
programs, reads traces of PyTorch, Nsight Systems, JAX, TensorFlow and nvprof, says what to change and
by how much that helps, and shows everything in the browser.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The packages that it depends on follow from the libraries that its files need, but for those beside the
# program. The folder is that in the package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS /usr/lib/warpsight)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS xdg-utils) # view --open
set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/deb/prerm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/deb/complete.cmake")
set(CPACK_WARPSIGHT_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
set(CPACK_WARPSIGHT_PYTHON "${Python3_EXECUTABLE}")
include(CPack)

add_test(NAME packaging_test COMMAND Python3::Interpreter -m unittest discover -s "${PROJECT_SOURCE_DIR}/packaging" -p
                                     *_test.py)
set_tests_properties(packaging_test PROPERTIES ENVIRONMENT "CC=${WARPSIGHT_CC};PYTHONDONTWRITEBYTECODE=1")
if(TARGET warpsight_agent AND TARGET warpsight)
  add_test(NAME packaging_build COMMAND Python3::Interpreter -B "${PROJECT_SOURCE_DIR}/packaging/check.py" --build
                                        "${PROJECT_BINARY_DIR}")
endif()
