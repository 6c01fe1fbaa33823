// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/io/source_file.hpp"
#include "worker/jobs/geometry/mesh_boundaries.hpp"
#include "worker/jobs/greens/checkpoint.hpp"
#include "worker/jobs/greens/method_choice.hpp"
#include "worker/jobs/greens/observed_places.hpp"
#include "worker/jobs/greens/pack_runner.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"
#include "worker/jobs/stage/pack_frame.hpp"

namespace kaname::jobs {

using lanes::kLanes;

namespace {

using Clock = std::chrono::steady_clock;

class ViscoelasticSession final : public SolveSession {
public:
    ViscoelasticSession(const ViscoelasticStages& stages, const GreensJob& job,
                        const std::string& mesh_path, std::string work_dir, comm::Comm& comm)
        : stages_(stages),
          job_(job),
          work_dir_(std::move(work_dir)),
          comm_(comm),
          queue_(choose_queue(job.placement)),
          geometry_(job),
          mesh_(io::read_mesh(mesh_path)),
          mesh_hash_(io::mesh_sha256(mesh_)),
          dofs_(mesh_),
          steps_(time_steps(job)),
          split_(fault::split_fault_nodes(mesh_, dofs_.conn, dofs_.node_xyz)),
          cut_(wants_volume(job) ? std::optional(fault::split_vertices(mesh_, split_))
                                 : std::nullopt),
          slip_(geometry_.slip().on({mesh_, dofs_, split_})),
          model_(mesh_, dofs_, job.structure.materials,
                 boundary_conditions(job, geometry_, mesh_, dofs_, drive_), comm,
                 element_of(job, geometry_, mesh_),
                 job.buoyancy ? viscoelastic::Gravity::Buoyancy : viscoelastic::Gravity::None),
          observed_(observed_places(job, geometry_, mesh_, dofs_, split_)),
          observer_(model_, observed_.places, queue_, observed_.point),
          traction_(job.by_receivers ? std::make_unique<viscoelastic::FaultTraction>(model_, dofs_,
                                                                                     split_, queue_)
                                     : nullptr),
          runner_(make_runner()),
          checkpoints_(job, work_dir_, comm),
          setup_s_(seconds_since(start_)) {}

    [[nodiscard]] std::int64_t dof() const override { return 3 * dofs_.n_nodes(); }
    [[nodiscard]] double setup_s() const override { return setup_s_; }
    [[nodiscard]] double effort() const override { return effort_of(job_, model_.element()); }
    [[nodiscard]] std::string element() const override { return element_name(model_.element()); }
    [[nodiscard]] std::string device() const override {
        return device_text(job_.placement, queue_);
    }
    [[nodiscard]] std::string time_text() const override;

    PackOutcome solve(std::span<const std::string> source_ids,
                      const SolveObserver& observer) override;

private:
    [[nodiscard]] std::unique_ptr<PackRunner> make_runner() {
        const PackContext context = {
            job_,           steps_, model_, observer_, comm_, queue_, cut_ ? &*cut_ : nullptr,
            traction_.get()};
        require_device_memory(context.job, context.steps, counts_of(context.model), context.queue,
                              context.comm);
        if (context.steps.spectrum) {
            return make_spectrum_runner(context);
        }
        return context.job.solver.method == SolverMethod::Multistep2018 &&
                       context.steps.grid.n_steps > 0
                   ? make_multistep_runner(context)
                   : make_stepping_runner(context, stages_.recorder(context));
    }
    /// One result per source, without fields yet.
    [[nodiscard]] std::vector<io::SourceResult> empty_results(std::span<const std::string> ids);
    /// Solves until nothing is left, and finishes the fields; false when the observer ends it.
    bool run(std::vector<io::SourceResult>& results, SolveProgress& report, PackOutcome& outcome,
             const SolveObserver& observer);
    /// Takes time steps from now on; `because` says so to users.
    void take_steps(const std::string& because);
    [[nodiscard]] static std::string text_of_steps(const std::string& why, const Steps& steps);
    [[nodiscard]] PackLoad load_of(std::span<const std::string> ids);
    void begin(PackLoad load, std::vector<io::SourceResult>& results, SolveProgress& report);
    void write(std::span<const std::string> ids, const std::vector<io::SourceResult>& results,
               PackOutcome& outcome);

