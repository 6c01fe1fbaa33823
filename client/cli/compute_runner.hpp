// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "worker/channel/events.hpp"

namespace kaname::cli {

struct VerbCall {
    std::vector<std::string> arguments;  ///< the verb, then its options
    int ranks = 1;                       ///< more than one: under mpirun
    std::filesystem::path log;           ///< gets all output that is no event; empty: none
    std::function<void(const channel::Progress&)> on_progress;
};

struct VerbOutcome {
    int exit_code = 0;  ///< kExitOk or kExitSomeFailed
    std::string json;   ///< the verb's result, one object
};

/// Runs verbs of kaname-compute, the program that does all numbers, as child processes.
class ComputeRunner {
public:
    explicit ComputeRunner(std::filesystem::path program) : program_(std::move(program)) {}

    /// Throws what the verb reports; NotFound without the program (or mpirun); what its exit code
    /// stands for, with the end of its output, when it ends without a result; Interrupted when the
    /// user stops it.
    [[nodiscard]] VerbOutcome run(const VerbCall& call) const;

    [[nodiscard]] const std::filesystem::path& program() const { return program_; }

private:
    std::filesystem::path program_;
};

/// kaname-compute beside the running executable.
[[nodiscard]] std::filesystem::path compute_beside_this_program();

}  // namespace kaname::cli
