# cmake -DNPM= -DSOURCE= -DWORK= -DOUT= -DWANTED=AUTO|ON -P BuildPage.cmake: packages of the lock file into
# WORK (again only when it has changed), the page from a copy of its sources into OUT, and WORK/built.
function(kaname_page_failed what said)
  string(REGEX REPLACE "^.*((\n[^\n]*)(\n[^\n]*)(\n[^\n]*)(\n[^\n]*))$" "\\1" end "${said}")
  set(text "the page is not built: ${what}${end}\nEverything else is. With a network, build again; kaname-server says so at its address until then.")
  if(WANTED STREQUAL "ON")
    message(FATAL_ERROR "${text}")
  endif()
  message(WARNING "${text}")
endfunction()

file(MAKE_DIRECTORY ${WORK})
file(REMOVE_RECURSE ${WORK}/src ${WORK}/tools)
foreach(name src tools index.html package.json package-lock.json .npmrc tsconfig.json vite.config.mjs)
  file(COPY ${SOURCE}/${name} DESTINATION ${WORK} PATTERN gen EXCLUDE)
endforeach()

file(SHA256 ${WORK}/package-lock.json lock)
set(installed "")
if(EXISTS ${WORK}/node_modules/.kaname_lock)
  file(READ ${WORK}/node_modules/.kaname_lock installed)
endif()
if(NOT installed STREQUAL lock)
  # No script of a package is run.
  execute_process(COMMAND ${NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund
                  WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said
                  TIMEOUT 300)
  if(failed)
    kaname_page_failed("npm ci failed (${failed})" "${said}")
    return()
  endif()
  file(WRITE ${WORK}/node_modules/.kaname_lock ${lock})
endif()
execute_process(COMMAND ${NPM} run --silent build -- --outDir ${WORK}/dist --emptyOutDir --logLevel warn
                WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed)
  kaname_page_failed("vite failed (${failed})" "${said}")
  return()
endif()
# A server that runs goes on: what it serves is replaced at once.
get_filename_component(parent ${OUT} DIRECTORY)
file(MAKE_DIRECTORY ${parent})
file(REMOVE_RECURSE ${OUT})
file(RENAME ${WORK}/dist ${OUT})
file(TOUCH ${WORK}/built)
