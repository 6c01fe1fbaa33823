// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "solvers/linalg/sketch.hpp"
#include "solvers/viscoelastic/model/boundary_values.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "solvers/viscoelastic/spectrum/range_search.hpp"
#include "solvers/viscoelastic/spectrum/relaxation_groups.hpp"
#include "solvers/viscoelastic/spectrum/source_model.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_error.hpp"
#include "solvers/viscoelastic/stepping/pack_state.hpp"

namespace kaname::viscoelastic {

struct SpectrumParams {
    double end_s = 0.0;  ///< last time that will be asked for
    /// Error at every time over the largest change since slip among the observed points.
    double tolerance = 1e-5;
    int max_shifts = 60;
    int max_solves_of_range = 80;  ///< where viscosities have ranges: in place of max_shifts
    /// Hierarchies that are kept for the next pack, which asks for most of them again (about 170
    /// bytes per unknown each). Shifts of nearly the same moduli share one (alike_shifts).
    int kept_hierarchies = 0;
};

/// One solve in the Laplace domain.
struct ShiftResult {
    double shift_per_s = 0.0;
    std::vector<double> g;         ///< [groups] moduli that were left
    double residual_before = 0.0;  ///< reduced model's residual at this shift, worst source
    std::array<linalg::LaneResult, lanes::kLanes> lanes;
};

/// Relaxation of up to four sources after a step in slip, from a few elastic problems in the
/// Laplace domain instead of time steps (docs/theory/viscoelastic.md, "Relaxation spectrum"). For a
/// step in slip, u(s) times s solves K(s) u = f(s) with shear moduli g_j(s) mu; with d = u - u_0
///   K(g(s)) d = sum_j (1 - g_j(s)) q_j,    q_j = int B^T D_j (B u_0 + s_e)   (D_j: deviatoric)
/// and the Galerkin model on the span of a few d(s_k) answers for all times. Shifts are chosen
/// greedily, where the residuals come from that make the error in time largest (SpectrumError).
/// Where viscosities have ranges (RelaxationGroups::range), each solve is at a shift and
/// viscosities that RangeSearch chooses, and the model answers for all of the range
/// (source_models()).
class SpectrumSolver {
public:
    /// `observer`: the points whose motion the tolerance is of; outlives this. Collective. Throws
    /// InvalidArgument for end_s <= 0, tolerance <= 0 or no viscous material.
    SpectrumSolver(const Model& model, const RelaxationGroups& groups, const SpectrumParams& params,
                   const SolverParams& solver, Observation& observer, comm::Comm& comm,
                   device::Queue& queue);

    /// The elastic solve; forgets the last pack. `forces` [N][3][4], this rank's part in scaled
    /// units: forces from t = 0 on besides the slip; they do not relax. Collective.
    std::array<linalg::LaneResult, lanes::kLanes> start(std::vector<ElementOffset> offsets,
                                                        device::View<const double> forces = {});
    /// Solves at the next shift; nullopt when the error is small enough for the tolerance, when
    /// solves do not make it smaller any more, or when max_shifts is reached. A solve that ends at
    /// its limit of iterations counts with what it has. Collective.
    std::optional<ShiftResult> advance();
    /// Writes what solves gave so far: the elastic answer and the basis, of which all else follows.
    /// After start(). Collective.
    void save(StateArchive& state);
    /// In place of start(): takes up what save() wrote, without solving, as long as the same
    /// problems are chosen again: on the same ranks all of them, on others perhaps fewer, as their
    /// sums round in another way. Returns the solves that were taken up, the elastic one included.
    /// Throws InvalidArgument when what is read does not fit. Collective.
    int resume(StateArchive& state, std::vector<ElementOffset> offsets,
               device::View<const double> forces = {});

    /// The elastic solve (shift 0), then the others, of this pack.
    [[nodiscard]] const std::vector<ShiftResult>& solved() const { return solved_; }

