// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/io/wave_file.hpp"
#include "solvers/jobs/spec/device_choice.hpp"
#include "solvers/jobs/voxel_waves/wave_checkpoint.hpp"
#include "solvers/jobs/voxel_waves/wave_model.hpp"
#include "solvers/jobs/voxel_waves/wave_records.hpp"
#include "solvers/jobs/voxel_waves/wave_stages.hpp"

namespace kaname::jobs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTell_s = 0.5;  ///< between two words of progress

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

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
    [[nodiscard]] std::vector<std::size_t> places_of(std::span<const std::string> ids) const;
    [[nodiscard]] std::int64_t next_stop(std::int64_t step, std::int64_t stride) const;
    void write(const WaveRecords& records, std::span<const std::string> ids, PackOutcome& outcome);
    [[nodiscard]] bool go_on(const SolveObserver& observer, const SolveProgress& progress);

    const Clock::time_point start_ = Clock::now();
    const WaveJob& job_;
    std::string work_dir_;
    comm::Comm& comm_;
    device::Queue queue_;
    WaveModel model_;
    double setup_s_;
};

template <class T>
std::vector<std::size_t> WaveSession<T>::places_of(std::span<const std::string> ids) const {
    if (ids.empty() || std::ssize(ids) > kWavePack) {
        throw Error(ErrorCode::InvalidArgument, "a pack must have 1 to " +
                                                    std::to_string(kWavePack) + " sources, got " +
                                                    std::to_string(ids.size()));
    }
    std::vector<std::size_t> places;
    for (const std::string& id : ids) {
        const auto found = std::ranges::find(job_.sources, id, &WaveJob::Source::id);
        if (found == job_.sources.end()) {
            throw Error(ErrorCode::InvalidArgument, "no source has the id '" + id + "'");
        }
        places.push_back(static_cast<std::size_t>(found - job_.sources.begin()));
    }
    return places;
}

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
bool WaveSession<T>::go_on(const SolveObserver& observer, const SolveProgress& progress) {
    const bool stop = comm_.rank() == 0 && !observer(progress);
    return comm_.sum(stop ? 1.0 : 0.0) == 0.0;
}

template <class T>
PackOutcome WaveSession<T>::solve(std::span<const std::string> ids, const SolveObserver& observer) {
    const auto begin = Clock::now();
    std::vector<voxelwave::PointSource> sources;
    SolveProgress progress;
    for (const std::size_t k : places_of(ids)) {
        const WaveJob::Source& source = job_.sources[k];
        sources.push_back({model_.sources_m[k], source.force_n, source.moment_nm, source.time});
        progress.source_ids += (progress.source_ids.empty() ? "" : ",") + source.id;
    }
    progress.packs = 1;
    progress.steps = static_cast<int>(model_.n_steps);
    voxelwave::WaveSolver<T> solver(model_.voxels, model_.params, sources, model_.receivers_m,
                                    queue_, &comm_);
    WaveRecords records(job_, model_, ids);
    WaveCheckpoints<T> checkpoints(job_, work_dir_, comm_);
    checkpoints.resume(solver, records, progress);
    PackOutcome outcome;
    std::int64_t stride = 1;
    while (solver.n_steps() < model_.n_steps) {
        const auto since = Clock::now();
        const std::int64_t stop = next_stop(solver.n_steps(), stride);
        const std::int64_t steps = stop - solver.n_steps();
        solver.run(steps, job_.every);
        records.add(solver.take_record());
        if (std::ranges::count(model_.snapshot_steps, stop) > 0) {
            records.add_snapshot(voxelwave::gather_planes(solver.displacement(), solver.slab(),
                                                          model_.voxels, comm_),
                                 stop);
        }
        if (comm_.max(seconds_since(since)) < kTell_s) {
            stride = std::min<std::int64_t>(2 * stride, model_.n_steps);
        }
        checkpoints.write_if_due(solver, records, progress);
        progress.step = static_cast<int>(stop);
        progress.fraction = static_cast<double>(stop) / static_cast<double>(model_.n_steps);
        if (!go_on(observer, progress)) {
            outcome.cancelled = true;
            checkpoints.remove();
            outcome.solve_s = seconds_since(begin);
            return outcome;
        }
        progress.resumed_step = -1;
        progress.checkpoint.clear();
        progress.warnings.clear();
    }
    write(records, ids, outcome);
    checkpoints.remove();
    outcome.solves = model_.n_steps;
    outcome.solve_s = seconds_since(begin);
    return outcome;
}

template <class T>
void WaveSession<T>::write(const WaveRecords& records, std::span<const std::string> ids,
                           PackOutcome& outcome) {
    std::exception_ptr error;
    try {
        for (std::size_t lane = 0; lane < ids.size(); ++lane) {
            const io::WaveResult result = records.result(lane);
            const std::string path = wave_path(work_dir_, ids[lane]);
            if (comm_.rank() == 0) {
                io::write_wave_result(path, result);
            }
            outcome.sources.push_back({ids[lane], path, result.failed, result.failure});
        }
    } catch (...) {
        error = std::current_exception();
    }
    comm_.throw_if_any(error);
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
