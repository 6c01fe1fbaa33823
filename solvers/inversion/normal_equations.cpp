// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/normal_equations.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::inversion {
namespace {

// Columns of a tile of H: two of its operands and the tile itself fit a core's cache for the some
// hundred rows that come at once.
constexpr Eigen::Index kTile = 96;

}  // namespace

void NormalEquations::add(const Rows& rows, const Eigen::VectorXd& values) {
    const Eigen::Index n = g.size();
    if (rows.cols() != n || rows.rows() != values.size()) {
        throw Error(ErrorCode::Internal, "rows must be [" + std::to_string(values.size()) + "][" +
                                             std::to_string(n) + "], got [" +
                                             std::to_string(rows.rows()) + "][" +
                                             std::to_string(rows.cols()) + "]");
    }
    const Eigen::Index tiles = (n + kTile - 1) / kTile;
    parallel_for(
        tiles * (tiles + 1) / 2,
        [&](std::int64_t tile) {
            Eigen::Index down = 0;
            for (; tile > down; ++down) {
                tile -= down + 1;
            }
            const Eigen::Index i = down * kTile, j = tile * kTile;
            const Eigen::Index height = std::min(kTile, n - i), width = std::min(kTile, n - j);
            if (i == j) {
                h.block(i, i, height, height)
                    .selfadjointView<Eigen::Lower>()
                    .rankUpdate(rows.middleCols(i, height).transpose());
            } else {
                h.block(i, j, height, width).noalias() +=
                    rows.middleCols(i, height).transpose() * rows.middleCols(j, width);
            }
        },
        1);
    g.noalias() += rows.transpose() * values;
    c += values.squaredNorm();
    n_data += values.size();
}

NormalEquations& NormalEquations::operator+=(const NormalEquations& other) {
    h += other.h;
    g += other.g;
    c += other.c;
    n_data += other.n_data;
    return *this;
}

NormalEquations& NormalEquations::operator-=(const NormalEquations& other) {
    h -= other.h;
    g -= other.g;
    c -= other.c;
    n_data -= other.n_data;
    return *this;
}

Eigen::MatrixXd NormalEquations::symmetric() const {
    return h.selfadjointView<Eigen::Lower>();
}

double NormalEquations::misfit(const Eigen::VectorXd& x) const {
    const double quadratic = x.dot(h.selfadjointView<Eigen::Lower>() * x);
    return std::max(0.0, c - 2.0 * g.dot(x) + quadratic);
}

namespace {

/// Cholesky factor of H_aa + 1 of the last n unknowns.
Eigen::LLT<Eigen::MatrixXd> factor_of_rest(const Eigen::MatrixXd& h, Eigen::Index n) {
    Eigen::MatrixXd own = h.bottomRightCorner(n, n);
    own.diagonal().array() += 1.0;
    return Eigen::LLT<Eigen::MatrixXd>(own);
}

}  // namespace

NormalEquations integrated_out(const NormalEquations& equations, Eigen::Index n) {
    const Eigen::Index kept = equations.g.size() - n;
    const Eigen::LLT<Eigen::MatrixXd> factor = factor_of_rest(equations.h, n);
    const Eigen::MatrixXd mixed =
        factor.matrixL().solve(Eigen::MatrixXd(equations.h.bottomLeftCorner(n, kept)));
    const Eigen::VectorXd pull = factor.matrixL().solve(Eigen::VectorXd(equations.g.tail(n)));
    NormalEquations result(kept);
    result.h = equations.h.topLeftCorner(kept, kept);
    result.h.noalias() -= mixed.transpose() * mixed;
    result.g = equations.g.head(kept);
    result.g.noalias() -= mixed.transpose() * pull;
    result.c = std::max(0.0, equations.c - pull.squaredNorm());
    result.n_data = equations.n_data;
    return result;
}

Eigen::VectorXd most_likely_rest(const NormalEquations& equations, const Eigen::VectorXd& x) {
    const Eigen::Index n = equations.g.size() - x.size();
    Eigen::VectorXd pull = equations.g.tail(n);
    pull.noalias() -= equations.h.bottomLeftCorner(n, x.size()) * x;
    return factor_of_rest(equations.h, n).solve(pull);
}

Eigen::MatrixXd laplacian(std::span<const PatchNode> patches) {
    const auto n = static_cast<Eigen::Index>(patches.size());
    Eigen::MatrixXd l = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index p = 0; p < n; ++p) {
        const PatchNode& patch = patches[p];
        const auto distance_to = [&](std::int32_t q) {
            if (q < 0 || q >= n || q == p) {
                throw Error(ErrorCode::Internal, "patch " + std::to_string(p) + " has neighbour " +
                                                     std::to_string(q) + " of " +
                                                     std::to_string(n) + " patches");
            }
            return norm(patches[q].centre - patch.centre);
        };
        if (patch.neighbours.empty()) {
            continue;
        }
        double sum = 0.0;
        for (const std::int32_t q : patch.neighbours) {
            sum += distance_to(q);
        }
        const double mean = sum / static_cast<double>(patch.neighbours.size());
        const double factor = patch.weight * 2.0 / (sum + patch.edges * mean);
        for (const std::int32_t q : patch.neighbours) {
            l(p, q) -= factor / distance_to(q);
            l(p, p) += factor / distance_to(q);
        }
        l(p, p) += factor * patch.edges / mean;
    }
    return l;
}

namespace {

// Epochs of files and of datasets come by way of decimal years.
constexpr double kSameTime_s = 1.0;

/// Weights of G(age), added with `factor`.
void add_at(std::span<const double> epochs_s, double age_s, double factor, std::span<double> into) {
    const auto after = std::ranges::upper_bound(epochs_s, age_s);
    if (after == epochs_s.begin()) {
        into[0] += factor;
        return;
    }
    if (after == epochs_s.end()) {
        into[epochs_s.size() - 1] += factor;
        return;
    }
    const std::size_t k = after - epochs_s.begin();
    const double part = (age_s - epochs_s[k - 1]) / (epochs_s[k] - epochs_s[k - 1]);
    into[k - 1] += factor * (1.0 - part);
    into[k] += factor * part;
}

}  // namespace

std::vector<double> response_weights(std::span<const double> epochs_s, double begin_s, double end_s,
                                     double t_s) {
    std::vector<double> weights(epochs_s.size());
    const double oldest = t_s - begin_s;
    if (oldest < -kSameTime_s) {
        return weights;
    }
    if (oldest > epochs_s.back() + kSameTime_s) {
        const auto years = [](double s) { return std::to_string(s / kJulianYear_s); };
        throw Error(ErrorCode::OutOfRange, "needs the motion " + years(oldest) +
                                               " years after slip, the dataset's last epoch is " +
                                               years(epochs_s.back()) + " years");
    }
    if (end_s <= begin_s) {
        add_at(epochs_s, std::max(0.0, oldest), 1.0, weights);
        return weights;
    }
    // The trapezoid between kinks is exact.
    const double youngest = std::max(0.0, t_s - end_s);
    std::vector<double> kinks = {youngest};
    for (const double epoch : epochs_s) {
        if (epoch > youngest && epoch < oldest) {
            kinks.push_back(epoch);
        }
    }
    kinks.push_back(std::max(youngest, oldest));
    for (std::size_t k = 1; k < kinks.size(); ++k) {
        const double half = 0.5 * (kinks[k] - kinks[k - 1]) / (end_s - begin_s);
        add_at(epochs_s, kinks[k - 1], half, weights);
        add_at(epochs_s, kinks[k], half, weights);
    }
    return weights;
}

}  // namespace kaname::inversion
