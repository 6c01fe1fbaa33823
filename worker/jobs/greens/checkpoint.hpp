// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/io/source_file.hpp"
#include "worker/jobs/greens/pack_runner.hpp"
#include "worker/jobs/stage/greens_job.hpp"
#include "worker/jobs/stage/pack_frame.hpp"

namespace kaname::jobs {

/// The sources of the checkpoint in a work folder, in the order of their pack; none when there is
/// no checkpoint that can be read.
[[nodiscard]] std::vector<std::string> checkpoint_sources(const std::string& work_dir);

/// Writes and reads the state of a runner, and what it recorded, in the checkpoint of a work
/// folder.
class Checkpoints {
public:
    Checkpoints(const GreensJob& job, const std::string& work_dir, comm::Comm& comm);

    /// Why these sources were solved by time steps in place of the spectrum when the checkpoint was
    /// written; empty where they were not, or where it does not hold all of them. Collective.
    [[nodiscard]] std::string steps_because(const std::vector<io::SourceResult>& results) const;
    /// After runner.start(): takes back the state and what was recorded so far, when the checkpoint
    /// holds all of these sources. True: the runner goes on from it; else, where `touched` is set,
    /// it must be started anew. Collective.
    bool resume(PackRunner& runner, std::vector<io::SourceResult>& results, SolveProgress& report,
                bool& touched);
    /// Writes when it is time to. `steps_because`: why time steps took the place of the spectrum;
    /// empty where they did not. Collective.
    void write_if_due(PackRunner& runner, const std::vector<io::SourceResult>& results,
                      const std::string& steps_because, SolveProgress& report);
    /// Removes the checkpoint of a pack that has ended.
    void remove() { file_.remove(); }

private:
    struct Found;
    [[nodiscard]] Found look(const std::vector<io::SourceResult>& results, SolveProgress& report);

    bool full_;
    std::string version_;
    comm::Comm& comm_;
    CheckpointFile file_;
};

}  // namespace kaname::jobs
