// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/penalised_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/inversion/eigen.hpp"

namespace kaname::inversion {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-11;
// Where rounding leaves no more: data that hardly tell amounts apart, without regularisation.
constexpr double kRounding = 1e-8;
constexpr int kMaxRounds = 400;
constexpr int kSweeps = 4;

double sign(double x) {
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

/// x and what goes with it; every move lowers the objective or leaves it.
class Descent {
public:
    Descent(const PenalisedProblem& problem, const VectorXd& start)
        : p_(problem), x_(VectorXd::Zero(p_.g.size())) {
        if (start.size() == x_.size()) {
            x_ = start;
        }
        x_ = x_.cwiseMax(p_.bounds.lower).cwiseMin(p_.bounds.upper);
        find_gradient();
    }

    [[nodiscard]] const VectorXd& x() const { return x_; }

    /// Each amount in turn to its best with the others as they are.
    void sweep() {
        for (Index i = 0; i < x_.size(); ++i) {
            improve(i);
        }
    }

    /// Amounts that are held at a bound or at zero and would rather leave it.
    void release() {
        for (Index i = 0; i < x_.size(); ++i) {
            if (!is_free(i)) {
                improve(i);
            }
        }
    }

    /// The free amounts together to their best, as far as none changes its sign or meets a bound;
    /// those that would, stop there. True: some did, and the others have a new best.
    bool newton_step() {
        const std::vector<Index> free = free_amounts();
        if (free.empty()) {
            return false;
        }
        MatrixXd q = p_.q(free, free);
        const VectorXd down = -slope_of(free);
        Eigen::LLT<MatrixXd> factor(q);
        if (factor.info() != Eigen::Success) {
            q.diagonal() *= 1.0 + 1e-10;
            q.diagonal().array() += 1e-14 * q.diagonal().mean();
            factor.compute(q);
        }
        const VectorXd step = factor.solve(down);
        if (factor.info() != Eigen::Success || !step.allFinite()) {
            return false;  // the sweeps go on alone
        }
        const double stop = first_stop(free, step);
        const VectorXd all = moved(free, step, 1.0, true);
        const VectorXd until = moved(free, step, std::min(1.0, stop), false);
        const double now = objective(x_), at_all = objective(all), at_until = objective(until);
        // Rounding decides near the end; the gradient then says which is better.
        if (std::min(at_all, at_until) <= now + 1e-14 * (std::abs(now) + x_.dot(p_.q * x_))) {
            x_ = at_all <= at_until ? all : until;
            find_gradient();
            return stop < 1.0;
        }
        return false;
    }

    [[nodiscard]] double violation() const {
        const double norm = std::sqrt(std::max(0.0, x_.dot(r_ + p_.g)));
        double worst = 0.0;
        for (Index i = 0; i < x_.size(); ++i) {
            const double up = r_[i] + (x_[i] >= 0.0 ? p_.l1[i] : -p_.l1[i]);
            const double down = r_[i] + (x_[i] > 0.0 ? p_.l1[i] : -p_.l1[i]);
            double broken = 0.0;
            if (x_[i] < p_.bounds.upper[i]) {
                broken = std::max(broken, -up);
            }
            if (x_[i] > p_.bounds.lower[i]) {
                broken = std::max(broken, down);
            }
            // |(Q x)_i| <= sqrt(Q_ii x'Q x)
            const double terms =
                std::abs(p_.g[i]) + p_.l1[i] + std::sqrt(std::max(0.0, p_.q(i, i))) * norm;
            if (broken > 0.0) {
                worst = std::max(worst, broken / terms);
            }
        }
        return worst;
    }

    /// Amounts that are neither at a bound nor held at zero by their weight.
    [[nodiscard]] std::vector<Index> free_amounts() const {
        std::vector<Index> free;
        for (Index i = 0; i < x_.size(); ++i) {
            if (is_free(i)) {
                free.push_back(i);
            }
        }
        return free;
    }

private:
    [[nodiscard]] bool is_free(Index i) const {
        return x_[i] > p_.bounds.lower[i] && x_[i] < p_.bounds.upper[i] &&
               (x_[i] != 0.0 || p_.l1[i] == 0.0);
    }
    void improve(Index i) {
        const double q = p_.q(i, i);
        if (q <= 0.0) {
            return;
        }
        const double at = x_[i] - r_[i] / q, shrink = p_.l1[i] / q;
        const double free = sign(at) * std::max(0.0, std::abs(at) - shrink);
        const double best = std::clamp(free, p_.bounds.lower[i], p_.bounds.upper[i]);
        if (best != x_[i]) {
            r_ += (best - x_[i]) * p_.q.col(i);
            x_[i] = best;
        }
    }
    void find_gradient() { r_ = p_.q * x_ - p_.g; }
    [[nodiscard]] double objective(const VectorXd& x) const {
        return 0.5 * x.dot(p_.q * x) - p_.g.dot(x) + p_.l1.dot(x.cwiseAbs());
    }
    [[nodiscard]] VectorXd slope_of(const std::vector<Index>& free) const {
        VectorXd slope(free.size());
        for (std::size_t k = 0; k < free.size(); ++k) {
            slope[static_cast<Index>(k)] = r_[free[k]] + p_.l1[free[k]] * sign(x_[free[k]]);
        }
        return slope;
    }
    /// Where an amount that goes from x must stop: zero if it has a weight, or a bound.
    [[nodiscard]] double stop_of(Index i, double step) const {
        const double bound = step > 0.0 ? p_.bounds.upper[i] : p_.bounds.lower[i];
        const bool towards_zero = p_.l1[i] > 0.0 && x_[i] * step < 0.0;
        return towards_zero && (step > 0.0 ? bound > 0.0 : bound < 0.0) ? 0.0 : bound;
    }
    [[nodiscard]] double first_stop(const std::vector<Index>& free, const VectorXd& step) const {
        double first = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < free.size(); ++k) {
            const double d = step[static_cast<Index>(k)];
            if (d != 0.0) {
                first = std::min(first, (stop_of(free[k], d) - x_[free[k]]) / d);
            }
        }
        return first;
    }
    [[nodiscard]] VectorXd moved(const std::vector<Index>& free, const VectorXd& step, double part,
                                 bool clip) const {
        VectorXd x = x_;
        for (std::size_t k = 0; k < free.size(); ++k) {
            const double d = step[static_cast<Index>(k)];
            const double stop = d == 0.0 ? x[free[k]] : stop_of(free[k], d);
            const double to = x[free[k]] + part * d;
            const bool beyond = d > 0.0 ? to >= stop : to <= stop;
            // An amount within rounding of its stop is there.
            const bool there = !clip && std::abs(to - stop) <= 1e-15 * std::abs(d);
            x[free[k]] = beyond || there ? stop : to;
        }
        return x;
    }

    const PenalisedProblem& p_;
    VectorXd x_, r_;  // r = Q x - g
};

void check(const PenalisedProblem& p) {
    const Index n = p.g.size();
    if (p.q.rows() != n || p.q.cols() != n || p.l1.size() != n || p.bounds.lower.size() != n ||
        p.bounds.upper.size() != n) {
        throw Error(ErrorCode::Internal, "a problem of " + std::to_string(n) +
                                             " amounts has a matrix, weights or bounds of others");
    }
}

}  // namespace

