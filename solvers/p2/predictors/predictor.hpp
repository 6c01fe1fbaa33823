// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/buffer.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/p2/predictors/state_bytes.hpp"

namespace kaname::predictors {

/// First guesses of the next displacement increment from the earlier ones. Vectors are
/// [nodes][3][4], equal on every rank that shares a node.
class Predictor {
public:
    virtual ~Predictor() = default;
    /// Forgets everything: a new pack or another step length.
    virtual void clear() = 0;
    /// du = best guess of the solution of K du = f; zero while nothing is known. Collective.
    virtual void predict(device::View<double> du, device::View<const double> f,
                         device::Queue& queue) = 0;
    /// du = a second, simpler guess, where there is one: the solver takes the combination of both
    /// with the smallest residual. Collective.
    virtual bool predict_plainly(device::View<double> du, device::Queue& queue) = 0;
    /// The increment that came out: K du = f - r. Where f is the memory that predict was given
    /// since the last push, it holds the same numbers still. Collective.
    virtual void push(device::View<const double> du, device::View<const double> f,
                      device::View<const double> r, device::Queue& queue) = 0;
    /// Forgets one lane's numbers (a source that failed).
    virtual void zero_lane(int lane, device::Queue& queue) = 0;

    /// Number of increments that known() can return.
    [[nodiscard]] virtual int n_known() const = 0;
    /// du = the increment pushed `back` pushes before the newest, exact or, of a history kept as
    /// differences in FP32, to their rounding. 0 <= back < n_known().
    virtual void known(int back, device::View<double> du, device::Queue& queue) const = 0;
    /// Writes the whole history into `state` or takes it out, bit for bit, for a predictor made in
    /// the same way on the same rank.
    virtual void exchange(StateBytes& state, device::Queue& queue) = 0;
};

}  // namespace kaname::predictors
