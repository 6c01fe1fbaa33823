# kaname_sql(<dir>): the named statements of <dir>/queries/*.sql as constants, which the generated
# <dir>/sql.hpp declares and sql.cpp defines, and the scripts of <dir>/migrations in migrations_sql.cpp.
# A changed text compiles one source; only a new or a removed name changes the header.
function(kaname_sql dir)
  set(out ${PROJECT_BINARY_DIR}/generated/${dir})
  set(script ${PROJECT_SOURCE_DIR}/deploy/cmake/WriteSql.cmake)
  set(folder ${PROJECT_SOURCE_DIR}/${dir})
  file(GLOB queries CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/queries/*.sql)
  file(GLOB migrations CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/migrations/*.sql)
  list(TRANSFORM queries PREPEND ${folder}/ OUTPUT_VARIABLE files)
  list(TRANSFORM migrations PREPEND ${folder}/ OUTPUT_VARIABLE scripts)
  file(MAKE_DIRECTORY ${out})
  add_custom_command(
    OUTPUT ${out}/sql.written
    BYPRODUCTS ${out}/sql.hpp ${out}/sql.cpp ${out}/migrations_sql.cpp
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DFOLDER=${dir} "-DQUERIES=${queries}"
            "-DMIGRATIONS=${migrations}" -DOUT=${out} -P ${script}
    COMMAND ${CMAKE_COMMAND} -E touch ${out}/sql.written
    DEPENDS ${files} ${scripts} ${script}
    COMMENT "SQL of ${dir}"
    VERBATIM)
  # They stay out of unity builds, so that a changed text does not compile the sources that use it.
  set_source_files_properties(${out}/sql.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(${out}/sql.cpp ${out}/migrations_sql.cpp
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  kaname_target_name(target server/store)
  target_sources(${target} PRIVATE ${out}/sql.written ${out}/sql.cpp ${out}/migrations_sql.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
