// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "worker/run/events.hpp"
#include "worker/run/process.hpp"

namespace kaname::run {

/// RankStarter is the program that starts several ranks: mpirun, which knows the nodes of a batch
/// job, or Slurm's own srun.
enum class RankStarter { Mpirun, Srun };

/// A number of ranks and what starts them; one rank is a plain child.
struct Ranks {
    Ranks(int ranks = 1, RankStarter starter = RankStarter::Mpirun)  // NOLINT(*-explicit-*)
        : n(ranks), by(starter) {}
    int n;
    RankStarter by;
};

struct VerbCall {
    std::vector<std::string> arguments;  ///< the verb, then its options
    Ranks ranks = 1;                     ///< more than one: under mpirun or srun
    /// Gives the error code for SIGKILL, which comes from outside or for want of memory.
    ErrorCode killed = ErrorCode::Internal;
    std::filesystem::path log = {};  ///< gets all output that is no event; empty: none
    std::function<void(const run::Progress&)> on_progress = {};
    std::function<void(const std::string&)> on_log = {};  ///< each line of output that is no event
    std::string traceparent =
        {};  ///< for TRACEPARENT of its environment; empty: that of this process
    std::map<std::string, std::string> env = {};  ///< more of its environment
    ResourceLimits limits = {};
    std::chrono::milliseconds grace{5000};  ///< from SIGTERM to SIGKILL when it is stopped
};

struct VerbOutcome {
    int exit_code = 0;  ///< kExitOk or kExitSomeFailed
    std::string json;   ///< the verb's result, one object
};

/// Runs verbs of kaname-compute, the program that does all numbers, as child processes.
class ComputeRunner {
public:
    /// `check` is called a few times per second while a verb runs; what it throws stops the verb
    /// and leaves run().
    explicit ComputeRunner(std::filesystem::path program, std::function<void()> check = {})
        : program_(std::move(program)), check_(std::move(check)) {}

    /// Throws what the verb reports; NotFound without the program (or mpirun); what its exit code
    /// stands for, with the end of its output, when it ends without a result.
    [[nodiscard]] VerbOutcome run(const VerbCall& call) const;

    [[nodiscard]] const std::filesystem::path& program() const { return program_; }

private:
    std::filesystem::path program_;
    std::function<void()> check_;
};

/// How kaname-compute is started with these arguments: under mpirun or srun when there are several
/// ranks; all of them get the trace, where there is one. Of several ranks each confines itself by
/// kaname-agent, which lies beside this program, as mpirun must reach what no rank may.
[[nodiscard]] run::SpawnOptions compute_command(const std::filesystem::path& program,
                                                const std::vector<std::string>& arguments,
                                                Ranks ranks, const ResourceLimits& limits = {},
                                                const std::string& traceparent = {});

/// A program of Kaname beside the running executable.
[[nodiscard]] std::filesystem::path beside_this_program(const std::string& name);

/// The failure as the exception that it was.
[[noreturn]] void rethrow(const run::Failure& failure);

}  // namespace kaname::run
