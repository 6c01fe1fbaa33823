# Tests as CTest sees them: one entry for each suite of a GoogleTest program, so that a program of
# hundreds of suites starts hundreds of times, not thousands.
include(KanameSuites)

# kaname_test_program(<target> <sources...> [PLAIN] [LINK <libraries...>] [PROPERTIES <property> <value>...]):
# an executable with GoogleTest's main, compiled quickly, whose suites CTest runs.
function(kaname_test_program target)
  cmake_parse_arguments(ARG "PLAIN" "" "LINK;PROPERTIES" ${ARGN})
  add_executable(${target} ${ARG_UNPARSED_ARGUMENTS})
  set(plain "")
  if(ARG_PLAIN)
    set(plain PLAIN)
  endif()
  kaname_compile_quickly(${target} ${plain})
  kaname_compile_together(${target})
  # A test names the members that it is about.
  target_compile_options(${target} PRIVATE -Wno-missing-field-initializers)
  target_link_libraries(${target} PRIVATE ${ARG_LINK} GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE
    KANAME_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KANAME_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  kaname_discover_suites(${target} PROPERTIES ${ARG_PROPERTIES})
endfunction()

# kaname_unit_tests(<name> <folders...> [PLAIN] [EXCEPT <folder>] [LINK <libraries...>]): the *_test.cpp below
# tests/unit/<folder> as kaname_<name>_test, linked to the modules whose folders they mirror; those of
# modules that are not part of this build are left out.
function(kaname_unit_tests name)
  cmake_parse_arguments(ARG "PLAIN" "EXCEPT" "LINK" ${ARGN})
  set(unit ${PROJECT_SOURCE_DIR}/tests/unit)
  set(patterns ${ARG_UNPARSED_ARGUMENTS})
  list(TRANSFORM patterns PREPEND ${unit}/)
  list(TRANSFORM patterns APPEND "/*_test.cpp")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${unit} ${patterns})
  set(sources "")
  set(modules "")
  foreach(file ${files})
    get_filename_component(dir ${file} DIRECTORY)
    kaname_target_name(module ${dir})
    if(TARGET ${module} AND NOT (ARG_EXCEPT AND file MATCHES "^${ARG_EXCEPT}/"))
      list(APPEND sources ${unit}/${file})
      list(APPEND modules ${module})
    endif()
  endforeach()
  if(NOT sources)
    return()
  endif()
  list(REMOVE_DUPLICATES modules)
  set(plain "")
  if(ARG_PLAIN)
    set(plain PLAIN)
  endif()
  kaname_test_program(kaname_${name}_test ${sources} ${plain} LINK ${modules} kaname_test_support
                      ${ARG_LINK} PROPERTIES TIMEOUT 300 LABELS unit)
endfunction()

