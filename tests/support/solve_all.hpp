// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>

#include "worker/jobs/stage/pack_frame.hpp"

namespace kaname::test {

using OnStep = std::function<void(const jobs::SolveProgress&)>;

/// Solves all that is unsolved. Collective; on_step is called on rank 0.
inline jobs::SolveSummary solve_all(const jobs::Unsolved& unsolved, const jobs::OpenSession& open,
                                    comm::Comm& comm, const OnStep& on_step = {}) {
    return jobs::solve_unsolved(unsolved, open, comm, [&](const jobs::SolveSession&) {
        return jobs::PackObserver{.step = on_step};
    });
}

inline jobs::SolveSummary solve_all(const jobs::Stages& stages, const jobs::GreensJob& job,
                                    const std::string& mesh_path, const std::string& work_dir,
                                    comm::Comm& comm, const OnStep& on_step = {}) {
    return solve_all(
        stages.unsolved(job, mesh_path, work_dir),
        [&] { return stages.open(job, mesh_path, work_dir, comm); }, comm, on_step);
}

}  // namespace kaname::test
