// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of a spectrum: what was solved, of which all else follows without a solve.
#include <bit>

#include "solvers/base/error.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

using Numbers = std::array<std::int64_t, kLanes>;

std::int64_t bits(double value) {
    return std::bit_cast<std::int64_t>(value);
}

}  // namespace

void SpectrumSolver::exchange_solve(StateArchive& state, int solve, ShiftResult& point,
                                    device::View<double> field) {
    const std::string name = "solve" + std::to_string(solve) + "/";
    Numbers status{}, iterations{}, initial{}, residual{};
    for (int lane = 0; lane < kLanes; ++lane) {
        const linalg::LaneResult& of = point.lanes[lane];
        status[lane] = static_cast<std::int64_t>(of.status);
        iterations[lane] = of.iterations;
        initial[lane] = bits(of.initial_residual);
        residual[lane] = bits(of.residual);
    }
    state.lanes(name + "status", status);
    state.lanes(name + "iterations", iterations);
    state.lanes(name + "initial_residual", initial);
    state.lanes(name + "residual", residual);
    state.items(name + "field", model_.mesh().node_gid, 3, field, queue_);
    for (int lane = 0; lane < kLanes && state.reading(); ++lane) {
        linalg::LaneResult& of = point.lanes[lane];
        of.status = static_cast<linalg::LaneStatus>(status[lane]);
        of.iterations = static_cast<int>(iterations[lane]);
        of.initial_residual = std::bit_cast<double>(initial[lane]);
        of.residual = std::bit_cast<double>(residual[lane]);
    }
}

void SpectrumSolver::save(StateArchive& state) {
    auto count = static_cast<std::int64_t>(solved_.size());
    state.number("solves", count);
    for (int solve = 0; solve < count; ++solve) {
        std::int64_t shift = bits(solved_[solve].shift_per_s);
        const std::string name = "solve" + std::to_string(solve);
        state.number(name + "/shift", shift);
        state.number(name + "/rheology", rheology_of_[solve]);
        exchange_solve(state, solve, solved_[solve],
                       solve == 0 ? u0_.view() : W_[solve - 1].view());
    }
}

int SpectrumSolver::resume(StateArchive& state, std::vector<ElementOffset> offsets,
                           device::View<const double> forces) {
    std::int64_t count = 0;
    state.number("solves", count);
    if (count < 1 || count > 1 + params_.max_shifts) {
        throw Error(ErrorCode::InvalidArgument, "solves must be 1.." +
                                                    std::to_string(1 + params_.max_shifts) +
                                                    ", got " + std::to_string(count));
    }
    begin(std::move(offsets), forces);
    device::Buffer<double> d(model_.vector_size(), queue_);
    int taken = 0;
    for (; taken < count; ++taken) {
        const std::string name = "solve" + std::to_string(taken);
        std::int64_t shift = 0, rheology_then = 0;
        state.number(name + "/shift", shift);
        state.number(name + "/rheology", rheology_then);
        ShiftResult elastic;
        const auto point = taken == 0 ? std::optional(elastic) : next_point();
        if (!point || bits(point->shift_per_s) != shift || rheology_then != rheology()) {
            chosen_ = point;
            break;
        }
        ShiftResult result = *point;
        exchange_solve(state, taken, result, taken == 0 ? u0_.view() : d.view());
        if (taken == 0) {
            take_elastic(result.lanes);
            continue;
        }
        const auto c = reduced_.at(result.g);
        const LaneNorms residual = residual_at(result.g, c, result.residual_before);
        take(result, d, residual);
    }
    return taken;
}

}  // namespace kaname::viscoelastic
