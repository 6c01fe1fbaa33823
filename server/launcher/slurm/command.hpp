// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::launcher {

struct CommandOutcome {
    bool found = true;       ///< false: there is no such program
    bool timed_out = false;  ///< it was ended; what it had begun may go on
    int exit_code = 0;       ///< -1: a signal
    std::string out, err;

    [[nodiscard]] bool ok() const { return found && !timed_out && exit_code == 0; }
    /// One line about what went wrong, with the last that it said.
    [[nodiscard]] std::string trouble(const std::string& program) const;
};

/// Runs a command of Slurm, without a shell, with `input` on its stdin, and without those variables
/// of the environment that would be options of it. Throws nothing but for lack of memory.
[[nodiscard]] CommandOutcome run_command(const std::vector<std::string>& argv,
                                         const std::string& input, double limit_s);

}  // namespace kaname::launcher
