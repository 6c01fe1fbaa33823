# Headers that take longer than the sources that include them are compiled once (0117). GCC alone: clang
# wants the same definitions everywhere too. Off in the presets dev and races, so that deploy/test --full
# sees a source that lacks an include.
option(KANAME_PCH "Precompile headers of tests, service and command line" ON)
option(KANAME_PCH_STANDARD "And the standard library's for the solvers" OFF)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(KANAME_PCH OFF)
endif()

# kaname_precompile(<target> <headers...>): headers for this target and those that share them.
function(kaname_precompile target)
  if(KANAME_PCH)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    kaname_require_precompiled(${target})
  endif()
endfunction()

# kaname_precompiled(<name> [LINK <libraries...>] HEADERS <headers...>): kaname_precompiled_<name>, whose
# headers others share.
function(kaname_precompiled name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  file(GENERATE OUTPUT ${source} CONTENT "// Nothing: its target has headers.\n")
  add_library(kaname_precompiled_${name} STATIC EXCLUDE_FROM_ALL ${source})
  target_link_libraries(kaname_precompiled_${name} PRIVATE kaname_options ${ARG_LINK})
  target_include_directories(kaname_precompiled_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  kaname_precompile(kaname_precompiled_${name} ${ARG_HEADERS})
endfunction()

# kaname_share_precompiled(<target> <name>): the headers of kaname_precompiled_<name>; both must have the
# same -f, -O and -std options.
function(kaname_share_precompiled target name)
  if(KANAME_PCH)
    target_precompile_headers(${target} REUSE_FROM kaname_precompiled_${name})
    kaname_require_precompiled(${target})
  endif()
endfunction()

# GCC would read the headers' text, without a word, where an option differs. Of the libraries that
# targets link some ask for -pthread and some do not. Nor does GCC 12 know any more which of the headers
# are the system's: warnings that it has about std::string's copies come through.
function(kaname_require_precompiled target)
  foreach(option -pthread -Werror=invalid-pch -Wno-array-bounds -Wno-stringop-overflow)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${option}>)
  endforeach()
endfunction()

if(KANAME_PCH_STANDARD)
  kaname_precompiled(standard HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream>
                     <functional> <map> <memory> <numeric> <optional> <span> <sstream> <string>
                     <unordered_map> <vector>)
endif()
