// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/stepping/multistep_solver.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/viscoelastic/kernels/lane_steps.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

constexpr lanes::LaneScalars kFirstLane = {1.0};
// Least-squares line through steps i-7 .. i-1, at i + 3 (Algorithm 1, line 11).
constexpr double kLine[7] = {-17.0 / 28.0, -10.0 / 28.0, -3.0 / 28.0, 4.0 / 28.0,
                             11.0 / 28.0,  18.0 / 28.0,  25.0 / 28.0};
// Steps before them have too few increments (i = 6 and 9 there, which counts the coseismic one).
constexpr int kFirstAb2 = 5;
constexpr int kFirstLine = 8;
const TimeGrid& checked_grid(const TimeGrid& grid, const Model& model) {
    if (model.pressure_nodes() != nullptr) {
        throw Error(ErrorCode::InvalidArgument,
                    "solver.element must be p2 with solver.method multistep2018");
    }
    if (model.buoyancy() != nullptr) {
        throw Error(ErrorCode::InvalidArgument,
                    "gravity must be none with solver.method multistep2018");
    }
    if (!grid.later.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "time.max_step_s must be left out with solver.method multistep2018, whose line "
                    "goes through seven equal steps");
    }
    if (!(grid.dt_s > 0.0) || grid.n_steps < 1) {
        throw Error(ErrorCode::InvalidArgument,
                    "solver.method multistep2018 needs time steps: time.end_s and time.step_s must "
                    "be > 0 and a layer viscous");
    }
    return grid;
}

/// The solver of the paper: P1 and P2 loops inside flexible CG, and lane 0 decides.
SolverParams own_solver(SolverParams params) {
    params.method = Method::Seed;
    params.nested = multigrid::NestedCgParams::two_levels();
    params.cg.leading_lane = 0;
    return params;
}

/// Algorithm 2 is one outer iteration: the while of lines 13-17 goes around it.
SolverParams one_iteration(SolverParams params) {
    params = own_solver(std::move(params));
    params.cg.max_iterations = 1;
    return params;
}

}  // namespace

MultistepSolver::MultistepSolver(const Model& model, const TimeGrid& grid,
                                 const SolverParams& params, comm::Comm& comm, device::Queue& queue)
    : grid_(checked_grid(grid, model)),
      max_iterations_(params.cg.max_iterations),
      comm_(comm),
      queue_(queue),
      coseismic_(model, model.step_moduli(0.0, grid.alpha), own_solver(params), comm, queue),
      viscous_(model, model.step_moduli(grid.dt_s, grid.alpha), one_iteration(params), comm, queue),
      work_(model.vector_size(), queue),
      u_(model.vector_size(), queue),
      du_(model.vector_size(), queue),
      f_(model.vector_size(), queue),
      stress_(std::size_t(model.mesh().n_tets()) * kStressPerElement, queue),
      branch_stress_(model, queue) {
    if (model.boundary().has_values()) {
        throw Error(ErrorCode::InvalidArgument,
                    "solver.method multistep2018 needs sides that are free or fixed");
    }
    for (auto& increment : increments_) {
        increment = device::Buffer<double>(u_.size() / kLanes, queue);
    }
}

void MultistepSolver::start(const std::vector<ElementOffset>& offsets, int lane) {
    offsets_ = offsets;
    for (ElementOffset& offset : offsets_) {
        offset.strains = offset.moves(static_cast<std::size_t>(lane)) ? 0 : 1;
        for (auto& node : offset.s) {
            for (auto& comp : node) {
                const double value = comp[lane];
                std::fill(std::begin(comp), std::end(comp), 0.0);
                comp[0] = value;
            }
        }
    }
    offsets_on_queue_ = {std::span<const ElementOffset>(offsets_), queue_};
    lanes::fill<double>(0.0, u_, queue_);
    lanes::fill<double>(0.0, du_, queue_);
    lanes::fill<double>(0.0, stress_, queue_);
    branch_stress_.clear(queue_);
    next_step_ = 0;
    failed_ = false;
}

linalg::LaneResult MultistepSolver::solve_coseismic() {
    const ElementData& data = coseismic_.data();
    lanes::fill<double>(0.0, f_, queue_);
    offset_force({data, offsets_on_queue_, f_}, queue_);
    sum_load(coseismic_);
    const auto lanes = coseismic_.solve(f_, u_, work_);
    stress_update({data, coseismic_.relax(), offsets_on_queue_, u_, stress_, LaneChain::None,
                   branch_stress_.with(coseismic_)},
                  queue_);
    spread_first_lane(stress_, queue_);  // all four steps begin with the stress after the slip
    branch_stress_.spread_first_lane(queue_);
    return lanes[0];
}

void MultistepSolver::sum_load(Stiffness& stiffness) {
    stiffness.K().halo().sum(f_.view(), 3 * kLanes, queue_);
    lanes::zero_dofs<double>(stiffness.K().fixed(), f_, queue_);
}

void MultistepSolver::guess(int step) {
    const device::InPhase phase(queue_, device::Phase::Predictor);
    LaneShift shift;
    if (step >= kFirstLine) {
        shift.newest = NewestLane::Line;
        for (int k = 0; k < LaneShift::kTerms; ++k) {
            shift.increment[k] = increment(step - 7 + k).data();
            shift.weight[k] = kLine[k];
        }
    } else if (step >= kFirstAb2) {
        shift.newest = NewestLane::Ab2;
    }
    shift_lanes(shift, du_, queue_);
}

bool MultistepSolver::goes_on(const linalg::LaneResult& led) const {
    return led.status == linalg::LaneStatus::MaxIterations && led.iterations < max_iterations_;
}

StepResult MultistepSolver::advance() {
    const device::InPhase phase(queue_, device::Phase::LoadStress);
    StepResult result;
    result.step = next_step_++;
    result.time_s = result.step * grid_.dt_s;
    if (result.step == 0) {
        result.lanes[0] = solve_coseismic();
        failed_ = !result.lanes[0].ok();
        return result;
    }
    const ElementData& data = viscous_.data();
    const auto relax = viscous_.relax();
    const SecondBranch second = branch_stress_.with(viscous_);
    guess(result.step);
    const auto before = viscous_.preconditioner().inner_iterations();
    linalg::LaneResult& led = result.lanes[0];
    for (bool first = true; first || goes_on(led); first = false) {
        if (!first) {
            // Line 16: lanes 1..3 follow from what the lanes before them have reached.
            stress_update({data, relax, {}, du_, stress_, LaneChain::Within, second}, queue_);
        }
        lanes::fill<double>(0.0, f_, queue_);
        stress_force({data, relax, stress_, f_, second}, queue_);
        sum_load(viscous_);
        const linalg::LaneResult pass = viscous_.solve(f_, du_, work_)[0];
        led.status = pass.status;
        led.residual = pass.residual;
        led.iterations += pass.iterations;
        led.initial_residual = first ? pass.initial_residual : led.initial_residual;
        led.history.insert(led.history.end(), pass.history.begin(), pass.history.end());
    }
    result.inner_iterations = viscous_.preconditioner().inner_iterations();
    for (std::size_t loop = 0; loop < before.size(); ++loop) {
        result.inner_iterations[loop] -= before[loop];
    }
    failed_ = !led.ok();
    lanes::axpby(kFirstLane, du_, lanes::kOnes, u_, queue_);
    stress_update({data, relax, {}, du_, stress_, LaneChain::Next, second}, queue_);
    take_first_lane(du_, increment(result.step), queue_);
    return result;
}

}  // namespace kaname::viscoelastic
