// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "solvers/device/queue.hpp"
#include "solvers/jobs/seismic_waves/run_solver.hpp"
#include "solvers/jobs/seismic_waves/seismic_stages.hpp"

namespace kaname::jobs {

/// Returns the placement of a job that the CPU alone can solve: auto becomes the CPU. Throws
/// InvalidArgument with `why` for cuda.
[[nodiscard]] Placement on_processors(Placement placement, const std::string& why);

/// SolverSession holds what sessions of jobs on tetrahedra have in common.
class SolverSession : public SeismicSession {
public:
    SolverSession(const SeismicJob& job, std::string work_dir, comm::Comm& comm,
                  const Placement& placement);

    [[nodiscard]] std::int64_t dof() const override;
    [[nodiscard]] double setup_s() const override { return setup_s_; }
    [[nodiscard]] double effort() const override { return 1.0; }
    [[nodiscard]] std::string element() const override;
    [[nodiscard]] std::string device() const override;
    [[nodiscard]] std::string time_text() const override;
    [[nodiscard]] double updates() const override;

protected:
    /// The model is loaded: ends the set-up.
    void ready(const aderdg::WaveModel& waves);
    /// Solves a pack and writes result(lane) with what `also` adds, unless it is cancelled.
    PackOutcome solve_pack(const aderdg::WaveModel& waves, const aderdg::WavePoints& points,
                           SolverRecords& records, std::span<const std::string> ids,
                           const char* checkpoint_format, const SolveObserver& observer,
                           const std::function<io::WaveResult(std::size_t lane)>& result,
                           const std::function<void(h5::File&)>& also = {});

private:
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    const SeismicJob& job_;
    std::string work_dir_;
    comm::Comm& comm_;
    device::Queue queue_;
    aderdg::Clusters clusters_;
    std::int64_t tets_ = 0;
    double setup_s_ = 0.0;
};

}  // namespace kaname::jobs
