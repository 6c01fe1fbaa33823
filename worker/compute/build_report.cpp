// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/build_report.hpp"

#include <nlohmann/json.hpp>

#include "solvers/base/machine.hpp"

#include KANAME_COMMIT_HEADER

namespace kaname::compute {
namespace {

#ifdef KANAME_HAVE_HDF5
constexpr bool kHdf5 = true;
#else
constexpr bool kHdf5 = false;
#endif
#ifdef KANAME_HAVE_PROJ
constexpr bool kProj = true;
#else
constexpr bool kProj = false;
#endif
#ifdef KANAME_HAVE_METIS
constexpr bool kMetis = true;
#else
constexpr bool kMetis = false;
#endif
#ifdef KANAME_HAVE_MPI
constexpr bool kMpi = true;
#else
constexpr bool kMpi = false;
#endif
#ifdef KANAME_HAVE_OPENMP
constexpr bool kOpenmp = true;
#else
constexpr bool kOpenmp = false;
#endif

}  // namespace

std::string build_report() {
    return nlohmann::json{{"version", KANAME_VERSION},
                          {"commit", KANAME_COMMIT},
                          {"hdf5", kHdf5},
                          {"proj", kProj},
                          {"metis", kMetis},
                          {"mpi", kMpi},
                          {"openmp", kOpenmp}}
        .dump();
}

std::string program_text() {
    return std::string("kaname-compute ") + KANAME_VERSION + ", commit " + KANAME_COMMIT;
}

std::string machine_text() {
    const Machine machine = this_machine();
    return machine.cpu + ", " + std::to_string(machine.cores) + " cores";
}

}  // namespace kaname::compute
