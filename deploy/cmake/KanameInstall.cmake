# `cmake --install` puts the four programs side by side, since they look for each other in their own folder.
# It also installs examples, scripts and documents, and the manual page and completion, which kaname writes
# itself.
include(GNUInstallDirs)

install(TARGETS kaname kaname-server kaname-agent kaname-compute
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Python loads the library from beside the programs' folder (client/python/kaname/_library.py).
install(TARGETS kaname-answer LIBRARY DESTINATION lib/kaname)
install(FILES client/answer/kaname_answer.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(kaname_said ${PROJECT_BINARY_DIR}/generated/install)
file(MAKE_DIRECTORY ${kaname_said})
foreach(said "man>kaname.1" "completion bash>kaname")
  string(REGEX MATCH "^(.*)>(.*)$" ignored "${said}")
  string(REPLACE " " "\" \"" arguments "${CMAKE_MATCH_1}")
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:kaname>\" \"${arguments}\"
    OUTPUT_FILE \"${kaname_said}/${CMAKE_MATCH_2}\" COMMAND_ERROR_IS_FATAL ANY)")
endforeach()
install(FILES ${kaname_said}/kaname.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${kaname_said}/kaname
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

set(kaname_share ${CMAKE_INSTALL_DATADIR}/kaname)
install(DIRECTORY docs/examples DESTINATION ${kaname_share} PATTERN __pycache__ EXCLUDE
        PATTERN "*.sh" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                   WORLD_READ WORLD_EXECUTE)
install(DIRECTORY server/dashboard/built/ DESTINATION ${kaname_share}/page)
# deploy/monitoring has examples of configurations that watch a server.
install(DIRECTORY deploy/monitoring DESTINATION ${kaname_share})
install(DIRECTORY deploy/scripts DESTINATION ${kaname_share} USE_SOURCE_PERMISSIONS
        PATTERN "*.sh" EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN plotting EXCLUDE)
# The plotting modules are part of the Python package, or lie beside the scripts where there is none.
if(TARGET kaname-python)
  install(CODE "
    set(shared \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${kaname_share}/scripts/plotting\")
    file(REMOVE_RECURSE \"\${shared}\")
    file(CREATE_LINK ../../../lib/python3/dist-packages/kaname/plotting \"\${shared}\" SYMBOLIC)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES
         \"\${CMAKE_INSTALL_PREFIX}/${kaname_share}/scripts/plotting\")")
else()
  install(DIRECTORY deploy/scripts/plotting DESTINATION ${kaname_share}/scripts
          PATTERN __pycache__ EXCLUDE)
endif()
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/user docs/reference docs/theory docs/tutorials docs/images
        DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "make.sh" EXCLUDE)
install(FILES docs/glossary.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The unit and the user it runs as; systemd looks for those of packages below /usr and of the machine
# below /usr/local alike.
install(CODE "
  # cpack installs into a folder of its own what will lie below /usr.
  string(REGEX REPLACE \"^.*/_CPack_Packages/[^/]+/[^/]+/[^/]+\" \"\" prefix
         \"\${CMAKE_INSTALL_PREFIX}\")
  set(kaname_server \"\${prefix}/${CMAKE_INSTALL_BINDIR}/kaname-server\")
  configure_file(\"${PROJECT_SOURCE_DIR}/deploy/systemd/kaname-server.service.in\"
                 \"${kaname_said}/kaname-server.service\" @ONLY)")
install(FILES ${kaname_said}/kaname-server.service DESTINATION lib/systemd/system)
install(FILES deploy/systemd/kaname.sysusers DESTINATION lib/sysusers.d RENAME kaname.conf)

include(KanamePackage)
