# Read by cpack: a build for the processor at hand ends on another with "illegal instruction".
if(CPACK_KANAME_ARCH STREQUAL "native" AND NOT CPACK_KANAME_NATIVE)
  message(FATAL_ERROR "KANAME_ARCH is native: such a package runs on processors like this one alone. "
    "Build with cmake --preset package (x86-64-v3), or give another KANAME_ARCH; "
    "-D CPACK_KANAME_NATIVE=ON packs it all the same.")
endif()