# kaname_test_folder(<name> [LINK <libraries...>]): tests/<name>/*_test.cpp (and *_suite.cpp that they
# share with MPI runs) as one executable, label <name>.
function(kaname_test_folder name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_test.cpp
       ${PROJECT_SOURCE_DIR}/tests/${name}/*_suite.cpp)
  kaname_test_program(kaname_${name}_test ${sources}
                      LINK kaname_worker_jobs kaname_test_support ${ARG_LINK}
                      PROPERTIES TIMEOUT 900 COST 500 LABELS ${name})
endfunction()

# kaname_mpi_tests(): each tests/conformance/mpi/<name>_main.cpp as one executable, with the suites
# of tests/conformance, run by mpirun on 1, 2 and 3 ranks as mpi.<name>.<ranks>; label mpi. A rank
# that finds a fault ends them all with MpiSession::abort.
function(kaname_mpi_tests)
  file(GLOB mains CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/conformance/mpi/*_main.cpp)
  file(GLOB suites CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/conformance/*_suite.cpp)
  if(NOT mains)
    return()
  endif()
  add_library(kaname_mpi_suites STATIC ${suites})
  kaname_compile_quickly(kaname_mpi_suites)
  kaname_compile_together(kaname_mpi_suites)
  target_link_libraries(kaname_mpi_suites PUBLIC kaname_worker_jobs kaname_test_support)
  foreach(main ${mains})
    get_filename_component(name ${main} NAME_WE)
    string(REGEX REPLACE "_main$" "" name ${name})
    set(target kaname_${name}_mpi_test)
    add_executable(${target} ${main})
    kaname_compile_quickly(${target})
    target_link_libraries(${target} PRIVATE kaname_mpi_suites)
    target_compile_definitions(${target} PRIVATE
      KANAME_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KANAME_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
    foreach(ranks 1 2 3)
      math(EXPR slots "2 * ${ranks}")
      # Solvers see the interface alone, which the suite comm holds with every number of ranks: they
      # run on two here, and on one and three as threads (kaname_conformance_test).
      set(labels mpi)
      if(NOT name STREQUAL "comm" AND NOT ranks EQUAL 2)
        list(APPEND labels long)
      endif()
      add_test(NAME mpi.${name}.${ranks}
               COMMAND ${MPIEXEC_EXECUTABLE} --bind-to none --oversubscribe -n ${ranks}
                       $<TARGET_FILE:${target}>)
      set_tests_properties(mpi.${name}.${ranks} PROPERTIES
        TIMEOUT 300 LABELS "${labels}" COST 500 PROCESSORS ${slots}
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1;OMP_NUM_THREADS=1")
    endforeach()
  endforeach()
endfunction()

# tests/gpu/*_test.cpp as one executable, label gpu: kernels and solves on a GPU against the CPU. One
# after the other, since they share the device.
function(kaname_gpu_tests)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/gpu/*_test.cpp)
  add_executable(kaname_gpu_test ${sources})
  kaname_compile_quickly(kaname_gpu_test PLAIN)
  kaname_compile_together(kaname_gpu_test)
  target_link_libraries(kaname_gpu_test PRIVATE kaname_worker_jobs kaname_solvers_voxelwave
                        kaname_solvers_aderdg kaname_test_support GTest::gtest_main)
  kaname_discover_suites(kaname_gpu_test PROPERTIES TIMEOUT 300 LABELS gpu RESOURCE_LOCK gpu)
endfunction()

# Adds the GPU tests with an emulated GPU (tests/support/emulated_cuda). Kernels, rewritten as C++, take the
# place of those in the solvers' libraries, and a stand-in that of CUDA's runtime. Whole solves, which take
# minutes, have the label long.
function(kaname_emulated_gpu_tests)
  find_program(KANAME_PYTHON python3)
  if(KANAME_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR NOT KANAME_PYTHON)
    return()
  endif()
  set(emulator ${PROJECT_SOURCE_DIR}/tests/support/emulated_cuda)
  set(folder ${PROJECT_BINARY_DIR}/emulated_cuda)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
       ${PROJECT_SOURCE_DIR}/solvers/*.cu ${PROJECT_SOURCE_DIR}/solvers/*.cuh)
  set(inputs ${kernels})
  list(TRANSFORM inputs PREPEND ${PROJECT_SOURCE_DIR}/)
  set(rewritten ${kernels})
  list(TRANSFORM rewritten PREPEND ${folder}/)
  list(TRANSFORM rewritten APPEND .cpp REGEX "\\.cu$")
  add_custom_command(OUTPUT ${rewritten}
    COMMAND ${KANAME_PYTHON} ${emulator}/rewrite.py ${PROJECT_SOURCE_DIR} ${folder} ${kernels}
    DEPENDS ${inputs} ${emulator}/rewrite.py)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/gpu/*_test.cpp ${emulator}/*.cpp)
  set(target kaname_emulated_gpu_test)
  # Kernels are compiled without warnings: what is rewritten is not what somebody wrote.
  add_library(kaname_emulated_kernels OBJECT ${rewritten})
  kaname_compile_together(kaname_emulated_kernels)
  kaname_compile_quickly(kaname_emulated_kernels)
  target_compile_options(kaname_emulated_kernels PRIVATE -w)
  target_link_libraries(kaname_emulated_kernels PRIVATE kaname_options kaname_solvers_device)
  add_executable(${target} ${sources} $<TARGET_OBJECTS:kaname_emulated_kernels>)
  kaname_compile_together(${target})
  kaname_compile_quickly(${target} PLAIN)
  # Each barrier of a kernel goes through it once for every thread of the block.
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set_source_files_properties(${emulator}/emulator.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                                COMPILE_OPTIONS -O2 TARGET_DIRECTORY ${target})
  endif()
  foreach(emulated kaname_emulated_kernels ${target})
    target_include_directories(${emulated} BEFORE PRIVATE ${folder} ${CUDAToolkit_INCLUDE_DIRS})
    target_compile_definitions(${emulated} PRIVATE KANAME_HAVE_CUDA=1)
  endforeach()
  target_link_libraries(${target} PRIVATE kaname_worker_jobs kaname_solvers_voxelwave
                        kaname_solvers_aderdg kaname_test_support GTest::gtest_main)
  kaname_discover_suites(${target} PREFIX Emulated. EXCEPT SolveGpu PROPERTIES TIMEOUT 900 LABELS unit)
  kaname_discover_suites(${target} PREFIX Emulated. ONLY SolveGpu PROPERTIES TIMEOUT 900 LABELS long)
endfunction()

# Scripts: tests/{e2e,conventions,python}/*_test.{py,sh} run by their interpreter with the bin folder and
# the source folder as arguments; label script. Those named *_long_test have the label long too:
# deploy/test runs them with --full, and the benchmark and chaos once more with more lines and faults.
function(kaname_script_tests)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/conventions/*_test.py)
  if(KANAME_SERVICE)  # the programs
    file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/e2e/*_test.sh
         ${PROJECT_SOURCE_DIR}/tests/e2e/*_test.py ${PROJECT_SOURCE_DIR}/tests/e2e/chaos/*_test.py
         ${PROJECT_SOURCE_DIR}/tests/python/*_test.py ${PROJECT_SOURCE_DIR}/tests/page/*_test.py)
    list(APPEND scripts ${programs})
  endif()
  # Tests neither see nor fill the user's cache. In theirs this machine's speed is kept, which takes half a
  # second to measure, and no mesh: where their folder would be, there is a file.
  set(cache ${PROJECT_BINARY_DIR}/test_cache)
  file(MAKE_DIRECTORY ${cache}/speeds)
  file(TOUCH ${cache}/meshes)
  foreach(script ${scripts})
    get_filename_component(stem ${script} NAME_WE)
    if(script MATCHES "\\.py$")
      set(runner /usr/bin/python3)
    else()
      set(runner bash)
    endif()
    if(script MATCHES "/tests/python/")
      string(PREPEND stem python_)
    endif()
    add_test(NAME script.${stem}
             COMMAND ${runner} ${script} ${PROJECT_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR})
    set(labels script)
    if(stem MATCHES "_long_test$")
      list(APPEND labels long)
    endif()
    # Browsers, the benchmark and packing keep a core busy, and where parts are killed or jobs have limits, work
    # must get on: those have a core or so (two slots), chaos more. Slurm, whose first solver must come to a
    # checkpoint before it leaves, and the crowd, whose heartbeats have deadlines, have all. They come first,
    # then what lasts longest, then other scripts, then suites that take a minute: what is left at the end is
    # short (COST).
    set(slots 1)
    set(cost 1000)
    if(script MATCHES "/tests/page/|/(bench|restart|service_faults|deb)_test")
      set(slots 2)
      set(cost 2000)
    elseif(script MATCHES "/chaos_test")
      set(slots 4)
      set(cost 3000)
    elseif(script MATCHES "/(slurm|crowd)_test")
      set(slots 6)
      set(cost 3000)
    elseif(script MATCHES "/(service|transport|campaign|backup|clock|two_servers)_test")
      set(cost 2000)
    endif()
    set_tests_properties(script.${stem} PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77 COST ${cost}
                         PROCESSORS ${slots}
                         LABELS "${labels}" ENVIRONMENT "KANAME_CACHE=${cache}")
    if(stem STREQUAL "bench_test")
      add_test(NAME script.bench_long_test
               COMMAND ${runner} ${script} ${PROJECT_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR} --long)
      set_tests_properties(script.bench_long_test PROPERTIES TIMEOUT 1200 COST 1000
                           SKIP_RETURN_CODE 77 PROCESSORS ${slots} LABELS "script;long")
    endif()
    if(stem STREQUAL "chaos_test")
      add_test(NAME script.chaos_long_test
               COMMAND ${runner} ${script} ${PROJECT_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR}
                       --faults 400 --seed 2)
      set_tests_properties(script.chaos_long_test PROPERTIES TIMEOUT 1800 COST 1000
                           SKIP_RETURN_CODE 77 PROCESSORS ${slots} LABELS "script;long"
                           ENVIRONMENT "KANAME_CACHE=${cache}")
    endif()
  endforeach()
endfunction()
