// SPDX-License-Identifier: BSD-3-Clause
// The communicator's conformance suite on MPI ranks: run under mpirun.
#include <exception>
#include <iostream>

#include "solvers/comm/mpi/mpi_comm.hpp"
#include "tests/conformance/comm_suite.hpp"

int main() {
    using namespace kaname;
    comm::MpiSession session;
    const auto comm = comm::make_mpi_comm(session);
    for (const auto* cases : {&conformance::comm_cases(), &conformance::halo_cases()}) {
        for (const auto& comm_case : *cases) {
            try {
                comm_case.check(*comm);
            } catch (const std::exception& e) {
                std::cerr << "rank " << comm->rank() << ": " << comm_case.name << ": " << e.what()
                          << std::endl;
                session.abort(1);
            }
        }
    }
    return 0;
}
