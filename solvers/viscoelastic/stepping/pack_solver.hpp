// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/viscoelastic/model/boundary_values.hpp"
#include "solvers/viscoelastic/model/nodal_stress.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "solvers/viscoelastic/stepping/pack_state.hpp"
#include "solvers/viscoelastic/stepping/predictor_setup.hpp"

namespace kaname::viscoelastic {

struct StepResult {
    int step = 0;  ///< 0: coseismic
    double time_s = 0.0;
    std::array<linalg::LaneResult, lanes::kLanes> lanes;
    std::array<std::int64_t, 3> inner_iterations{};  ///< iterations of the seed's loops 0, 1, 2
};

/// Viscoelastic response of up to four sources to a step in slip at t = 0.
///
///   coseismic  K u = f - int B^T D B s           sigma = D B (u + s)
///   step i     Kv du = f - int B^T (sigma - dt Dv beta)   u += du
///              sigma += Dv (B du - dt beta),     Dv beta = (mu_v / eta) dev sigma
/// and in standard linear solids and Burgers bodies two such deviators (material_step.hpp).
/// (Murakami et al. 2023, Algorithm 1, corrected: docs/theory/viscoelastic.md). Where the residual
/// r of the step before is known, its load is f = r + int B^T dt Dv beta and what boundaries and
/// slip add in the step: elements that do not relax have no part in it. The stiffnesses
/// and the work vectors live on across packs; the coseismic solve takes the hierarchy of the first
/// steps' Kv, whose moduli differ little, unless those steps are very long. Where the step length
/// changes, Kv is made anew and the predictor starts again from the increment that the velocity
/// promises.
class PackSolver {
public:
    /// Collective. Throws InvalidArgument for dt_s <= 0 with steps, alpha outside [1/2, 1].
    PackSolver(const Model& model, const TimeGrid& grid, const SolverParams& params,
               const PredictorParams& predictor, comm::Comm& comm, device::Queue& queue);

    /// Starts a pack: state zero, slip given by the offsets of this rank's elements, times
    /// slip_at(t) where it is given (t in s; else all slip is at t = 0). While slip grows by ds in
    /// a step, Kv du = ... - int B^T Dv B ds and sigma += Dv B ds. `forces` [N][3][4], this rank's
    /// part in scaled units, or empty: forces from t = 0 on besides the slip.
    void start(std::vector<ElementOffset> offsets, std::function<double(double)> slip_at = {},
               device::Buffer<double> forces = {});
    /// The coseismic solve, then one time step per call. A lane that fails (see its status) is set
    /// to zero and stays zero; the other lanes go on. Collective.
    StepResult advance();
    /// Keeps the state between two steps, after the first one, or takes it back after start() with
    /// the same offsets; advance() then goes on with the step that was to come. The predictor
    /// starts again from the newest increments, or with StateArchive::own from all it had.
    /// Collective. Throws InvalidArgument when what is read does not fit; start() then begins anew.
    void exchange(StateArchive& state);

    [[nodiscard]] int next_step() const { return next_step_; }
    [[nodiscard]] bool finished() const { return next_step_ > grid_.total_steps(); }
    [[nodiscard]] device::View<const double> displacement() const { return u_.view(); }
    /// Offsets of the slip so far.
    [[nodiscard]] const std::vector<ElementOffset>& offsets() const { return offsets_; }
    /// Returns a copy of the stress [El][4][6][4] at the vertices: xx yy zz yz zx xy, in units of
    /// Scales.
    [[nodiscard]] std::vector<double> stress();
    /// Returns the stress of some of this rank's elements [elements][4][6][4]; nothing else leaves
    /// a GPU but the numbers of pressure nodes.
    [[nodiscard]] std::vector<double> stress_of(std::span<const std::int32_t> elements);
    /// Describes the multigrid hierarchy in use.
    [[nodiscard]] const std::string& description() const {
        return viscous_ ? viscous_->description() : coseismic_.description();
    }

private:
    bool change_step(int step);  ///< true: Kv is a new one
    bool grow_slip(double t_s);  ///< true: there is slip in this step
    void find_load(Stiffness& stiffness, bool slipped);
    void find_whole_load(Stiffness& stiffness, double time_s);
    void find_change_of_load(double time_s);
    void step_stress(Stiffness& stiffness);
    void find_lasting_stress();
    void find_lasting_stress(device::View<const std::int32_t> elements);
    bool guess(Stiffness& stiffness);
    bool guess_from_velocity(int step, device::View<const std::int32_t> fixed);
    void remove_failed_lanes(const StepResult& result);
    void zero_slip(int lane);
    void exchange_place(StateArchive& state);
    bool exchange_history(StateArchive& state);
    void exchange_increments(StateArchive& state);

    const Model& model_;
    TimeGrid grid_;
    std::vector<double> times_s_;
    SolverParams params_;
    comm::Comm& comm_;
    device::Queue& queue_;
    Stiffness coseismic_;
    std::unique_ptr<Stiffness> viscous_;
    double viscous_dt_s_ = 0.0;
    linalg::PcgWorkspace work_;
    std::unique_ptr<predictors::Predictor> predictor_;
    /// Offsets of the slip: where slip_at_ is 1, so far, and grown in this step.
    std::vector<ElementOffset> unit_offsets_, offsets_, grown_;
    device::Mirror<ElementOffset> grown_on_queue_;
    std::function<double(double)> slip_at_;
    double slip_ = 0.0;
    device::Buffer<double> u_, du_, f_;
    device::Buffer<double> forces_;  ///< empty: none
    device::Buffer<double> stress_;  ///< up to date where the elements relax; find_lasting_stress
    BranchStress branch_stress_;
    NodalStress nodal_stress_;
    device::Buffer<double> du_before_;  ///< increment before last; only where step lengths change
    std::optional<BuoyancyRows<double>> weight_;  ///< -K_b; only with gravity
    BoundaryValues boundary_;
    device::Buffer<double> prescribed_, lift_;  ///< only with boundary values
    RelaxingElements relaxing_;
    device::Buffer<std::int32_t> copies_;  ///< degrees of freedom that another rank owns
    std::array<bool, lanes::kLanes> failed_{};
    int next_step_ = 0;
    int carried_ = 0;  ///< steps since a whole load; 0: f_ holds nothing of the next step's
};

/// "iteration limit reached after 500 iterations, residual 3.1e-3; last residuals ...; likely
/// cause: ..." for a lane that did not converge.
[[nodiscard]] std::string failure_text(const linalg::LaneResult& lane, int step);

}  // namespace kaname::viscoelastic
