// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/solver_session.hpp"

#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/seconds_since.hpp"
#include "solvers/base/text.hpp"
#include "solvers/jobs/seismic_waves/seismic_model.hpp"
#include "solvers/jobs/spec/device_choice.hpp"

namespace kaname::jobs {

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
        checkpoint.remove();
    }
    outcome.solve_s = seconds_since(begin);
    return outcome;
}

}  // namespace kaname::jobs