    const Clock::time_point start_ = Clock::now();
    const ViscoelasticStages& stages_;
    const GreensJob& job_;
    std::string work_dir_;
    comm::Comm& comm_;
    device::Queue queue_;
    JobGeometry geometry_;
    mesh::TetMesh mesh_;
    std::string mesh_hash_;
    p2::DofMap dofs_;
    Steps steps_;
    fault::SplitNodes split_;
    std::optional<fault::SplitVertices> cut_;  ///< set for a scenario with a volume
    std::unique_ptr<SlipOnMesh> slip_;
    LaneDrive drive_;  ///< for the pack being solved; the model's boundary conditions read it
    viscoelastic::Model model_;
    ObservedPlaces observed_;
    viscoelastic::Observer observer_;
    std::unique_ptr<viscoelastic::FaultTraction> traction_;  ///< set where forces are solved for
    std::unique_ptr<PackRunner> runner_;
    std::string by_steps_;  ///< why steps took the place of the spectrum; empty: they did not
    Checkpoints checkpoints_;
    double setup_s_;
};

std::string ViscoelasticSession::time_text() const {
    const int n_steps = steps_.grid.total_steps();
    if (steps_.spectrum) {
        return "by relaxation spectrum";
    }
    if (n_steps == 0) {
        return "elastic, no time steps";
    }
    char text[96];
    std::snprintf(text, sizeof text, "%d steps of %.4g to %.4g years", n_steps,
                  steps_.grid.dt_s / kJulianYear_s, steps_.longest_step_s() / kJulianYear_s);
    return text;
}

PackOutcome ViscoelasticSession::solve(std::span<const std::string> source_ids,
                                       const SolveObserver& observer) {
    if (source_ids.empty() || source_ids.size() > std::size_t{kLanes}) {
        throw Error(ErrorCode::InvalidArgument, "a pack must have 1 to " + std::to_string(kLanes) +
                                                    " sources, got " +
                                                    std::to_string(source_ids.size()));
    }
    const auto start = Clock::now();
    std::vector<io::SourceResult> results = empty_results(source_ids);
    SolveProgress report;
    report.source_ids = joined(source_ids);
    PackOutcome outcome;
    report.packs = 1;
    if (steps_.spectrum) {
        if (const std::string because = checkpoints_.steps_because(results); !because.empty()) {
            take_steps(because);
        }
    }
    begin(load_of(source_ids), results, report);
    outcome.cancelled = !run(results, report, outcome, observer);
    if (const std::string why = outcome.cancelled ? "" : runner_->steps_would_do(); !why.empty()) {
        checkpoints_.remove();
        take_steps(text_of_steps(why, steps_in_place_of_spectrum(job_)));
        report.warnings.push_back(by_steps_);
        results = empty_results(source_ids);
        runner_->start(load_of(source_ids), results);
        outcome.cancelled = !run(results, report, outcome, observer);
    }
    if (!outcome.cancelled) {
        for (io::SourceResult& result : results) {
            result.note = by_steps_.empty() ? result.note : by_steps_;
        }
        write(source_ids, results, outcome);
    }
    checkpoints_.remove();
    outcome.solve_s = seconds_since(start);
    return outcome;
}

std::vector<io::SourceResult> ViscoelasticSession::empty_results(std::span<const std::string> ids) {
    std::vector<io::SourceResult> results;
    for (const std::string& id : ids) {
        io::SourceResult& result = results.emplace_back();
        result.source_id = id;
        result.key = geometry_.source_key(mesh_hash_, id);
        for (std::size_t k = 0; k < job_.stations.size() && !job_.by_receivers; ++k) {
            const Vec3& at = observed_.places[k].snapped;
            result.station_xyz_m.insert(result.station_xyz_m.end(), {at.x, at.y, at.z});
        }
    }
    return results;
}

bool ViscoelasticSession::run(std::vector<io::SourceResult>& results, SolveProgress& report,
                              PackOutcome& outcome, const SolveObserver& observer) {
    const bool whole = run_steps(
        [&](SolveProgress& progress) {
            if (!runner_->advance(progress)) {
                return false;
            }
            outcome.iterations += progress.iterations;
            ++outcome.solves;
            return true;
        },
        [&](SolveProgress& progress) {
            if (runner_->may_go_on(progress)) {
                checkpoints_.write_if_due(*runner_, results, by_steps_, progress);
            }
        },
        observer, report, comm_);
    if (whole) {
        runner_->finish();
    }
    return whole;
}

std::string ViscoelasticSession::text_of_steps(const std::string& why, const Steps& steps) {
    return why + "; solved by " + std::to_string(steps.grid.total_steps()) +
           " time steps in its place";
}

void ViscoelasticSession::take_steps(const std::string& because) {
    runner_.reset();  // gives its memory back first
    steps_ = steps_in_place_of_spectrum(job_);
    runner_ = make_runner();
    by_steps_ = because;
}

/// Slip and sides of sources, or forces.
PackLoad ViscoelasticSession::load_of(std::span<const std::string> ids) {
    PackLoad load;
    drive_ = {};
    if (job_.by_receivers) {
        for (const std::string& id : ids) {
            const StationForces::Force& force = geometry_.forces().at(id);
            load.forces.push_back(
                {observed_.places[force.station],
                 geometry_.forces().direction(force, observed_.places[force.station].snapped)});
        }
        return load;
    }
    viscoelastic::PackSlip slip;
    viscoelastic::PackMoments moments;
    for (std::size_t lane = 0; lane < ids.size(); ++lane) {
        drive_.source[lane] = geometry_.sides().index(ids[lane]);
        if (drive_.source[lane] < 0) {
            slip[lane] = slip_->slip_of(ids[lane]);
            moments[lane] = slip_->moment_of(ids[lane]);
        }
    }
    load.offsets = viscoelastic::element_offsets(model_, dofs_, split_, slip);
    viscoelastic::add_moments(model_, mesh_, dofs_, moments, load.offsets);
    return load;
}

/// At the checkpoint of these sources, where there is one; else at the first step.
void ViscoelasticSession::begin(PackLoad load, std::vector<io::SourceResult>& results,
                                SolveProgress& report) {
    runner_->start(load, results);
    bool touched = false;
    if (checkpoints_.resume(*runner_, results, report, touched)) {
        report.resumed_step = runner_->next_step();
    } else if (touched) {
        runner_->start(std::move(load), results);
    }
}

void ViscoelasticSession::write(std::span<const std::string> ids,
                                const std::vector<io::SourceResult>& results,
                                PackOutcome& outcome) {
    const auto write_one = [&](std::size_t k) {
        const io::SourceResult& result = results[k];
        const std::string path = source_path(work_dir_, ids[k]);
        if (comm_.rank() == 0) {
            io::write_source_result(path, result);
        }
        return SourceOutcome{ids[k], path, result.failed, result.failure};
    };
    write_results(ids, write_one, comm_, outcome);
}

}  // namespace

std::unique_ptr<StepRecorder> ViscoelasticStages::recorder(const PackContext& /*context*/) const {
    return std::make_unique<StepRecorder>();
}

std::unique_ptr<SolveSession> ViscoelasticStages::open(const GreensJob& job,
                                                       const std::string& mesh_path,
                                                       const std::string& work_dir,
                                                       comm::Comm& comm) const {
    return std::make_unique<ViscoelasticSession>(*this, job, mesh_path, work_dir, comm);
}

}  // namespace kaname::jobs
