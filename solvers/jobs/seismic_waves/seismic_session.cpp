// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/jobs/seismic_waves/seismic_model.hpp"
#include "solvers/jobs/seismic_waves/seismic_records.hpp"
#include "solvers/jobs/seismic_waves/seismic_stages.hpp"
#include "solvers/jobs/spec/device_choice.hpp"

namespace kaname::jobs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kCheckpoint = "kaname-seismic-checkpoint-1";

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Strains of forces are recorded by processors alone.
Placement placement_of(const SeismicJob& job) {
    Placement placement = job.placement;
    if (job.forces.empty()) {
        return placement;
    }
    if (placement.device == DeviceChoice::Cuda) {
        throw Error(ErrorCode::InvalidArgument,
                    "green.method: reciprocal must be solved on CPUs, device is cuda: GPUs record "
                    "no strains");
    }
    placement.device = DeviceChoice::Cpu;
    return placement;
}

class ClusteredSession final : public SeismicSession {
public:
    ClusteredSession(const SeismicJob& job, const std::string& mesh_path, std::string work_dir,
                     comm::Comm& comm)
        : job_(job),
          work_dir_(std::move(work_dir)),
          comm_(comm),
          queue_(choose_queue(placement_of(job))),
          model_(load_seismic_model(job, mesh_path)),
          clusters_(aderdg::find_clusters(model_.waves, wave_params(job, 1))),
          setup_s_(seconds_since(start_)) {}

    [[nodiscard]] std::int64_t dof() const override {
        return unknowns_of(std::ssize(model_.waves.mesh.tets), job_);
    }
    [[nodiscard]] double setup_s() const override { return setup_s_; }
    [[nodiscard]] double effort() const override { return 1.0; }
    [[nodiscard]] std::string element() const override {
        return "ader-dg of order " + std::to_string(job_.mesh.order);
    }
    [[nodiscard]] std::string device() const override {
        return device_text(job_.placement, queue_);
    }
    [[nodiscard]] std::string time_text() const override {
        return "steps of " + formatted("%.4g", clusters_.step_s) + " to " +
               formatted("%.4g s", clusters_.macro_step_s()) + " in " +
               std::to_string(clusters_.elements.size()) + " clusters";
    }
    [[nodiscard]] double updates() const override {
        return static_cast<double>(clusters_.updates()) * job_.end_s / clusters_.macro_step_s();
    }
    PackOutcome solve(std::span<const std::string> source_ids,
                      const SolveObserver& observer) override;

private:
    [[nodiscard]] aderdg::WavePoints points_of(std::span<const std::string> ids) const;
    void resume(aderdg::WaveSolver& solver, PackCheckpoint& checkpoint, SeismicRecords& records,
                SolveProgress& progress) const;
    /// Macro steps until there is something to do beside recording.
    [[nodiscard]] std::int64_t steps_to(const aderdg::WaveSolver& solver, double time_s,
                                        std::int64_t most) const;

    const Clock::time_point start_ = Clock::now();
    const SeismicJob& job_;
    std::string work_dir_;
    comm::Comm& comm_;
    device::Queue queue_;
    SeismicModel model_;
    aderdg::Clusters clusters_;
    double setup_s_;
};

aderdg::WavePoints ClusteredSession::points_of(std::span<const std::string> ids) const {
    aderdg::WavePoints points;
    int lane = 0;
    if (!job_.forces.empty()) {
        for (const std::size_t k : places_of(job_, ids)) {
            points.sources.push_back(reciprocal_force(job_, model_.receivers, k, lane++));
        }
        points.strains = model_.strains.places;
        return points;
    }
    for (const std::size_t k : places_of(job_, ids)) {
        for (aderdg::PointSource point : model_.sources[k].points) {
            point.lane = lane;
            points.sources.push_back(std::move(point));
        }
        ++lane;
    }
    points.receivers = model_.receivers;
    if (job_.peak_ground_velocity) {
        points.peaks = model_.ground_points;
    }
    return points;
}

