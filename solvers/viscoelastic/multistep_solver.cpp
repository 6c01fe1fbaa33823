// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/multistep_solver.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/kernels/blas1.hpp"

namespace kaname::viscoelastic {

using kernels::kLanes;

namespace {

constexpr kernels::LaneScalars kOnes = kernels::all_lanes(1.0);
constexpr kernels::LaneScalars kFirstLane = {1.0};
// Least-squares line through steps i-7 .. i-1, at i + 3 (Algorithm 1, line 11).
constexpr double kLine[7] = {-17.0 / 28.0, -10.0 / 28.0, -3.0 / 28.0, 4.0 / 28.0,
                             11.0 / 28.0,  18.0 / 28.0,  25.0 / 28.0};
// Steps before them have too few increments (i = 6 and 9 there, which counts the coseismic one).
constexpr int kFirstAb2 = 5;
constexpr int kFirstLine = 8;
// By how much the residual of lane 0 falls between two looks at the other lanes' loads.
constexpr double kPass = 0.05;

const TimeGrid& checked(const TimeGrid& grid, const Model& model, const device::Queue& queue) {
    if (queue.backend() != device::Backend::Cpu) {
        throw Error(ErrorCode::InvalidArgument, "solver.method multistep2018 runs on the CPU only");
    }
    if (model.pressure_nodes() != nullptr) {
        throw Error(ErrorCode::InvalidArgument,
                    "solver.element must be p2 with solver.method multistep2018");
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

SolverParams led_by_first_lane(SolverParams params) {
    params.cg.leading_lane = 0;
    return params;
}

}  // namespace

MultistepSolver::MultistepSolver(const Model& model, const TimeGrid& grid,
                                 const SolverParams& params, comm::Comm& comm, device::Queue& queue)
    : model_(model),
      grid_(checked(grid, model, queue)),
      tolerance_(params.cg.tolerance),
      comm_(comm),
      queue_(queue),
      coseismic_(model, model.step_moduli(0.0, grid.alpha), params, comm, queue),
      viscous_(model, model.step_moduli(grid.dt_s, grid.alpha), led_by_first_lane(params), comm,
               queue),
      work_(model.vector_size(), queue),
      u_(model.vector_size()),
      du_(model.vector_size()),
      f_(model.vector_size()),
      stress_(std::size_t(model.mesh().n_tets()) * kStressPerElement),
      branch_stress_(model, queue) {
    if (model.boundary().has_values()) {
        throw Error(ErrorCode::InvalidArgument,
                    "solver.method multistep2018 needs sides that are free or fixed");
    }
    for (auto& increment : increments_) {
        increment.resize(u_.size() / kLanes);
    }
}

void MultistepSolver::start(const std::vector<ElementOffset>& offsets, int lane) {
    offsets_ = offsets;
    for (ElementOffset& offset : offsets_) {
        for (auto& node : offset.s) {
            for (auto& comp : node) {
                const double value = comp[lane];
                std::fill(std::begin(comp), std::end(comp), 0.0);
                comp[0] = value;
            }
        }
    }
    kernels::fill<double>(0.0, u_, queue_);
    kernels::fill<double>(0.0, du_, queue_);
    stress_.fill(0.0);
    branch_stress_.clear(queue_);
    next_step_ = 0;
    failed_ = false;
    last_start_ = 1.0;
}

linalg::LaneResult MultistepSolver::solve_coseismic() {
    const ElementData data{model_.mesh(), model_.geometry(), coseismic_.step().moduli};
    kernels::fill<double>(0.0, f_, queue_);
    offset_force({data, offsets_, f_}, queue_);
    model_.mesh().node_halo.sum(f_.view(), 3 * kLanes);
    kernels::zero_dofs<double>(model_.boundary().fixed(), f_, queue_);
    const auto lanes = coseismic_.solve(f_, u_, work_);
    stress_update({data, coseismic_.step().relax, offsets_, u_, stress_, LaneChain::None,
                   branch_stress_.with(coseismic_)},
                  queue_);
    // All four steps begin with the stress right after the slip.
    for (std::size_t i = 0; i < stress_.size(); i += kLanes) {
        std::fill_n(stress_.data() + i, kLanes, stress_[i]);
    }
    branch_stress_.spread_first_lane();
    return lanes[0];
}

/// Every lane takes over what the lane after it had; the last is extrapolated.
void MultistepSolver::guess(int step) {
    const auto n = static_cast<std::int64_t>(du_.size() / kLanes);
    const auto back = [&](int steps) -> const double* {
        return increments_[(step - 1 - steps + 7) % 7].data();
    };
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        double* lane = du_.data() + i * kLanes;
        std::rotate(lane, lane + 1, lane + kLanes);
        double& newest = lane[kLanes - 1];
        newest = 0.0;
        if (step >= kFirstLine) {
            for (int k = 0; k < 7; ++k) {
                newest += kLine[k] * back(7 - k)[i];
            }
        } else if (step >= kFirstAb2 && kLanes > 2) {
            newest = 2.0 * lane[kLanes - 2] - lane[kLanes - 3];
        }
    }
}

void MultistepSolver::remember(int step) {
    std::vector<double>& newest = increments_[(step - 1) % 7];
    for (std::size_t i = 0; i < newest.size(); ++i) {
        newest[i] = du_[i * kLanes];
    }
}

StepResult MultistepSolver::advance() {
    StepResult result;
    result.step = next_step_++;
    result.time_s = result.step * grid_.dt_s;
    if (result.step == 0) {
        result.lanes[0] = solve_coseismic();
        failed_ = !result.lanes[0].ok();
        return result;
    }
    const ElementData data{model_.mesh(), model_.geometry(), viscous_.step().moduli};
    const auto& relax = viscous_.step().relax;
    const SecondBranch second = branch_stress_.with(viscous_);
    guess(result.step);
    const auto before = viscous_.preconditioner().inner_iterations();
    linalg::LaneResult& led = result.lanes[0];
    double goal = kPass * last_start_;
    // The loads of lanes 1..3 follow from what the lanes before them have reached.
    for (bool first = true; first || (led.ok() && led.residual > tolerance_); first = false) {
        stress_update({data, relax, {}, du_, stress_, LaneChain::Within, second}, queue_);
        kernels::fill<double>(0.0, f_, queue_);
        stress_force({data, relax, stress_, f_, second}, queue_);
        model_.mesh().node_halo.sum(f_.view(), 3 * kLanes);
        kernels::zero_dofs<double>(model_.boundary().fixed(), f_, queue_);
        viscous_.set_tolerance(std::max(tolerance_, goal));
        const linalg::LaneResult pass = viscous_.solve(f_, du_, work_)[0];
        led.status = pass.status;
        led.residual = pass.residual;
        led.iterations += pass.iterations;
        led.initial_residual = first ? pass.initial_residual : led.initial_residual;
        led.history.insert(led.history.end(), pass.history.begin(), pass.history.end());
        goal = kPass * pass.residual;
    }
    last_start_ = led.initial_residual;
    result.inner_iterations = viscous_.preconditioner().inner_iterations();
    for (std::size_t loop = 0; loop < before.size(); ++loop) {
        result.inner_iterations[loop] -= before[loop];
    }
    failed_ = !led.ok();
    kernels::axpby(kFirstLane, du_, kOnes, u_, queue_);
    stress_update({data, relax, {}, du_, stress_, LaneChain::Next, second}, queue_);
    remember(result.step);
    return result;
}

}  // namespace kaname::viscoelastic
