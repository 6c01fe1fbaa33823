# Headers that take longer than the sources that include them are compiled once (0117): GoogleTest's
# for unit tests, CLI11's and JSON's for the command line. GCC alone: clang wants the same definitions
# everywhere too.
option(KANAME_PCH "Precompile headers of tests and command line" ON)

# kaname_precompile(<target> <headers...>): headers for this target and those that share them.
function(kaname_precompile target)
  if(KANAME_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${target} PRIVATE ${ARGN})
    kaname_require_precompiled(${target})
  endif()
endfunction()

# kaname_share_precompiled(<target> <owner>): the headers that <owner> compiles; both must have the
# same -f, -O and -std options.
function(kaname_share_precompiled target owner)
  if(KANAME_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${target} REUSE_FROM ${owner})
    kaname_require_precompiled(${target})
  endif()
endfunction()

# GCC would read the headers' text, without a word, where an option differs. Of the libraries that
# targets link some ask for -pthread and some do not.
function(kaname_require_precompiled target)
  target_compile_options(${target} PRIVATE -pthread -Werror=invalid-pch)
endfunction()
