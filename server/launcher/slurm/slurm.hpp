// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kaname::launcher {

/// Where a batch job is, of all that Slurm calls it.
enum class JobPhase { Waiting, Running, Ended, Other };

/// A job as squeue or sacct tells of it.
struct SlurmJob {
    std::string id, name;
    std::string state;  ///< Slurm's word
    JobPhase phase = JobPhase::Other;
    std::string reason = {};            ///< why it waits or failed; may be empty
    std::optional<int> exit_code = {};  ///< sacct alone knows
};

/// Of Slurm's word for a state, of which sacct may say more behind a blank.
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
    /// Whether a job would be accepted; empty, or why not.
    [[nodiscard]] std::string test(const std::vector<std::string>& options,
                                   const std::string& script) const;
    /// All jobs of this user that the controller knows, those that ended lately among them.
    [[nodiscard]] std::optional<std::vector<SlurmJob>> queue(std::string& trouble) const;
    /// What the accounting knows of jobs of these names since `since_s` (Unix time).
    [[nodiscard]] std::optional<std::vector<SlurmJob>> history(
        const std::vector<std::string>& names, double since_s) const;
    enum class Cancel {
        Waiting,  ///< only while it has not begun
        Gently,   ///< its script is told, and ends as it likes
        Now,
    };
    /// Of this user's jobs those of that name, since numbers are used again.
    void cancel(const std::string& name, Cancel how) const;
    /// Likewise one of several of that name.
    void cancel_copy(const std::string& name, const std::string& id) const;

private:
    double command_s_;
};

}  // namespace kaname::launcher
