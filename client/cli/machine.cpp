// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/machine.hpp"

#include <iostream>

#include "solvers/base/machine.hpp"

namespace kaname::cli {

void warn_of_more_threads_than_cores(const std::string& options, long long threads) {
    const int cores = this_machine().cores;
    if (threads > cores) {
        std::cerr << "warning: " << options << ": should be at most the " << cores
                  << " cores that may be used, got " << threads
                  << " threads in all; they will wait for each other\n";
    }
}

}  // namespace kaname::cli
