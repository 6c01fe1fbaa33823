// SPDX-License-Identifier: BSD-3-Clause
// The ADER-DG solver's conformance suite on MPI ranks: run under mpirun.
#include <exception>
#include <iostream>

#include "solvers/comm/mpi/mpi_comm.hpp"
#include "solvers/device/threads.hpp"
#include "tests/conformance/aderdg_suite.hpp"

int main() {
    using namespace kaname;
    comm::MpiSession session;
    const auto comm = comm::make_mpi_comm(session);
    device::set_threads(1);
    for (const auto& comm_case : conformance::aderdg_cases()) {
        try {
            comm_case.check(*comm);
        } catch (const std::exception& e) {
            std::cerr << "rank " << comm->rank() << ": " << comm_case.name << ": " << e.what()
                      << std::endl;
            session.abort(1);
        }
    }
    return 0;
}
