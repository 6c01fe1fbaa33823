// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/base/seconds_since.hpp"
#include "solvers/jobs/spec/device_choice.hpp"
#include "solvers/jobs/voxel_waves/wave_checkpoint.hpp"
#include "solvers/jobs/voxel_waves/wave_model.hpp"
#include "solvers/jobs/voxel_waves/wave_records.hpp"
#include "solvers/jobs/voxel_waves/wave_stages.hpp"

namespace kaname::jobs {
namespace {

using Clock = std::chrono::steady_clock;

template <class T>
class WaveSession final : public SolveSession {
public:
    WaveSession(const WaveJob& job, std::string work_dir, comm::Comm& comm)
        : job_(job),
          work_dir_(std::move(work_dir)),
          comm_(comm),
          queue_(choose_queue(job.placement)),
          model_(build_wave_model(job)),
          setup_s_(seconds_since(start_)) {}

    [[nodiscard]] std::int64_t dof() const override { return 3 * model_.voxels.n_nodes(); }
    [[nodiscard]] double setup_s() const override { return setup_s_; }
    [[nodiscard]] double effort() const override { return 1.0; }
    [[nodiscard]] std::string element() const override {
        return voxelwave::is_orthogonal(job_.variant) ? "ovfem" : "vfem";
    }
    [[nodiscard]] std::string device() const override {
        return device_text(job_.placement, queue_);
    }
    [[nodiscard]] std::string time_text() const override {
        char text[96];
        std::snprintf(text, sizeof text, "%lld steps of %.4g s",
                      static_cast<long long>(model_.n_steps), model_.params.dt_s);
        return text;
    }
    PackOutcome solve(std::span<const std::string> source_ids,
                      const SolveObserver& observer) override;

private:
    [[nodiscard]] std::int64_t next_stop(std::int64_t step, std::int64_t stride) const;

    const Clock::time_point start_ = Clock::now();
    const WaveJob& job_;
    std::string work_dir_;
    comm::Comm& comm_;
    device::Queue queue_;
    WaveModel model_;
    double setup_s_;
};

/// The next step after which there is something to do beside recording.
template <class T>
std::int64_t WaveSession<T>::next_stop(std::int64_t step, std::int64_t stride) const {
    std::int64_t stop = std::min(model_.n_steps, step + stride);
    for (const std::int64_t snapshot : model_.snapshot_steps) {
        if (snapshot > step) {
            stop = std::min(stop, snapshot);
        }
    }
    return stop;
}

template <class T>
PackOutcome WaveSession<T>::solve(std::span<const std::string> ids, const SolveObserver& observer) {
    const auto begin = Clock::now();
    std::vector<voxelwave::PointSource> sources;
    SolveProgress progress;
    for (const std::size_t k : places_of(job_, ids)) {
        const WaveJob::Source& source = job_.sources[k];
        sources.push_back({model_.sources_m[k], source.force_n, source.moment_nm, source.time});
    }
    progress.source_ids = joined(ids);
    progress.packs = 1;
    progress.steps = static_cast<int>(model_.n_steps);
    voxelwave::WaveSolver<T> solver(model_.voxels, model_.params, sources, model_.receivers_m,
                                    queue_, &comm_);
    WaveRecords records(job_, model_, ids);
    WaveCheckpoints<T> checkpoints(job_, records.samples.keys(), work_dir_, comm_);
    checkpoints.resume(solver, records, progress);
    PackOutcome outcome;
    Stride stride(comm_, model_.n_steps);
    while (solver.n_steps() < model_.n_steps) {
        const auto since = Clock::now();
        const std::int64_t stop = next_stop(solver.n_steps(), stride.steps());
        const std::int64_t steps = stop - solver.n_steps();
        solver.run(steps, job_.every);
        records.samples.add(solver.take_record());
        if (std::ranges::count(model_.snapshot_steps, stop) > 0) {
            records.add_snapshot(voxelwave::gather_planes(solver.displacement(), solver.slab(),
                                                          model_.voxels, comm_),
                                 stop);
        }
        stride.took(seconds_since(since));
        checkpoints.write_if_due(solver, records, progress);
        progress.step = static_cast<int>(stop);
        progress.fraction = static_cast<double>(stop) / static_cast<double>(model_.n_steps);
        if (!wants_more(observer, progress, comm_)) {
            outcome.cancelled = true;
            checkpoints.remove();
            outcome.solve_s = seconds_since(begin);
            return outcome;
        }
        progress.resumed_step = -1;
        progress.checkpoint.clear();
        progress.warnings.clear();
    }
    write_pack(
        ids, work_dir_, comm_, [&](std::size_t lane) { return records.result(lane); }, outcome);
    checkpoints.remove();
    outcome.solves = model_.n_steps;
    outcome.solve_s = seconds_since(begin);
    return outcome;
}

}  // namespace

std::unique_ptr<SolveSession> open_waves(const WaveJob& job, const std::string& work_dir,
                                         comm::Comm& comm) {
    if (job.single) {
        return std::make_unique<WaveSession<float>>(job, work_dir, comm);
    }
    return std::make_unique<WaveSession<double>>(job, work_dir, comm);
}

}  // namespace kaname::jobs