    /// Bound of the error at all times up to the end, over the change by then; worst source, and of
    /// a range the worst of the rheologies that were looked at.
    [[nodiscard]] double error_estimate() const {
        return search_ && estimate_.error > 0.0 ? search_->error_estimate() : estimate_.error;
    }
    [[nodiscard]] bool reached() const {
        return search_ && estimate_.error > 0.0 ? search_->reached()
                                                : estimate_.error <= params_.tolerance;
    }
    /// Returns each source's own model for the range of viscosities, lanes 0 .. n_lanes - 1.
    [[nodiscard]] std::vector<SourceModel> source_models(int n_lanes) const {
        return viscoelastic::source_models(*search_, reduced_, sketches_, seen_, n_lanes);
    }
    /// Returns the number of hierarchies kept for the next pack.
    [[nodiscard]] int n_kept() const { return static_cast<int>(kept_.size()); }
    [[nodiscard]] const ReducedModel& reduced() const { return reduced_; }
    [[nodiscard]] const std::vector<ElementOffset>& offsets() const { return offsets_; }
    [[nodiscard]] device::View<const double> elastic_displacement() const { return u0_.view(); }
    /// Basis vectors 4 k .. 4 k + 3 in the four lanes of vector k.
    [[nodiscard]] const std::vector<device::Buffer<double>>& basis() const { return W_; }

private:
    using Lanes = std::array<linalg::LaneResult, lanes::kLanes>;
    /// Forgets the last pack; load_ is then that of the elastic solve.
    void begin(std::vector<ElementOffset> offsets, device::View<const double> forces);
    /// The forces of slip and of `beside` by moduli, in f.
    void set_force(const ElementModuli& moduli, device::View<const double> beside,
                   device::Buffer<double>& f);
    /// Takes up the elastic solve; its solution is in u0_.
    void take_elastic(const Lanes& lanes);
    /// Adds d to the basis: the part of the solution at a point that the basis could not give.
    void take(const ShiftResult& point, const device::Buffer<double>& d, const LaneNorms& residual);
    /// One solve's numbers and field, written or read; its point is `shift_per_s` and `rheology`.
    void exchange_solve(StateArchive& state, int solve, ShiftResult& point,
                        device::View<double> field);
    [[nodiscard]] std::int64_t rheology() const {
        return search_ ? static_cast<std::int64_t>(point_.rheology) : 0;
    }
    /// Returns the next point to solve; nullopt when no solve is left.
    [[nodiscard]] std::optional<ShiftResult> next_point();
    /// True when the last solves have not made the error smaller.
    [[nodiscard]] bool stalls() const;
    [[nodiscard]] std::vector<double> group_values(double shift_per_s) const;
    [[nodiscard]] double solve_tolerance() const;
    [[nodiscard]] std::shared_ptr<Stiffness> stiffness_at(std::span<const double> g,
                                                          Stiffness::Preconditioned preconditioned);
    [[nodiscard]] std::shared_ptr<Stiffness> preconditioned_for(const std::vector<double>& g);
    [[nodiscard]] std::optional<std::vector<double>> owner_of(const ShiftResult& point) const;
    std::array<linalg::LaneResult, lanes::kLanes> solve_at(const ShiftResult& point,
                                                           device::Buffer<double>& d);
    [[nodiscard]] LaneNorms residual_at(std::span<const double> g, const ReducedModel::LaneRows& c,
                                        double& relative) const;
    [[nodiscard]] std::vector<double> observed(const device::Buffer<double>& w);
    void extend(const device::Buffer<double>& d);

    const Model& model_;
    RelaxationGroups groups_;
    SpectrumParams params_;
    SolverParams solver_;
    comm::Comm& comm_;
    device::Queue& queue_;
    Observation& observer_;
    SpectrumError error_;
    std::map<double, std::optional<double>> alike_;  ///< whose hierarchy a shift takes
    bool some_elastic_;
    Stiffness elastic_;
    std::map<std::vector<double>, std::shared_ptr<Stiffness>> kept_;  ///< hierarchies, by moduli
    std::unique_ptr<EbeOperator<double>> K_el_;
    std::vector<std::unique_ptr<EbeOperator<double>>> K_group_;
    linalg::PcgWorkspace work_;
    linalg::Sketch sketch_;
    std::vector<ElementOffset> offsets_;
    device::Buffer<double> u0_, load_, image_;
    std::vector<device::Buffer<double>> q_, W_;
    ResidualSketches sketches_;
    std::vector<std::vector<double>> seen_;  ///< motion of the observed points in each W
    ReducedModel reduced_;
    SpectrumEstimate estimate_;
    std::vector<double> estimates_;          ///< errors so far, once there is an estimate
    std::optional<RangeSearch> search_;      ///< set where viscosities have ranges
    RangePoint point_;                       ///< of the search, that is being solved
    std::vector<ShiftResult> solved_;        ///< the elastic solve, then one per four of the basis
    std::vector<std::int64_t> rheology_of_;  ///< of each of these
    std::optional<ShiftResult> chosen_;      ///< by resume(), and not solved yet
};

}  // namespace kaname::viscoelastic
