# Run by cpack between installing and packing: what Debian's policy asks of a package's files and an
# installation by hand has no use for.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(debian ${CMAKE_CURRENT_LIST_DIR}/../deb)
set(documents ${root}/share/doc/${CPACK_PACKAGE_NAME})

# Libraries are those of the packages that this one depends on, in the linker's own folders.
foreach(program kaname kaname-server kaname-agent kaname-compute)
  file(RPATH_REMOVE FILE ${root}/bin/${program})
endforeach()
file(RPATH_REMOVE FILE ${root}/lib/kaname/libkaname_answer.so)

file(GLOB pages ${root}/share/man/man*/*)
file(COPY_FILE ${debian}/changelog ${documents}/changelog)
execute_process(COMMAND gzip -9nf ${pages} ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${debian}/changelog newest LIMIT_COUNT 1)
if(NOT newest MATCHES "^${CPACK_PACKAGE_NAME} \\(${CPACK_PACKAGE_VERSION}\\) ")
  message(FATAL_ERROR
    "deploy/deb/changelog: must begin with version ${CPACK_PACKAGE_VERSION}, got \"${newest}\"")
endif()

# Licences of Kaname, of the examples' data, and of the packages that the page is built of.
file(READ ${debian}/copyright copyright)
file(READ ${documents}/LICENSE own)
file(REMOVE ${documents}/LICENSE)
string(APPEND copyright "${own}")
file(READ ${root}/share/kaname/page/licences.json licences)
string(JSON count LENGTH "${licences}")
math(EXPR last "${count} - 1")
foreach(n RANGE ${last})
  foreach(key name version licence text)
    string(JSON ${key} GET "${licences}" ${n} ${key})
  endforeach()
  string(APPEND copyright "\n\n${name} ${version}, in /usr/share/kaname/page (${licence}):\n\n${text}\n")
endforeach()
file(WRITE ${documents}/copyright "${copyright}")
