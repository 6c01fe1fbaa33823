// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/solver_session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "solvers/aderdg/layout.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/stage/solve_options.hpp"
#include "worker/jobs/waves/wave_packs.hpp"

namespace kaname::jobs {
namespace {

using Clock = std::chrono::steady_clock;

void resume(aderdg::WaveSolver& solver, PackCheckpoint& checkpoint, SolverRecords& records,
            comm::Comm& comm, SolveProgress& progress) {
    comm::Bytes state;
    const std::int64_t step = checkpoint.read(
        [&](const h5::File& file) {
            const auto bytes = file.read<std::uint8_t>("state", {h5::kAny});
            records.read(file);
            state.resize(bytes.size());
            std::ranges::transform(bytes, state.begin(),
                                   [](std::uint8_t byte) { return std::byte{byte}; });
        },
        progress);
    if (step > 0) {
        comm.broadcast(state, 0);
        solver.resume(state);
        records.share(comm);
    }
}

void write(aderdg::WaveSolver& solver, PackCheckpoint& checkpoint, const SolverRecords& records,
           SolveProgress& progress) {
    const comm::Bytes state = solver.state();
    std::vector<std::uint8_t> bytes(state.size());
    std::ranges::transform(state, bytes.begin(),
                           [](std::byte byte) { return std::to_integer<uint8_t>(byte); });
    checkpoint.write(
        solver.macro_steps_done(),
        [&](h5::File& file) {
            file.write<std::uint8_t>("state", bytes, {bytes.size()});
            records.write(file);
        },
        progress);
}

/// Macro steps until there is something to do beside recording.
std::int64_t steps_to(const SeismicJob& job, const aderdg::WaveSolver& solver, double time_s,
                      std::int64_t most) {
    const std::int64_t left = solver.macro_steps() - solver.macro_steps_done();
    const double macro_s = job.end_s / static_cast<double>(solver.macro_steps());
    const double until = std::ceil((time_s - solver.time_s()) / macro_s - 1e-9);
    most = std::min(most, left);
    return until < static_cast<double>(most) ? std::max<std::int64_t>(1, std::int64_t(until))
                                             : most;
}

/// Looks after the lanes of a solve: which of them blow up, where and why.
class BlowUpWatch {
public:
    BlowUpWatch(const SeismicJob& job, aderdg::WaveSolver& solver, std::size_t lanes)
        : job_(job), solver_(solver), failed_(lanes, false) {}

    /// Fails lanes that have blown up since the last look. Collective.
    void look(SolverRecords& records) {
        // Waves have no more energy than they were given; memory variables and yielding, which the
        // bound leaves out, do not change it by that much.
        constexpr double kBeyond = 100.0;
        const std::vector<double> energies_j = solver_.energies_j();
        for (std::size_t lane = 0; lane < failed_.size(); ++lane) {
            const double most_j = kBeyond * solver_.given_energy_j(static_cast<int>(lane));
            // Written so that what is no number is beyond.
            if (!failed_[lane] && !(energies_j[lane] <= most_j)) {
                failed_[lane] = true;
                records.fail(lane, good_s_, text(lane, energies_j[lane]));
            }
        }
        good_s_ = solver_.time_s();
    }
    [[nodiscard]] bool all_failed() const {
        return std::ranges::all_of(failed_, [](bool failed) { return failed; });
    }

private:
    [[nodiscard]] std::string text(std::size_t lane, double energy_j) {
        const aderdg::LargestWaves largest = solver_.largest_waves(static_cast<int>(lane));
        return "the motion grows without limit: between " + formatted("%.4g", good_s_) + " and " +
               formatted("%.4g s", solver_.time_s()) + " its energy became " +
               (std::isfinite(energy_j)
                    ? formatted("%.3g J", energy_j) + ", of at most " +
                          formatted("%.3g J", solver_.given_energy_j(static_cast<int>(lane))) +
                          " that were given"
                    : std::string("no finite number")) +
               ", most of it at " + place_text(largest.at_m) + "; likely cause: " + cause(largest);
    }
    [[nodiscard]] std::string cause(const aderdg::LargestWaves& largest) const {
        const double stable = aderdg::default_cfl(job_.mesh.order);
        if (job_.cfl > stable) {
            return "solver.cfl = " + number(job_.cfl) + " is above what is stable, " +
                   number(stable) + " at order " + std::to_string(job_.mesh.order);
        }
        const double flatness = largest.insphere_diameter_m / largest.longest_edge_m;
        const std::string element = "an element of " + formatted("%.4g m", largest.longest_edge_m) +
                                    " with an insphere of " + formatted("%.3g", flatness) +
                                    " of that and steps of " + formatted("%.3g s", largest.step_s);
        return largest.beside_fault
                   ? "friction beside it, its stress or its weakening, in " + element +
                         "; try smaller elements at the fault or a smaller solver.cfl"
                   : "steps that are too long there, in " + element +
                         "; try a smaller solver.cfl than " +
                         number(job_.cfl > 0.0 ? job_.cfl : stable);
    }

