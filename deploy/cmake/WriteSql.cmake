# cmake -DSOURCE=<tree> -DFOLDER=<folder in it> -DQUERIES=<files in that> -DMIGRATIONS=<files in that>
#       -DOUT=<folder> -P WriteSql.cmake
# Writes sql.hpp, sql.cpp and migrations_sql.cpp into OUT, each only when it changes. In QUERIES a statement
# follows its line "-- name: <verb_noun>" and ends at a blank line or at the end of the file; it becomes the
# constant of that name. The comment at the head of a file belongs to no statement.
cmake_minimum_required(VERSION 3.25)

set(n_faults 0)
function(fault line text)
  message(NOTICE "${path}:${line}: error: ${text}")
  math(EXPR n_faults "${n_faults} + 1")
  set(n_faults ${n_faults} PARENT_SCOPE)
endfunction()

# The statement that began at line ${begun} has ended.
macro(end_statement)
  if(state MATCHES "text|after")
    string(STRIP "${text}" text)
    string(APPEND definitions "const char* const ${name} = R\"sql(${text})sql\";\n")
    string(APPEND pairs "    {${name}, \"${name}\"},\n")
  elseif(state STREQUAL "named")
    fault(${begun} "the statement ${name} is empty")
  endif()
endmacro()

function(write file text)
  file(WRITE ${OUT}/${file}.new "${text}")
  file(COPY_FILE ${OUT}/${file}.new ${OUT}/${file} ONLY_IF_DIFFERENT)
  file(REMOVE ${OUT}/${file}.new)
endfunction()

set(names "")
set(definitions "")
set(pairs "")
foreach(file ${QUERIES})
  set(path ${FOLDER}/${file})
  file(READ ${SOURCE}/${path} rest)
  string(APPEND rest "\n")
  string(APPEND definitions "\n// ${path}\n")
  set(number 0)
  set(state head)  # named, text, after (a blank line behind it), or wrong until the next name
  while(NOT rest STREQUAL "")
    math(EXPR number "${number} + 1")
    string(FIND "${rest}" "\n" end)
    string(SUBSTRING "${rest}" 0 ${end} line)
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${rest}" ${end} -1 rest)
    if(line MATCHES "^-- name:(.*)$")
      string(STRIP "${CMAKE_MATCH_1}" new_name)
      end_statement()
      set(name "${new_name}")
      set(begun ${number})
      set(text "")
      set(state named)
      if(NOT name MATCHES "^[a-z][a-z0-9]*(_[a-z0-9]+)+$")
        fault(${number} "\"${name}\" is no <verb_noun>: an identifier of C++ in small letters")
      elseif(DEFINED place_of_${name})
        fault(${number} "the name ${name} is taken: ${place_of_${name}}")
      endif()
      set(place_of_${name} ${path}:${number})
      list(APPEND names ${name})
      continue()
    endif()
    string(APPEND text "${line}\n")
    if(line MATCHES "^[ \t\r]*$")
      if(state STREQUAL "text")
        set(state after)
      endif()
    elseif(state STREQUAL "after" OR (state STREQUAL "head" AND NOT line MATCHES "^--"))
      fault(${number} "a statement without a name: no line \"-- name: <verb_noun>\" before it")
      set(state wrong)
    elseif(state STREQUAL "named" AND NOT line MATCHES "^[ \t]*--")
      set(state text)
    endif()
  endwhile()
  end_statement()
endforeach()
if(n_faults)
  message(FATAL_ERROR "${n_faults} faults in the statements of ${FOLDER}")
endif()

list(SORT names)
list(TRANSFORM names PREPEND "extern const char* const ")
list(JOIN names ";\n" declarations)
write(sql.hpp "#pragma once\n
namespace kaname::store::sql {
${declarations};
}  // namespace kaname::store::sql\n
namespace kaname::store {
/// Name of one of these statements; empty for another text.
const char* statement_name(const char* statement);
}  // namespace kaname::store\n")
write(sql.cpp "#include \"${FOLDER}/sql.hpp\"\n
namespace kaname::store::sql {
${definitions}
}  // namespace kaname::store::sql\n
namespace kaname::store {
using namespace sql;
const char* statement_name(const char* statement) {
  struct Named { const char *text, *name; };
  static const Named all[] = {
${pairs}  };
  for (const Named& one : all) {
    if (one.text == statement) {
      return one.name;
    }
  }
  return \"\";
}
}  // namespace kaname::store\n")

set(scripts "")
list(SORT MIGRATIONS)
foreach(file ${MIGRATIONS})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${SOURCE}/${FOLDER}/${file} text)
  string(APPEND scripts "    {\"${name}\", R\"sql(${text})sql\"},\n")
endforeach()
write(migrations_sql.cpp "#include \"${FOLDER}/migrations.hpp\"\n
namespace kaname::store {
const std::vector<Migration>& built_in_migrations() {
  static const std::vector<Migration> all = {
${scripts}  };
  return all;
}
}  // namespace kaname::store\n")
