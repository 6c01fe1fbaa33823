// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/comm/comm.hpp"

namespace kaname::conformance {

/// One thing that every Comm does, run on all its ranks at once. `check` throws when it does not.
struct CommCase {
    const char* name;
    void (*check)(comm::Comm& comm);
};

/// Returns the cases, which hold for serial, thread and MPI ranks, any number of them.
[[nodiscard]] const std::vector<CommCase>& comm_cases();
[[nodiscard]] const std::vector<CommCase>& halo_cases();

}  // namespace kaname::conformance
