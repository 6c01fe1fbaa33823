// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/h5/file.hpp"
#include "worker/jobs/stage/solve_options.hpp"
#include "worker/jobs/stage/stage.hpp"

/// The one loop over packs, the one loop over the steps of a pack and the one file of checkpoints,
/// for all kinds of jobs.
namespace kaname::jobs {

/// "a,b,c".
[[nodiscard]] std::string joined(std::span<const std::string> ids);

/// Returns the most memory that this process has had so far [bytes].
[[nodiscard]] double peak_bytes();

/// PackObserver is called on rank 0 while packs are solved; any of its functions may be empty.
struct PackObserver {
    std::function<void(const std::vector<std::string>& ids)> begin = {};
    std::function<void(const SolveProgress&)> step = {};
    /// `peak_bytes`: memory of all ranks; `whole`: solved from its first step on.
    std::function<void(const PackOutcome&, double peak_bytes, bool whole)> end = {};
};

/// Solves one pack. It stops after a step where `cancelled` returns true on rank 0. Collective.
/// Throws as SolveSession::solve.
PackOutcome solve_pack(SolveSession& session, const std::vector<std::string>& ids, comm::Comm& comm,
                       const PackObserver& observer, const std::function<bool()>& cancelled);

/// Returns the ids in packs of `most`; the ids in `begun` come first, in packs of their own.
[[nodiscard]] std::vector<std::vector<std::string>> in_packs(
    std::vector<std::string> ids, std::size_t most, const std::vector<std::string>& begun = {});

using OpenSession = std::function<std::unique_ptr<SolveSession>()>;
/// Called on every rank once the session is open; what it returns is told on rank 0 alone.
using Observe = std::function<PackObserver(const SolveSession&)>;
/// Solves packs one after another, after all ranks have found the same ones unsolved. The session
/// is opened where there are any. Collective.
SolveSummary solve_unsolved(const Unsolved& unsolved, const OpenSession& open, comm::Comm& comm,
                            const Observe& observe);

/// Runs a pack's steps to their end. advance() takes some steps and describes them; it returns
/// false without a step when none is left. checkpoint() writes when it is time to. Returns false
/// when the observer on rank 0 wants no more. Collective.
[[nodiscard]] bool run_steps(const std::function<bool(SolveProgress&)>& advance,
                             const std::function<void(SolveProgress&)>& checkpoint,
                             const SolveObserver& observer, SolveProgress& progress,
                             comm::Comm& comm);

/// Lets rank 0 write a pack's results and describes them in the outcome: write(k, path) writes the
/// result of ids[k] on rank 0, and returns on every rank what became of it. Collective; what is
/// thrown on one rank is thrown on all.
void write_results(std::span<const std::string> ids,
                   const std::function<SourceOutcome(std::size_t k)>& write, comm::Comm& comm,
                   PackOutcome& outcome);

/// CheckpointFile is the one checkpoint of a work folder, whatever is in it. One that does not
/// belong to a pack, or is damaged, is passed over with a warning, and so is one that cannot be
/// written: neither ends a solve.
class CheckpointFile {
public:
    /// `wanted` false: nothing is written. `format` and `version` are attributes of the file.
    CheckpointFile(const std::string& work_dir, bool wanted, std::optional<double> interval_s,
                   std::string format, std::string version, comm::Comm& comm);

    /// A pack begins: opens the file on rank 0 and lets `read` read it. Returns the open file, or
    /// null where there is none, `read` throws an Error, or on another rank.
    [[nodiscard]] std::unique_ptr<h5::File> open(const std::function<void(const h5::File&)>& read,
                                                 SolveProgress& progress);
    /// Warns on rank 0 that the checkpoint is not used.
    void pass_over(const Error& error, SolveProgress& progress) const;
    /// Returns true if it is time to write a checkpoint. Collective.
    [[nodiscard]] bool due();
    /// Writes a file: together(file) first, on all ranks, with null where rank 0 has no file, then
    /// fill(file) on rank 0. together() returns rank 0's error in place of throwing it. Collective.
    void write(const std::function<void(h5::File&)>& fill, SolveProgress& progress,
               const std::function<std::exception_ptr(h5::File*)>& together = {});
    /// Removes the checkpoint of a pack that has ended.
    void remove() const;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_, format_, version_;
    bool wanted_;
    comm::Comm& comm_;
    CheckpointClock clock_;
    CheckpointClock::Clock::time_point begin_{};
    bool warned_ = false;
};

}  // namespace kaname::jobs
