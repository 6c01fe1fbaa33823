// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/h5/file.hpp"
#include "worker/jobs/ader_dg/seismic_job.hpp"
#include "worker/jobs/ader_dg/seismic_package.hpp"
#include "worker/jobs/stage/stage.hpp"
#include "worker/jobs/waves/wave_packs.hpp"

namespace kaname::jobs {

/// SolverRecords takes the results of a solve on tetrahedra while it runs.
class SolverRecords {
public:
    virtual ~SolverRecords() = default;
    /// Takes the results that are complete. Collective, as end() and share().
    virtual void take(aderdg::WaveSolver& solver) = 0;
    /// Takes the results that exist only at the end.
    virtual void end(aderdg::WaveSolver& solver) = 0;
    /// Marks a lane whose waves became invalid as failed, for this reason; results after good_s are
    /// dropped.
    virtual void fail(std::size_t lane, double good_s, const std::string& why) = 0;
    /// Returns the time at which the solver has to stop next, so that results can be taken;
    /// infinite when it need not stop any more.
    [[nodiscard]] virtual double next_s() const = 0;
    [[nodiscard]] virtual const std::vector<std::string>& keys() const = 0;
    virtual void write(h5::File& file) const = 0;
    virtual void read(const h5::File& file) = 0;
    /// Sends to the other ranks, after read() on rank 0, how far the records are.
    virtual void share(comm::Comm& comm) = 0;
};

/// Solves to the end of a job, from the checkpoint on where there is one, and writes it. Lanes
/// whose waves are not finite, or have more energy than anything has given, are failed within a
/// hundredth of the steps, and the solve ends when all are. Returns what became of it, without
/// results; cancelled where the observer wanted no more.
/// Collective.
[[nodiscard]] PackOutcome run_solver(const SeismicJob& job, aderdg::WaveSolver& solver,
                                     SolverRecords& records, std::span<const std::string> ids,
                                     PackCheckpoint& checkpoint, comm::Comm& comm,
                                     const SolveObserver& observer);

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