    const SeismicJob& job_;
    aderdg::WaveSolver& solver_;
    std::vector<bool> failed_;
    double good_s_ = 0.0;  ///< until when all that is not failed was good
};

}  // namespace

PackOutcome run_solver(const SeismicJob& job, aderdg::WaveSolver& solver, SolverRecords& records,
                       std::span<const std::string> ids, PackCheckpoint& checkpoint,
                       comm::Comm& comm, const SolveObserver& observer) {
    SolveProgress progress;
    progress.source_ids = joined(ids);
    progress.packs = 1;
    progress.steps = static_cast<int>(solver.macro_steps());
    resume(solver, checkpoint, records, comm, progress);
    PackOutcome outcome;
    constexpr std::int64_t kLooks = 100;  // for waves that blow up
    Stride stride(comm, std::max<std::int64_t>(1, solver.macro_steps() / kLooks));
    BlowUpWatch watch(job, solver, ids.size());
    watch.look(records);  // a checkpoint may hold lanes that have failed
    const auto advance = [&](SolveProgress& told) {
        if (solver.macro_steps_done() >= solver.macro_steps() || watch.all_failed()) {
            return false;
        }
        const auto since = Clock::now();
        solver.advance(steps_to(job, solver, records.next_s(), stride.steps()));
        records.take(solver);
        watch.look(records);
        stride.took(seconds_since(since));
        told.step = static_cast<int>(solver.macro_steps_done());
        told.fraction = static_cast<double>(told.step) / static_cast<double>(solver.macro_steps());
        return true;
    };
    const auto write_if_due = [&](SolveProgress& told) {
        if (checkpoint.due() && !watch.all_failed()) {
            write(solver, checkpoint, records, told);
        }
    };
    outcome.cancelled = !run_steps(advance, write_if_due, observer, progress, comm);
    if (outcome.cancelled) {
        return outcome;
    }
    if (!watch.all_failed()) {
        records.end(solver);
    }
    outcome.solves = solver.macro_steps();
    return outcome;
}

Placement on_processors(Placement placement, const std::string& why) {
    if (placement.device == DeviceChoice::Cuda) {
        throw Error(ErrorCode::InvalidArgument, why);
    }
    placement.device = DeviceChoice::Cpu;
    return placement;
}

SolverSession::SolverSession(const SeismicJob& job, std::string work_dir, comm::Comm& comm,
                             const Placement& placement)
    : job_(job), work_dir_(std::move(work_dir)), comm_(comm), queue_(choose_queue(placement)) {}

void SolverSession::ready(const aderdg::WaveModel& waves) {
    clusters_ = aderdg::find_clusters(waves, wave_params(job_, 1));
    tets_ = std::ssize(waves.mesh.tets);
    setup_s_ = seconds_since(start_);
}

std::int64_t SolverSession::dof() const {
    return unknowns_of(tets_, job_);
}

std::string SolverSession::element() const {
    return "ader-dg of order " + std::to_string(job_.mesh.order);
}

std::string SolverSession::device() const {
    return device_text(job_.placement, queue_);
}

std::string SolverSession::time_text() const {
    return "steps of " + formatted("%.4g", clusters_.step_s) + " to " +
           formatted("%.4g s", clusters_.macro_step_s()) + " in " +
           std::to_string(clusters_.elements.size()) + " clusters";
}

double SolverSession::updates() const {
    return static_cast<double>(clusters_.updates()) * job_.end_s / clusters_.macro_step_s();
}

PackOutcome SolverSession::solve_pack(const aderdg::WaveModel& waves,
                                      const aderdg::WavePoints& points, SolverRecords& records,
                                      std::span<const std::string> ids,
                                      const char* checkpoint_format, const SolveObserver& observer,
                                      const std::function<io::WaveResult(std::size_t lane)>& result,
                                      const std::function<void(h5::File&)>& also) {
    const auto begin = std::chrono::steady_clock::now();
    const auto solver = aderdg::make_wave_solver(
        waves, wave_params(job_, static_cast<int>(ids.size())), points, comm_, queue_);
    PackCheckpoint checkpoint(job_, checkpoint_format, records.keys(), work_dir_, comm_);
    PackOutcome outcome = run_solver(job_, *solver, records, ids, checkpoint, comm_, observer);
    if (!outcome.cancelled) {
        write_pack(ids, work_dir_, comm_, result, outcome, also);
    }
    checkpoint.remove();
    outcome.solve_s = seconds_since(begin);
    return outcome;
}

}  // namespace kaname::jobs
