# kaname_unit_tests(<module dir>): tests/unit/<dir>/*_test.cpp as one executable with GoogleTest's
# main, *_long_test.cpp as another with the label long; skipped when the module is not part of this
# build.
function(kaname_unit_tests dir)
  kaname_target_name(module ${dir})
  if(NOT TARGET ${module})
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${dir}/*_test.cpp)
  set(long_sources ${sources})
  list(FILTER long_sources INCLUDE REGEX "_long_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_long_test\\.cpp$")
  kaname_unit_test_program(${module}_test ${module} "${sources}")
  if(long_sources)
    kaname_unit_test_program(${module}_long_test ${module} "${long_sources}" LABELS long)
  endif()
endfunction()

# kaname_unit_test_program(<target> <module> <sources> [<property> <value>]...)
function(kaname_unit_test_program target module sources)
  add_executable(${target} ${sources})
  kaname_compile_quickly(${target})
  kaname_share_precompiled(${target} gtest)
  target_link_libraries(${target} PRIVATE ${module} kaname_test_support GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE
    KANAME_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KANAME_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT 300 ${ARGN})
endfunction()

# kaname_precompile_gtest(): kaname_precompiled_gtest, as unit tests are compiled: an executable, whose
# options are those of executables.
function(kaname_precompile_gtest)
  set(source ${PROJECT_BINARY_DIR}/precompiled/gtest.cpp)
  file(GENERATE OUTPUT ${source} CONTENT "int main() {}\n")
  add_executable(kaname_precompiled_gtest EXCLUDE_FROM_ALL ${source})
  kaname_compile_quickly(kaname_precompiled_gtest)
  target_link_libraries(kaname_precompiled_gtest PRIVATE kaname_test_support GTest::gtest_main)
  kaname_precompile(kaname_precompiled_gtest <gtest/gtest.h>)
endfunction()

# kaname_test_folder(<name>): tests/<name>/*_test.cpp (and *_suite.cpp that they share with MPI
# runs) as one executable, label <name>.
function(kaname_test_folder name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  file(GLOB suites CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_suite.cpp)
  list(APPEND sources ${suites})
  set(target kaname_${name}_test)
  add_executable(${target} ${sources})
  kaname_compile_quickly(${target})
  kaname_share_precompiled(${target} gtest)
  target_link_libraries(${target} PRIVATE kaname_solvers_jobs kaname_test_support
                        GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE
    KANAME_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KANAME_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT 900 LABELS ${name})
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
  target_link_libraries(kaname_mpi_suites PUBLIC kaname_solvers_jobs kaname_test_support)
  foreach(main ${mains})
    get_filename_component(name ${main} NAME_WE)
    string(REGEX REPLACE "_main$" "" name ${name})
    set(target kaname_${name}_mpi_test)
    add_executable(${target} ${main})
    target_link_libraries(${target} PRIVATE kaname_mpi_suites)
    target_compile_definitions(${target} PRIVATE
      KANAME_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KANAME_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
    foreach(ranks 1 2 3)
      add_test(NAME mpi.${name}.${ranks}
               COMMAND ${MPIEXEC_EXECUTABLE} --bind-to none --oversubscribe -n ${ranks}
                       $<TARGET_FILE:${target}>)
      set_tests_properties(mpi.${name}.${ranks} PROPERTIES
        TIMEOUT 300 LABELS mpi PROCESSORS ${ranks}
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1;OMP_NUM_THREADS=1")
    endforeach()
  endforeach()
endfunction()

# tests/gpu/*_test.cpp as one executable, label gpu: kernels and solves on a GPU against the CPU. One
# after the other, since they share the device.
function(kaname_gpu_tests)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/gpu/*_test.cpp)
  add_executable(kaname_gpu_test ${sources})
  target_link_libraries(kaname_gpu_test PRIVATE kaname_solvers_jobs kaname_solvers_voxelwave
                        kaname_solvers_aderdg kaname_test_support GTest::gtest_main)
  gtest_discover_tests(kaname_gpu_test DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT 300 LABELS gpu RESOURCE_LOCK gpu)
endfunction()

# The same tests with an emulated GPU (tests/support/emulated_cuda): kernels, rewritten as C++, take the
# place of those in the solvers' libraries, and a stand-in that of CUDA's runtime. Whole solves, which
# take minutes, have the label long.
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
  set_source_files_properties(${rewritten} PROPERTIES COMPILE_OPTIONS -w)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/gpu/*_test.cpp ${emulator}/*.cpp)
  set(target kaname_emulated_gpu_test)
  add_executable(${target} ${sources} ${rewritten})
  target_include_directories(${target} BEFORE PRIVATE ${folder} ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE KANAME_HAVE_CUDA=1)
  target_link_libraries(${target} PRIVATE kaname_solvers_jobs kaname_solvers_voxelwave
                        kaname_solvers_aderdg kaname_test_support GTest::gtest_main)
  foreach(kind short long)
    set(filter "-SolveGpu.*")
    set(labels unit)
    if(kind STREQUAL "long")
      set(filter "SolveGpu.*")
      set(labels long)
    endif()
    gtest_discover_tests(${target} TEST_PREFIX Emulated. TEST_FILTER ${filter}
                         DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT 900 LABELS ${labels})
  endforeach()
endfunction()

# Scripts: tests/{e2e,conventions,python}/*_test.{py,sh} run by their interpreter with the bin folder and
# the source folder as arguments; label script. Those named *_long_test have the label long too:
# deploy/test runs them with --full.
function(kaname_script_tests)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/conventions/*_test.py)
  if(KANAME_SERVICE)  # the programs
    file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/e2e/*_test.sh
         ${PROJECT_SOURCE_DIR}/tests/e2e/*_test.py ${PROJECT_SOURCE_DIR}/tests/e2e/chaos/*_test.py
         ${PROJECT_SOURCE_DIR}/tests/python/*_test.py ${PROJECT_SOURCE_DIR}/tests/page/*_test.py)
    list(APPEND scripts ${programs})
  endif()
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
    # A folder that cannot be: tests neither see nor fill the user's kept meshes.
    set_tests_properties(script.${stem} PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77
                         LABELS "${labels}" ENVIRONMENT "KANAME_CACHE=/dev/null/none")
  endforeach()
endfunction()
