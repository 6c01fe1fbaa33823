# kaname_module(<dir> [SUBDIRS ...] [LINK ...]): a static library of the sources directly in <dir> (and
# in the listed SUBDIRS), linked to the modules that tests/conventions/layers.txt lets it include. The
# table is the one truth; a module without sources becomes an interface library.
set(KANAME_LAYERS_FILE ${PROJECT_SOURCE_DIR}/tests/conventions/layers.txt)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${KANAME_LAYERS_FILE})

function(kaname_target_name out dir)
  string(REPLACE "/" "_" name "${dir}")
  set(${out} "kaname_${name}" PARENT_SCOPE)
endfunction()

function(kaname_module dir)
  cmake_parse_arguments(ARG "" "" "SUBDIRS;LINK" ${ARGN})
  kaname_target_name(target ${dir})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${dir}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  foreach(sub ${ARG_SUBDIRS})
    file(GLOB more CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${dir}/${sub}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  if(KANAME_WITH_CUDA)
    foreach(sub "." ${ARG_SUBDIRS})
      file(GLOB more CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${dir}/${sub}/*.cu)
      list(APPEND sources ${more})
    endforeach()
  endif()
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    kaname_compile_together(${target})
    if(NOT dir MATCHES "^solvers/" OR dir STREQUAL "solvers/io")
      kaname_compile_quickly(${target})
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(${target} ${scope} kaname_options ${ARG_LINK})
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR})

  file(STRINGS ${KANAME_LAYERS_FILE} lines REGEX "^${dir}:")
  if(NOT lines)
    message(FATAL_ERROR "${dir} is not in tests/conventions/layers.txt")
  endif()
  string(REGEX REPLACE "^[^:]*:" "" deps "${lines}")
  string(REGEX MATCHALL "[^ ]+" deps "${deps}")
  string(REGEX REPLACE "/.*" "" top "${dir}")
  foreach(dep ${deps})
    if(NOT dep MATCHES "/")
      set(dep "${top}/${dep}")
    endif()
    kaname_target_name(dep_target ${dep})
    target_link_libraries(${target} ${scope} ${dep_target})
  endforeach()
endfunction()

# kaname_compile_quickly(<target>): compiles it with -O1, which takes a quarter to a third off the time of
# -O3: tests, and all that waits for files, sockets and databases. The solvers keep -O3.
function(kaname_compile_quickly target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# kaname_compile_together(<target>): eight sources of it are compiled as one, so that headers, which are
# half of a source's compile time, are read once for eight. Names in anonymous namespaces differ within a
# module therefore (tests/conventions/names_test.py). Off in the presets dev, races and fuzz and in
# deploy/test --full, so that a source that lacks an include is seen.
option(KANAME_UNITY "Compile eight sources of a module as one" ON)
function(kaname_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${KANAME_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(KANAME_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes a source that another includes for a header, whose types should use no private names.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
endfunction()