PenalisedSolution solve(const PenalisedProblem& problem, const VectorXd& start) {
    check(problem);
    Descent descent(problem, start);
    PenalisedSolution solution;
    for (int k = 0; k < kSweeps; ++k) {
        descent.sweep();
    }
    solution.sweeps = kSweeps;
    double before = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kMaxRounds; ++round) {
        // The best with some amounts held; then those that want to are let go. Each round lowers
        // the objective and there are finitely many sets that can be held, so that it ends.
        bool stopped = true;
        for (int step = 0; stopped && step < kMaxRounds; ++step) {
            stopped = descent.newton_step();
            ++solution.newton_steps;
        }
        const double violation = descent.violation();
        if (violation <= kTolerance || (violation <= kRounding && violation >= 0.5 * before)) {
            solution.x = descent.x();
            return solution;
        }
        before = violation;
        descent.release();
        ++solution.sweeps;
    }
    throw Error(ErrorCode::NotConverged,
                "the slip of " + std::to_string(problem.g.size()) +
                    " unknowns was not found: its optimality conditions are violated by " +
                    std::to_string(descent.violation()) + " of their terms after " +
                    std::to_string(kMaxRounds) + " rounds");
}

PenalisedSolution solve(const PenalisedProblem& problem,
                        const std::optional<LinearCondition>& condition, const VectorXd& start) {
    using Relation = LinearCondition::Relation;
    PenalisedSolution best = solve(problem, start);
    if (!condition) {
        return best;
    }
    const VectorXd& a = condition->a;
    const double b = condition->b;
    const auto sum_at = [&](const PenalisedSolution& s) { return a.dot(s.x); };
    const double sum = sum_at(best);
    if ((condition->relation == Relation::AtMost && sum <= b) ||
        (condition->relation == Relation::AtLeast && sum >= b)) {
        return best;
    }
    double least = 0.0, most = 0.0, scale = 0.0;
    for (Index i = 0; i < a.size(); ++i) {
        if (a[i] != 0.0) {
            least += a[i] * (a[i] > 0.0 ? problem.bounds.lower[i] : problem.bounds.upper[i]);
            most += a[i] * (a[i] > 0.0 ? problem.bounds.upper[i] : problem.bounds.lower[i]);
            scale = std::max(scale, (std::abs(problem.g[i]) + problem.l1[i]) / std::abs(a[i]));
        }
    }
    if (b < least || b > most) {
        throw Error(ErrorCode::InvalidArgument, "the condition asks for " + std::to_string(b) +
                                                    ", the bounds allow " + std::to_string(least) +
                                                    " to " + std::to_string(most));
    }
    // a'x(nu) does not fall with nu and is linear while the same amounts are free: Newton's method
    // within what is known to lie below and above.
    double nu = 0.0, at = sum, below = 0.0, above = 0.0;
    bool has_below = false, has_above = false;
    for (int round = 0; round < kMaxRounds; ++round) {
        const double small = 1e-12 * (std::abs(b) + a.cwiseAbs().dot(best.x.cwiseAbs()));
        if (std::abs(at - b) <= small) {
            best.multiplier = nu;
            return best;
        }
        (at < b ? below : above) = nu;
        (at < b ? has_below : has_above) = true;
        const VectorXd g = problem.g + nu * a;
        const PenalisedProblem shifted{problem.q, g, problem.l1, problem.bounds};
        const std::vector<Index> free = Descent(shifted, best.x).free_amounts();
        double slope = 0.0;
        if (!free.empty()) {
            const VectorXd of_free = a(free);
            slope = of_free.dot(MatrixXd(problem.q(free, free)).ldlt().solve(of_free));
        }
        double next = slope > 0.0 ? nu + (b - at) / slope : nu;
        const bool known = has_below && has_above;
        if (known && !(next > std::min(below, above) && next < std::max(below, above))) {
            next = 0.5 * (below + above);
        } else if (!known && next == nu) {
            next = nu + (at < b ? 1.0 : -1.0) * (scale + std::abs(nu));
        }
        if (next == nu) {
            break;
        }
        nu = next;
        const VectorXd shifted_g = problem.g + nu * a;
        best = solve({problem.q, shifted_g, problem.l1, problem.bounds}, best.x);
        at = sum_at(best);
    }
    if (std::abs(at - b) <= 1e-9 * std::abs(b)) {
        best.multiplier = nu;
        return best;
    }
    throw Error(ErrorCode::NotConverged, "the condition's sum is " + std::to_string(at) +
                                             ", wanted is " + std::to_string(b));
}

}  // namespace kaname::inversion
