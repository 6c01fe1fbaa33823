// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes {

/// One number per lane.
using LaneScalars = std::array<double, kLanes>;
[[nodiscard]] constexpr LaneScalars all_lanes(double value) {
    LaneScalars scalars{};
    for (double& scalar : scalars) {
        scalar = value;
    }
    return scalars;
}
inline constexpr LaneScalars kOnes = all_lanes(1.0);
inline constexpr LaneScalars kMinusOnes = all_lanes(-1.0);
inline constexpr LaneScalars kZeros = {};

/// Vectors here are [items][width / 4][4]: `items` of `width` numbers, lanes fastest.
/// Sums run in FP64 in a fixed order, so results do not depend on the number of threads.

/// Local part of (x, y) per lane over items with owned[item] != 0 (all when owned is empty).
[[nodiscard]] LaneScalars dot(device::View<const double> x, device::View<const double> y, int width,
                              device::View<const std::uint8_t> owned, device::Queue& queue);
[[nodiscard]] LaneScalars dot(device::View<const float> x, device::View<const double> y, int width,
                              device::View<const std::uint8_t> owned, device::Queue& queue);
[[nodiscard]] LaneScalars dot(device::View<const float> x, device::View<const float> y, int width,
                              device::View<const std::uint8_t> owned, device::Queue& queue);

/// Local part of all products between lanes, [lane of x][lane of y]; owned as above.
using LaneGram = std::array<LaneScalars, kLanes>;
[[nodiscard]] LaneGram gram(device::View<const double> x, device::View<const double> y, int width,
                            device::View<const std::uint8_t> owned, device::Queue& queue);

/// y = a x + b y per lane. Where b = 0, y is not read: a NaN in it vanishes.
void axpby(const LaneScalars& a, device::View<const double> x, const LaneScalars& b,
           device::View<double> y, device::Queue& queue);
void axpby(const LaneScalars& a, device::View<const float> x, const LaneScalars& b,
           device::View<double> y, device::Queue& queue);
void axpby(const LaneScalars& a, device::View<const float> x, const LaneScalars& b,
           device::View<float> y, device::Queue& queue);

/// y[lane] += sum_from A[from][lane] x[from].
void add_mixed(const LaneGram& A, device::View<const double> x, device::View<double> y,
               device::Queue& queue);

/// y = a x per lane, rounded to FP32.
void scale_to_float(const LaneScalars& a, device::View<const double> x, device::View<float> y,
                    device::Queue& queue);
/// y = a x per lane, from FP32.
void scale_to_double(const LaneScalars& a, device::View<const float> x, device::View<double> y,
                     device::Queue& queue);

/// y = x - y.
void subtract_from(device::View<const float> x, device::View<float> y, device::Queue& queue);
template <class T>
void fill(T value, device::View<T> y, device::Queue& queue);

/// Sets all lanes of the listed degrees of freedom (item * components + component) to zero.
template <class T>
void zero_dofs(device::View<const std::int32_t> dofs, device::View<T> x, device::Queue& queue);
/// y [n][4] *= w [n], all lanes. Throws InvalidArgument when y is not w.size() times 4.
template <class T>
void scale_items(device::View<const T> w, device::View<T> y, device::Queue& queue);
/// Sets one lane of every number to zero, whatever it held.
template <class T>
void zero_lane(int lane, device::View<T> x, device::Queue& queue);

/// The passes here are those of an iteration of conjugate gradients, each once through memory. Sums
/// run over owned items, as in dot; vectors are stored everywhere.

/// Local parts of (b, b) and of the new (r, r).
struct ResidualSums {
    LaneScalars bb, rr;
};
/// r = b - r, where r holds A x.
[[nodiscard]] ResidualSums residual(device::View<const double> b, device::View<double> r, int width,
                                    device::View<const std::uint8_t> owned, device::Queue& queue);

/// x += a p, r -= a Ap; returns the local part of the new (r, r).
struct UpdatePass {
    const LaneScalars& a;
    device::View<const double> p;
    device::View<const double> Ap;
    device::View<double> x;
    device::View<double> r;
};
[[nodiscard]] LaneScalars update(const UpdatePass& pass, int width,
                                 device::View<const std::uint8_t> owned, device::Queue& queue);

/// Stores an increment du for predictors: x = du - 2 newest + before, rounded to FP32, and du
/// itself in place of `before`.
void keep_increment(device::View<const double> du, device::View<const double> newest,
                    device::View<double> before, device::View<float> x, device::Queue& queue);

/// A sum over the history of a predictor, weights per lane:
///   y = a newest + b (newest - before) + sum_k c_k x_k
template <int L>
struct HistorySumOf {
    static constexpr int kMostTerms = 16;
    const double* newest = nullptr;
    const double* before = nullptr;  ///< null: no such term
    const float* x[kMostTerms] = {};
    int n_x = 0;
    double a[L] = {};
    double b[L] = {};
    double c[kMostTerms][L] = {};
    /// Instead of a, b and c: all of them in the queue's memory, [2 + n_x][L].
    const double* weights = nullptr;
};
using HistorySum = HistorySumOf<kLanes>;
void history_sum(const HistorySum& sum, device::View<double> y, device::Queue& queue);

/// y = A x with a dense matrix: A [rows][columns], x [columns][4], y [rows][4], FP32. The coarsest
/// level's inverse. Throws InvalidArgument when the sizes disagree.
void dense_apply(device::View<const float> A, device::View<const float> x, device::View<float> y,
                 device::Queue& queue);

}  // namespace kaname::lanes
