# warpsight_injected(TARGET): TARGET is a library that other people's programs load. It needs nothing but the
# C library and shows only its interface, since programs bring their own copies of the C++ library and others.
# What is then not reached is left out, and with it std::random_device, which would need glibc 2.36.
# packaging/check.py checks all of this in every build.
function(warpsight_injected target)
  set(exports "${PROJECT_SOURCE_DIR}/cmake/injected.map")
  # mold 1.10 takes all memory over some of these; the system's linker is quick enough.
  target_link_options(
    ${target} PRIVATE -fuse-ld=bfd -static-libstdc++ -static-libgcc -Wl,--as-needed
    "-Wl,--version-script=${exports}" -Wl,--gc-sections -Wl,-z,nodelete -Wl,-Bsymbolic -Wl,--no-undefined)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
                                             LINK_DEPENDS "${exports}")
endfunction()
