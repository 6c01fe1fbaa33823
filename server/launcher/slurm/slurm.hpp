// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace kaname::launcher {

/// JobPhase sums up Slurm's states of a batch job.
enum class JobPhase { Waiting, Running, Ended, Other };

/// A job as squeue or sacct tells of it.
struct SlurmJob {
    std::string id, name;
    std::string state;  ///< Slurm's word
    JobPhase phase = JobPhase::Other;
    std::string reason = {};            ///< why it waits or failed; may be empty
    std::optional<int> exit_code = {};  ///< sacct alone knows
};

/// Maps Slurm's word for a state to a phase; text behind a blank, as sacct adds it, is ignored.
[[nodiscard]] JobPhase phase_of(const std::string& state);

struct Submitted {
    enum class Answer {
        Taken,
        Refused,  ///< there is no such job, and `trouble` says why
        Unclear,  ///< it may be there
    };
    Answer answer = Answer::Unclear;
    std::string id, trouble;
    bool missing = false;  ///< there is no sbatch
};

/// Slurm's commands. An answer is one only when it is whole: what failed, took too long, or lacks
/// what every answer begins with is none, which is std::nullopt with `trouble` set.
class Slurm {
public:
    explicit Slurm(double command_s) : command_s_(command_s) {}

    [[nodiscard]] Submitted submit(const std::vector<std::string>& options, const std::string& name,
                                   const std::string& script) const;
    /// Tests whether Slurm would accept a job. Returns why not; empty: it would.
    [[nodiscard]] std::string test(const std::vector<std::string>& options,
                                   const std::string& script) const;
    /// All jobs of this user that the controller knows, those that ended lately among them.
    [[nodiscard]] std::optional<std::vector<SlurmJob>> queue(std::string& trouble) const;
    /// Returns the accounting records of jobs of these names since `since_s` (Unix time).
    [[nodiscard]] std::optional<std::vector<SlurmJob>> history(
        const std::vector<std::string>& names, double since_s) const;
    enum class Cancel {
        Waiting,  ///< only while it has not begun
        Gently,   ///< its script is told, and ends as it likes
        Now,
    };
    /// Cancels this user's jobs of that name; they are not chosen by number, since numbers are used
    /// again.
    void cancel(const std::string& name, Cancel how) const;
    /// Cancels one of several of this user's jobs of that name.
    void cancel_copy(const std::string& name, const std::string& id) const;

private:
    double command_s_;
};

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
