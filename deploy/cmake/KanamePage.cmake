# The page of server/dashboard: built by npm and Vite into share/kaname/page of the build folder, where
# kaname-server finds it, and installed with the programs. Without npm, or offline, everything else is
# built all the same; the server says then how to get the page.
set(KANAME_PAGE AUTO CACHE STRING "Build the page: AUTO (where npm is and works), ON (or fail), OFF")
find_program(KANAME_NPM npm)
set(kaname_page_source ${PROJECT_SOURCE_DIR}/server/dashboard)
set(kaname_page ${PROJECT_BINARY_DIR}/share/kaname/page)
if(KANAME_PAGE STREQUAL "OFF" OR NOT KANAME_NPM)
  if(KANAME_PAGE STREQUAL "ON")
    message(FATAL_ERROR "KANAME_PAGE is ON, but there is no npm (Debian: npm)")
  endif()
  add_custom_target(kaname_page
    COMMAND ${CMAKE_COMMAND} -E echo "the page is not built: no npm (Debian: npm), or KANAME_PAGE is OFF"
    VERBATIM)
  message(STATUS "kaname: without the page (npm: ${KANAME_NPM}, KANAME_PAGE: ${KANAME_PAGE})")
else()
  file(GLOB_RECURSE kaname_page_files CONFIGURE_DEPENDS ${kaname_page_source}/src/*
       ${kaname_page_source}/tools/*)
  list(FILTER kaname_page_files EXCLUDE REGEX "/(src/gen|node_modules)/")
  set(kaname_page_stamp ${PROJECT_BINARY_DIR}/page/built)
  add_custom_command(OUTPUT ${kaname_page_stamp}
    COMMAND ${CMAKE_COMMAND} -DNPM=${KANAME_NPM} -DSOURCE=${kaname_page_source}
            -DWORK=${PROJECT_BINARY_DIR}/page -DOUT=${kaname_page} -DWANTED=${KANAME_PAGE}
            -P ${PROJECT_SOURCE_DIR}/deploy/cmake/BuildPage.cmake
    DEPENDS ${kaname_page_files} ${kaname_page_source}/index.html ${kaname_page_source}/package.json
            ${kaname_page_source}/package-lock.json ${kaname_page_source}/vite.config.mjs
            ${PROJECT_SOURCE_DIR}/deploy/cmake/BuildPage.cmake
    COMMENT "The page" VERBATIM)
  add_custom_target(kaname_page ALL DEPENDS ${kaname_page_stamp})
endif()
install(DIRECTORY ${kaname_page} DESTINATION ${CMAKE_INSTALL_DATADIR}/kaname OPTIONAL)
