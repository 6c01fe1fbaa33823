// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "solvers/base/error.hpp"

namespace kaname::posterior {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Time until f(t) = x cos t + w sin t - wall falls to 0, infinite if not within [0, span], span
/// <= pi/2; f(0) >= 0 up to rounding. At 0, and falling: at once. cosine, sine: of span.
double time_to_wall(double x, double w, double wall, double span, double cosine, double sine) {
    const double end = x * cosine + w * sine - wall;
    if (end > 0.0) {
        // It may have dipped below the wall and have come back: only from a fall to a rise.
        const bool dips =
            w < 0.0 && w * cosine > x * sine && wall > -kInfinity && x * x + w * w > wall * wall;
        if (!dips) {
            return kInfinity;
        }
    }
    // f = r cos(t - phi) - wall, and 0 lies between phi - alpha and phi + alpha, where f is 0.
    const double r = std::hypot(x, w);
    if (!(r > std::abs(wall))) {
        return kInfinity;
    }
    const double t = std::max(0.0, std::atan2(w, x) + std::acos(wall / r));
    return t <= span ? t : kInfinity;
}

struct Hit {
    double time = kInfinity;
    Index amount = -1;
    bool lower = true;
};

/// The first wall that z = c + x cos t + w sin t meets within `span`.
Hit first_hit(const VectorXd& c, const VectorXd& x, const VectorXd& w, const VectorXd& low,
              const VectorXd& high, double span) {
    const double cosine = std::cos(span), sine = std::sin(span);
    Hit first;
    for (Index j = 0; j < c.size(); ++j) {
        if (low[j] > -kInfinity) {
            const double t = time_to_wall(x[j], w[j], low[j] - c[j], span, cosine, sine);
            if (t < first.time) {
                first = {t, j, true};
            }
        }
        if (high[j] < kInfinity) {
            const double t = time_to_wall(-x[j], -w[j], c[j] - high[j], span, cosine, sine);
            if (t < first.time) {
                first = {t, j, false};
            }
        }
    }
    return first;
}

}  // namespace

int follow_trajectory(MatrixXd& q, const VectorXd& pull, const VectorXd& low, const VectorXd& high,
                      RandomStream& random, VectorXd& z) {
    const Index n = z.size();
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(q);
    if (factor.info() != Eigen::Success) {
        throw Error(ErrorCode::NotConverged,
                    "the posterior's precision is not positive definite within rounding");
    }
    const VectorXd c = factor.solve(pull);
    VectorXd x = z - c, w(n);
    for (double& value : w) {
        value = random.normal();
    }
    factor.matrixU().solveInPlace(w);
    // Columns of Q^-1 of amounts that were reflected: most are so again.
    std::map<Index, VectorXd> columns;
    double left = 0.5 * std::numbers::pi;
    int reflections = 0;
    for (Hit hit = first_hit(c, x, w, low, high, left); hit.amount >= 0;
         hit = first_hit(c, x, w, low, high, left)) {
        if (++reflections > kMostReflections * n) {
            return reflections;
        }
        const double cosine = std::cos(hit.time), sine = std::sin(hit.time);
        const VectorXd before = x;
        x = cosine * x + sine * w;
        w = cosine * w - sine * before;
        left -= hit.time;
        const Index j = hit.amount;
        x[j] = (hit.lower ? low[j] : high[j]) - c[j];
        auto [at, fresh] = columns.try_emplace(j);
        if (fresh) {
            at->second = VectorXd::Unit(n, j);
            factor.solveInPlace(at->second);
        }
        const VectorXd& e = at->second;
        w -= (2.0 * w[j] / e[j]) * e;
    }
    const double cosine = std::cos(left), sine = std::sin(left);
    z = (c + cosine * x + sine * w).cwiseMax(low).cwiseMin(high);
    return reflections;
}

}  // namespace kaname::posterior
