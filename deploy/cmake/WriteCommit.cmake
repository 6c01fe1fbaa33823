# cmake -DSOURCE=<tree> -DCOMMIT=<commit or nothing> -DOUT=<header> -P WriteCommit.cmake
# A header with the commit that is being built; written only when it changes. Without COMMIT it is
# what git says, "unknown" where there is no git.
cmake_minimum_required(VERSION 3.25)

if(NOT COMMIT)
  execute_process(COMMAND git --no-optional-locks describe --always --dirty --abbrev=12 --exclude *
                  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE COMMIT RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed)
    set(COMMIT unknown)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define KANAME_COMMIT \"@COMMIT@\"\n" @ONLY)
