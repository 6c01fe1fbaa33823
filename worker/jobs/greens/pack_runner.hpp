// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/viscoelastic/model/fault_traction.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"
#include "worker/jobs/stage/stage.hpp"

namespace kaname::jobs {

/// Takes something of a pack while it is solved by time steps, and leaves it in the results of its
/// sources. For a checkpoint: collect() may be called after any step and then leaves all that there
/// is in the results of rank 0; start() goes on from results that hold it, on any ranks.
class StepRecorder {
public:
    virtual ~StepRecorder() = default;
    /// One result per lane, with its source's id. Collective.
    virtual void start(const std::vector<io::SourceResult>& /*results*/) {}
    virtual void record(int /*step*/, viscoelastic::PackSolver& /*solver*/) {}
    /// A source that failed has none. Collective.
    virtual void collect(std::vector<io::SourceResult>& /*results*/) const {}
};

/// PackContext holds what the packs of one session share.
struct PackContext {
    const GreensJob& job;
    const Steps& steps;
    const viscoelastic::Model& model;
    viscoelastic::Observer& observer;  ///< stations, then points of the surface
    comm::Comm& comm;
    device::Queue& queue;
    const fault::SplitVertices* volume = nullptr;  ///< set where snapshots are wanted
    /// Set where forces are solved for: their tractions are kept in place of the motion of points.
    viscoelastic::FaultTraction* traction = nullptr;
};

/// PackLoad is the load of the sources of a pack: slip, or forces.
struct PackLoad {
    std::vector<viscoelastic::ElementOffset> offsets = {};
    std::vector<viscoelastic::PointForce> forces = {};
};

/// Solves one pack after the other and leaves its fields in the results of its sources.
class PackRunner {
public:
    virtual ~PackRunner() = default;
    /// `results`: one per source, must live until finish(). Collective.
    virtual void start(PackLoad load, std::vector<io::SourceResult>& results) = 0;
    /// Does one more solve and reports step, iterations, residuals and fraction. Returns false when
    /// no solve is left. Collective.
    virtual bool advance(SolveProgress& report) = 0;
    /// Computes the fields that are known only at the end. Collective.
    virtual void finish() = 0;
    /// After finish(): why the sources that failed may be solved by time steps; empty: none may.
    [[nodiscard]] virtual std::string steps_would_do() const { return {}; }
    /// Puts into the results what is kept beside them, before a checkpoint stores them. Collective.
    virtual void collect() {}
    /// The results hold what a checkpoint stored: takes up what is kept beside them. Collective.
    virtual void resumed() {}
    /// Returns true if exchange() stores and restores the state.
    [[nodiscard]] virtual bool can_checkpoint() const { return false; }
    /// Writes the state after an advance(), or, after start(), reads the state to continue from.
    /// The caller keeps the results: on rank 0 they are complete when this has written, and must be
    /// there before it reads. Collective. Throws as PackSolver::exchange.
    virtual void exchange(viscoelastic::StateArchive& /*state*/) {}
    /// Returns true if another solve may follow the one that `report` describes.
    [[nodiscard]] virtual bool may_go_on(const SolveProgress& report) const {
        return report.step < report.steps;
    }
    /// Returns the step that comes next.
    [[nodiscard]] virtual int next_step() const { return 0; }
};

/// Returns a runner that solves by time steps.
[[nodiscard]] std::unique_ptr<PackRunner> make_stepping_runner(
    const PackContext& context, std::unique_ptr<StepRecorder> recorder);
/// Returns a runner that solves four time steps of one source at once; the sources of a pack follow
/// each other.
[[nodiscard]] std::unique_ptr<PackRunner> make_multistep_runner(const PackContext& context);
/// Returns a runner that solves by relaxation spectrum.
[[nodiscard]] std::unique_ptr<PackRunner> make_spectrum_runner(const PackContext& context);

/// Method, tolerance and limits of the job.
[[nodiscard]] viscoelastic::SolverParams solver_params(const GreensJob& job);

/// Records one solve of one source.
void record_lane(const linalg::LaneResult& lane, int step, io::SourceResult& result);
/// Records one solve in the sources' results and the worst lane in the report.
void record_solve(const std::array<linalg::LaneResult, lanes::kLanes>& lanes, int step,
                  std::vector<io::SourceResult>& results, SolveProgress& report);
/// Appends lane `lane` of [points][3][n_lanes] to a result: stations in double, the rest in float.
void append_field(const std::vector<double>& observed, std::size_t n_lanes, std::size_t lane,
                  io::SourceResult& result);
/// Appends lane `lane` of tractions [split nodes][3][n_lanes] to a force's result.
void append_traction(std::span<const double> traction, std::size_t n_lanes, std::size_t lane,
                     io::SourceResult& result);
/// Appends the tractions together with the slip itself as the element that holds the force sees it
/// (FaultTraction::own_offset).
void append_whole_traction(std::span<const double> traction, const PackLoad& load,
                           const viscoelastic::FaultTraction& of, std::size_t lane,
                           io::SourceResult& result);

}  // namespace kaname::jobs
