// SPDX-License-Identifier: BSD-3-Clause
// Saves the state of PackSolver between two steps, and restores it.
#include "solvers/viscoelastic/stepping/pack_state.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

// A cubic goes through four; the other predictors start again from them.
constexpr int kKeptIncrements = 4;

std::vector<std::int64_t> wide(std::span<const std::int32_t> ids) {
    return {ids.begin(), ids.end()};
}

}  // namespace

void PackSolver::exchange(StateArchive& state) {
    exchange_place(state);
    if (!state.reading()) {
        find_lasting_stress();
    }
    carried_ = 0;  // a run that was interrupted here goes on with the same numbers
    const p2::LocalMesh& mesh = model_.mesh();
    state.items("displacement", mesh.node_gid, 3, u_, queue_);
    state.items("stress", wide(mesh.tet), kStressPerElement / kLanes, stress_, queue_);
    branch_stress_.exchange(mesh.tet, state, queue_);
    nodal_stress_.exchange(state, queue_);
    if (du_before_.size() > 0) {
        state.items("increment_last", mesh.node_gid, 3, du_, queue_);
        state.items("increment_before", mesh.node_gid, 3, du_before_, queue_);
    }
    if (!exchange_history(state) || !state.reading()) {
        exchange_increments(state);
    }
}

/// The step, and what follows from it: Kv, and how much of the slip is there.
void PackSolver::exchange_place(StateArchive& state) {
    std::int64_t next = next_step_;
    std::array<std::int64_t, kLanes> failed{};
    std::copy(failed_.begin(), failed_.end(), failed.begin());
    state.number("next_step", next);
    state.lanes("failed", failed);
    if (!state.reading()) {
        return;
    }
    if (next < 1 || next > grid_.total_steps() + 1) {
        throw Error(ErrorCode::InvalidArgument, "next_step must be 1.." +
                                                    std::to_string(grid_.total_steps() + 1) +
                                                    ", got " + std::to_string(next));
    }
    next_step_ = static_cast<int>(next);
    for (int lane = 0; lane < kLanes; ++lane) {
        failed_[lane] = failed[lane] != 0;
        if (failed_[lane]) {
            zero_slip(lane);
        }
    }
    const int step = next_step_ - 1;
    if (grid_.total_steps() > 0) {
        change_step(std::max(step, 1));
        nodal_stress_.set_step(viscous_->step(), queue_);
    }
    grow_slip(times_s_[step]);
}

/// True when the predictor has all of its history again.
bool PackSolver::exchange_history(StateArchive& state) {
    if (!state.keeps_own()) {
        return false;
    }
    predictors::StateBytes bytes;
    if (!state.reading()) {
        predictor_->exchange(bytes, queue_);
    }
    if (!state.own("predictor", bytes)) {
        return false;
    }
    std::exception_ptr error;
    if (state.reading()) {
        try {
            predictor_->exchange(bytes, queue_);
        } catch (...) {
            error = std::current_exception();
        }
    }
    comm_.throw_if_any(error);
    return true;
}

/// The newest increments; what they are read into starts the predictor, which is to know K du.
void PackSolver::exchange_increments(StateArchive& state) {
    std::int64_t n = std::min(predictor_->n_known(), kKeptIncrements);
    state.number("increments", n);
    for (std::int64_t back = n - 1; back >= 0; --back) {
        if (!state.reading()) {
            predictor_->known(static_cast<int>(back), f_, queue_);
        }
        state.items("increment_" + std::to_string(back), model_.mesh().node_gid, 3, f_, queue_);
        if (state.reading()) {
            lanes::axpby(lanes::kOnes, f_, {}, work_.p, queue_);
            lanes::zero_dofs<double>(viscous_->K().fixed(), work_.p, queue_);
            viscous_->K().apply(work_.p, work_.Ap, queue_);
            lanes::fill<double>(0.0, work_.r, queue_);
            predictor_->push(f_, work_.Ap, work_.r, queue_);
        }
    }
}

}  // namespace kaname::viscoelastic
