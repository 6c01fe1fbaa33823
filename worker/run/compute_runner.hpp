// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
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

/// A session's program ended by itself; the message has its last lines.
class SessionEnded : public Error {
public:
    explicit SessionEnded(const std::string& message) : Error(ErrorCode::Internal, message) {}
};

/// A verb of kaname-compute that goes on: commands go in, an answer to each comes out. One thread
/// uses it at a time; the program dies with the thread that started it.
class ComputeSession {
public:
    ComputeSession(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                   Ranks ranks = 1, const ResourceLimits& limits = {},
                   const std::string& traceparent = {});
    /// The end of standard input ends the program; one that does not hear is terminated.
    ~ComputeSession();
    ComputeSession(const ComputeSession&) = delete;
    ComputeSession& operator=(const ComputeSession&) = delete;

    /// One line. That a program no longer reads is noticed by next().
    void send(const std::string& command);
    /// The next Result or Failure; all other events go to `on_event`. `check` is called a few times
    /// per second, and what it throws leaves next(). Throws SessionEnded.
    [[nodiscard]] Event next(const std::function<void(const Event&)>& on_event,
                             const std::function<void()>& check);

private:
    [[noreturn]] void throw_ended();

    std::string verb_;
    Process child_;
    std::deque<Event> answers_;     ///< that came with one read and wait for their turn
    std::deque<std::string> tail_;  ///< last lines that are no events
};

/// Tells whether processes of this machine have waited for a core in more than a tenth of the last
/// ten seconds (PSI, proc_pressure_cpu(5)); where the kernel does not say that, whether more than
/// `cores` are runnable on average. `proc`: where proc(5) is mounted.
[[nodiscard]] bool has_busy_neighbours(int cores, const std::filesystem::path& proc = "/proc");

}  // namespace kaname::run
