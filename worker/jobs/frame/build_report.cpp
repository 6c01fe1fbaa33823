// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/machine.hpp"
#include "worker/jobs/frame/reporter.hpp"

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

v1::BuildReport build_report() {
    v1::BuildReport report;
    report.set_version(KANAME_VERSION);
    report.set_commit(KANAME_COMMIT);
    report.set_hdf5(kHdf5);
    report.set_proj(kProj);
    report.set_metis(kMetis);
    report.set_mpi(kMpi);
    report.set_openmp(kOpenmp);
    return report;
}

std::string program_text() {
    return std::string("kaname-compute ") + KANAME_VERSION + ", commit " + KANAME_COMMIT;
}

std::string machine_text() {
    const Machine machine = this_machine();
    return machine.cpu + ", " + std::to_string(machine.cores) + " cores";
}

}  // namespace kaname::compute
