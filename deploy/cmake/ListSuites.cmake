# Read by CTest with program, prefix, only, except and properties set (KanameSuites.cmake): adds a test
# for each suite of the program. What the program listed is kept until the program changes.
if(NOT EXISTS ${program})
  get_filename_component(name ${program} NAME)
  add_test(${name}_is_not_built ${name}_is_not_built)
  return()
endif()
set(kept ${program}_suites.txt)
if(NOT EXISTS ${kept} OR ${program} IS_NEWER_THAN ${kept})
  execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE failed
                  TIMEOUT 60)
  if(failed)
    message(FATAL_ERROR "${program} does not list its tests: ${failed}")
  endif()
  # Suites stand at the beginning of a line and end in a dot; a comment with the parameter may follow.
  string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${listed}")
  list(TRANSFORM suites STRIP)
  list(JOIN suites "\n" suites)
  file(WRITE ${kept} "${suites}\n")
endif()
file(STRINGS ${kept} suites)
# A suite whose tests all failed has passed none either: nothing may stand behind the skipped ones.
set(all_skipped "\\[  PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\][^\n]*\n)+$")
foreach(suite ${suites})
  string(REGEX REPLACE "\\.$" "" name ${suite})
  if((NOT only OR name STREQUAL only) AND NOT (except AND name STREQUAL except))
    add_test(${prefix}${name} ${program} --gtest_filter=${suite}* --gtest_brief=1)
    set_tests_properties(${prefix}${name} PROPERTIES PROCESSORS 2
                         SKIP_REGULAR_EXPRESSION "${all_skipped}" ${properties})
  endif()
endforeach()
