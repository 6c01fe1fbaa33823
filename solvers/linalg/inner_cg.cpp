// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/inner_cg.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs.hpp"

namespace kaname::linalg {

using lanes::kLanes;
using lanes::LaneScalars;

namespace {

/// a / b in the lanes that move, zero in the others.
LaneScalars divide(const LaneScalars& a, const LaneScalars& b, const std::array<bool, 4>& moves) {
    LaneScalars result{};
    for (int lane = 0; lane < kLanes; ++lane) {
        if (moves[lane] && b[lane] > 0.0) {
            result[lane] = a[lane] / b[lane];
        }
    }
    return result;
}

}  // namespace

InnerCg::InnerCg(Operator<float>& A, int block, device::View<const float> inverse_diagonal,
                 device::View<const std::uint8_t> owned, InnerCgParams params, device::Queue& queue)
    : A_(A),
      block_(block),
      inverse_diagonal_(inverse_diagonal),
      owned_(owned),
      params_(params),
      e_(inverse_diagonal.size() / block * kLanes, queue),
      z_(e_.size(), queue),
      p_(e_.size(), queue),
      q_(e_.size(), queue) {}

LaneScalars InnerCg::dot(device::View<const float> x, device::View<const float> y, comm::Comm& comm,
                         device::Queue& queue) const {
    LaneScalars value = lanes::dot(x, y, block_ * kLanes, owned_, queue);
    const device::InPhase waiting(queue, device::Phase::Waiting);
    comm.sum(std::span<double>(value));
    return value;
}

int InnerCg::solve(device::View<const float> r, device::View<float> x, comm::Comm& comm,
                   device::Queue& queue) {
    const LaneScalars rr = dot(r, r, comm, queue);
    std::array<bool, 4> moves{};
    LaneScalars keep{};
    for (int lane = 0; lane < kLanes; ++lane) {
        moves[lane] = std::isfinite(rr[lane]) && rr[lane] > 0.0;
        keep[lane] = moves[lane] ? 1.0 : 0.0;
    }
    lanes::axpby(lanes::kZeros, r, keep, x, queue);
    A_.apply(x, e_, queue);
    lanes::axpby(lanes::kOnes, r, lanes::kMinusOnes, e_, queue);

    LaneScalars ee = dot(e_, e_, comm, queue);
    LaneScalars rho_old{};
    lanes::fill<float>(0.0F, p_, queue);
    const auto worst = [&] {
        double largest = 0.0;
        for (int lane = 0; lane < kLanes; ++lane) {
            const bool decides = params_.leading_lane < 0 || lane == params_.leading_lane;
            if (moves[lane] && decides) {
                largest = std::max(largest, std::sqrt(ee[lane] / rr[lane]));
            }
        }
        return largest;
    };
    int iterations = 0;
    while (worst() > params_.tolerance && iterations < params_.max_iterations) {
        lanes::block_diagonal_apply(block_, 1.0F, inverse_diagonal_, e_, z_, queue);
        const LaneScalars rho = dot(z_, e_, comm, queue);
        lanes::axpby(lanes::kOnes, z_, divide(rho, rho_old, moves), p_, queue);
        A_.apply(p_, q_, queue);
        const LaneScalars alpha = divide(rho, dot(p_, q_, comm, queue), moves);
        LaneScalars minus_alpha{};
        std::transform(alpha.begin(), alpha.end(), minus_alpha.begin(), std::negate<>());
        lanes::axpby(minus_alpha, q_, lanes::kOnes, e_, queue);
        lanes::axpby(alpha, p_, lanes::kOnes, x, queue);
        ee = dot(e_, e_, comm, queue);
        rho_old = rho;
        ++iterations;
    }
    return iterations;
}

}  // namespace kaname::linalg
