// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "solvers/viscoelastic/stepping/pack_solver.hpp"

namespace kaname::viscoelastic {

/// Four time steps of one source at once (Yamaguchi et al. 2018, Algorithm 1): lane 0 is the step
/// that is solved, lanes 1..3 are the three after it, solved as far as lane 0 takes and used as
/// their own first guesses later. The newest lane starts from a line through seven increments.
///
/// As the paper has it, the loads of lanes 1..3 are renewed from the stress of the lane before
/// after every outer iteration, which therefore starts a direction of its own (beta = 0 in
/// Algorithm 2), and its solver has two loops (NestedCgParams::two_levels): `method`, `hierarchy`
/// and `nested` of the SolverParams do not count.
class MultistepSolver {
public:
    /// Collective. Equal steps only: throws InvalidArgument for a grid that grows, and as
    /// PackSolver.
    MultistepSolver(const Model& model, const TimeGrid& grid, const SolverParams& params,
                    comm::Comm& comm, device::Queue& queue);

    /// `lane`: the source of the pack that is solved.
    void start(const std::vector<ElementOffset>& offsets, int lane);
    /// The coseismic solve, then one time step per call; lane 0 of the result counts. Collective.
    StepResult advance();

    [[nodiscard]] bool finished() const { return next_step_ > grid_.n_steps || failed_; }
    /// [N][3][4], the source in lane 0, the others zero.
    [[nodiscard]] device::View<const double> displacement() const { return u_.view(); }
    [[nodiscard]] const std::vector<ElementOffset>& offsets() const { return offsets_; }

private:
    linalg::LaneResult solve_coseismic();
    void sum_load(Stiffness& stiffness);
    void guess(int step);
    [[nodiscard]] bool goes_on(const linalg::LaneResult& led) const;
    /// Increment of lane 0 in a step [N * 3], kept for seven steps.
    device::Buffer<double>& increment(int step) { return increments_[(step - 1) % 7]; }

    TimeGrid grid_;
    int max_iterations_;
    comm::Comm& comm_;
    device::Queue& queue_;
    Stiffness coseismic_, viscous_;
    linalg::PcgWorkspace work_;
    std::vector<ElementOffset> offsets_;
    device::Mirror<ElementOffset> offsets_on_queue_;
    device::Buffer<double> u_, du_, f_, stress_;
    BranchStress branch_stress_;
    std::array<device::Buffer<double>, 7> increments_;
    int next_step_ = 0;
    bool failed_ = false;
};

}  // namespace kaname::viscoelastic
