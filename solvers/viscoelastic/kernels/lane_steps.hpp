// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/lanes/lanes.hpp"

/// Vectors whose lanes are consecutive time steps of one source, not sources: what MultistepSolver
/// does to them besides solving. x [n][4]; throws InvalidArgument when sizes disagree.
namespace kaname::viscoelastic {

/// Every lane = lane 0.
void spread_first_lane(device::View<double> x, device::Queue& queue);

/// first [n] = lane 0 of x.
void take_first_lane(device::View<const double> x, device::View<double> first,
                     device::Queue& queue);

/// How the newest lane starts.
enum class NewestLane {
    Zero,
    Ab2,   ///< 2 x[lane before] - x[the one before that]; zero where there is no such lane
    Line,  ///< sum_k weight_k increment_k
};

/// Every lane takes over what the lane after it had; the last one starts as `newest` says, from the
/// lanes moved already.
struct LaneShift {
    static constexpr int kTerms = 7;
    NewestLane newest = NewestLane::Zero;
    const double* increment[kTerms] = {};  ///< [n] each: of steps solved, for Line only
    double weight[kTerms] = {};
};
void shift_lanes(const LaneShift& shift, device::View<double> x, device::Queue& queue);

/// A sparse symmetric matrix of few rows that couples the vertical components of nodes.
template <class T>
struct VerticalSprings {
    device::View<const std::int32_t> node;  ///< [rows], each node once
    device::View<const std::int32_t> ptr;   ///< [rows + 1]
    device::View<const std::int32_t> col;   ///< nodes
    device::View<const T> val;
};

/// y_z += S x_z at the rows' nodes; x, y [N][3][4]. T: float, double.
template <class T>
void apply_springs(const VerticalSprings<T>& springs, device::View<const T> x, device::View<T> y,
                   device::Queue& queue);

}  // namespace kaname::viscoelastic
