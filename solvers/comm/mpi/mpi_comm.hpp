// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "solvers/comm/comm.hpp"

namespace kaname::comm {

/// Owns MPI between MPI_Init_thread (FUNNELED: only the calling thread talks to MPI) and
/// MPI_Finalize. One per process; it outlives every communicator made from it.
class MpiSession {
public:
    /// Throws Unavailable when built without MPI, Conflict when MPI is initialised already.
    MpiSession();
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    [[nodiscard]] static bool compiled_in();
    /// Ends all ranks at once; for errors that the other ranks cannot know of.
    [[noreturn]] void abort(int exit_code);
};

/// All ranks of mpirun. Throws Unavailable when built without MPI.
[[nodiscard]] std::unique_ptr<Comm> make_mpi_comm(MpiSession& session);

}  // namespace kaname::comm
