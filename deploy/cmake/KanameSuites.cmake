# kaname_discover_suites(<target> [PREFIX <text>] [ONLY <suite>] [EXCEPT <suite>]
#                        PROPERTIES <property> <value>...)
# The suites of a GoogleTest program as tests of CTest, one entry and one process for each. CTest itself
# asks the program, right before it runs, what suites it has (ListSuites.cmake), so that building needs no
# run. A suite whose tests were all skipped counts as skipped. CTest counts thirds of cores here: a suite
# takes two, a script that mostly waits for programs takes one.
function(kaname_discover_suites target)
  cmake_parse_arguments(ARG "" "PREFIX;ONLY;EXCEPT" "PROPERTIES" ${ARGN})
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}${ARG_ONLY}_suites.cmake)
  string(REPLACE ";" " " properties "${ARG_PROPERTIES}")
  file(GENERATE OUTPUT ${script} CONTENT "set(program \"$<TARGET_FILE:${target}>\")
set(prefix \"${ARG_PREFIX}\")
set(only \"${ARG_ONLY}\")
set(except \"${ARG_EXCEPT}\")
set(properties ${properties})
include(\"${PROJECT_SOURCE_DIR}/deploy/cmake/ListSuites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
