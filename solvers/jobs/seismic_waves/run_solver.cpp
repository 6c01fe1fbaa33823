// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/run_solver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "solvers/base/seconds_since.hpp"
#include "solvers/jobs/waves/wave_packs.hpp"

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
    Stride stride(comm, solver.macro_steps());
    while (solver.macro_steps_done() < solver.macro_steps()) {
        const auto since = Clock::now();
        solver.advance(steps_to(job, solver, records.next_s(), stride.steps()));
        records.take(solver);
        stride.took(seconds_since(since));
        if (checkpoint.due()) {
            write(solver, checkpoint, records, progress);
        }
        progress.step = static_cast<int>(solver.macro_steps_done());
        progress.fraction =
            static_cast<double>(progress.step) / static_cast<double>(solver.macro_steps());
        if (!wants_more(observer, progress, comm)) {
            outcome.cancelled = true;
            checkpoint.remove();
            return outcome;
        }
        progress.resumed_step = -1;
        progress.checkpoint.clear();
        progress.warnings.clear();
    }
    records.end(solver);
    outcome.solves = solver.macro_steps();
    return outcome;
}

}  // namespace kaname::jobs
