// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/guarded.hpp"

#include <iostream>

#include "worker/run/exit_code.hpp"

namespace kaname::compute {

Outcome guarded(int rank, const std::string& gpu, Reporter& reporter,
                const std::function<int()>& verb) {
    try {
        return {verb(), false, false};
    } catch (const std::exception& error) {
        run::Failure failure = run::describe(error);
        const bool of_another_rank =
            failure.code == ErrorCode::DeviceFault && !failure.device_fault;
        const bool tells = failure.device_fault || (rank == 0 && !of_another_rank);
        if (failure.device_fault && failure.device_fault->gpu.empty()) {
            failure.device_fault->gpu = gpu;
        }
        if (tells) {
            reporter.failure(failure);
        } else {
            std::cerr << "error: rank " << rank << ": " << failure.message << std::endl;
        }
        return {run::exit_code(failure.code), true, tells};
    }
}

}  // namespace kaname::compute