void ClusteredSession::resume(aderdg::WaveSolver& solver, PackCheckpoint& checkpoint,
                              SeismicRecords& records, SolveProgress& progress) const {
    comm::Bytes state;
    const std::int64_t step = checkpoint.read(
        [&](const h5::File& file) {
            const auto bytes = file.read<std::uint8_t>("state", {0});
            records.read(file);
            state.resize(bytes.size());
            std::ranges::transform(bytes, state.begin(),
                                   [](std::uint8_t byte) { return std::byte{byte}; });
        },
        progress);
    if (step > 0) {
        comm_.broadcast(state, 0);
        solver.resume(state);
        records.share(comm_);
    }
}

std::int64_t ClusteredSession::steps_to(const aderdg::WaveSolver& solver, double time_s,
                                        std::int64_t most) const {
    const std::int64_t left = solver.macro_steps() - solver.macro_steps_done();
    const double macro_s = job_.end_s / static_cast<double>(solver.macro_steps());
    const double until = std::ceil((time_s - solver.time_s()) / macro_s - 1e-9);
    most = std::min(most, left);
    return until < static_cast<double>(most) ? std::max<std::int64_t>(1, std::int64_t(until))
                                             : most;
}

PackOutcome ClusteredSession::solve(std::span<const std::string> ids,
                                    const SolveObserver& observer) {
    const auto begin = Clock::now();
    const aderdg::WavePoints points = points_of(ids);
    const auto solver = aderdg::make_wave_solver(
        model_.waves, wave_params(job_, static_cast<int>(ids.size())), points, comm_, queue_);
    SolveProgress progress;
    progress.source_ids = joined(ids);
    progress.packs = 1;
    progress.steps = static_cast<int>(solver->macro_steps());
    SeismicRecords records(job_, model_, ids);
    PackCheckpoint checkpoint(job_, kCheckpoint, records.keys(), work_dir_, comm_);
    resume(*solver, checkpoint, records, progress);
    PackOutcome outcome;
    Stride stride(comm_, solver->macro_steps());
    while (solver->macro_steps_done() < solver->macro_steps()) {
        const auto since = Clock::now();
        solver->advance(steps_to(*solver, records.next_snapshot_s(), stride.steps()));
        records.take(*solver);
        stride.took(seconds_since(since));
        if (checkpoint.due()) {
            const comm::Bytes state = solver->state();
            std::vector<std::uint8_t> bytes(state.size());
            std::ranges::transform(state, bytes.begin(),
                                   [](std::byte byte) { return std::to_integer<uint8_t>(byte); });
            checkpoint.write(
                solver->macro_steps_done(),
                [&](h5::File& file) {
                    file.write<std::uint8_t>("state", bytes, {bytes.size()});
                    records.write(file);
                },
                progress);
        }
        progress.step = static_cast<int>(solver->macro_steps_done());
        progress.fraction =
            static_cast<double>(progress.step) / static_cast<double>(solver->macro_steps());
        if (!wants_more(observer, progress, comm_)) {
            outcome.cancelled = true;
            checkpoint.remove();
            outcome.solve_s = seconds_since(begin);
            return outcome;
        }
        progress.resumed_step = -1;
        progress.checkpoint.clear();
        progress.warnings.clear();
    }
    records.end(*solver);
    write_pack(
        ids, work_dir_, comm_, [&](std::size_t lane) { return records.result(lane); }, outcome);
    checkpoint.remove();
    outcome.solves = solver->macro_steps();
    outcome.solve_s = seconds_since(begin);
    return outcome;
}

}  // namespace

std::unique_ptr<SeismicSession> open_seismic(const SeismicJob& job, const std::string& mesh_path,
                                             const std::string& work_dir, comm::Comm& comm) {
    return std::make_unique<ClusteredSession>(job, mesh_path, work_dir, comm);
}

std::int64_t unknowns_of(std::int64_t elements, const SeismicJob& job) {
    // Polynomials of degree N = order - 1 in a tet: (N + 1)(N + 2)(N + 3)/6; nine of stress and
    // velocity, six of each mechanism.
    const std::int64_t n = job.mesh.order;
    const std::int64_t mechanisms = job.quality.empty() ? 0 : job.band.mechanisms;
    return elements * (n * (n + 1) * (n + 2) / 6) * (9 + 6 * mechanisms);
}

}  // namespace kaname::jobs
