// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/weights.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/inversion/eigen.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::inversion {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Indices of values from the largest down.
std::vector<std::size_t> falling(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    return order;
}

/// Solutions for one smoothness along all sparsities: visit(index of sparsity, x).
template <class Visit>
void along_sparsity(const NormalEquations& equations, const Regulariser& regulariser, double lambda,
                    const std::vector<double>& alphas, const Visit& visit) {
    const MatrixXd q = equations.symmetric() + lambda * regulariser.r;
    VectorXd x;
    for (const std::size_t j : falling(alphas)) {
        x = solve({q, equations.g, alphas[j] * regulariser.w, regulariser.bounds},
                  regulariser.condition, x)
                .x;
        visit(static_cast<Index>(j), x);
    }
}

}  // namespace

NormalEquations FoldedEquations::training(std::size_t fold) const {
    NormalEquations rest = all;
    rest -= held.empty() ? test[fold] : held[fold];
    return rest;
}

FoldedEquations integrated_out(const FoldedEquations& equations, Index n) {
    FoldedEquations result;
    result.all = integrated_out(equations.all, n);
    for (std::size_t fold = 0; fold < equations.test.size(); ++fold) {
        result.test.push_back(integrated_out(equations.test[fold], n));
        NormalEquations& held = result.held.emplace_back(result.all);
        held -= integrated_out(equations.training(fold), n);
    }
    return result;
}

WeightScale weight_scale(const NormalEquations& all, const Regulariser& regulariser) {
    WeightScale scale;
    double data = 0.0;
    for (Index i = 0; i < all.g.size(); ++i) {
        // Unknowns of the measuring have no slip to be rough.
        data += regulariser.r(i, i) > 0.0 ? all.h(i, i) : 0.0;
        if (regulariser.w[i] > 0.0) {
            scale.sparsity =
                std::max(i == 0 ? 0.0 : scale.sparsity, std::abs(all.g[i]) / regulariser.w[i]);
        }
    }
    const double rough = regulariser.r.trace();
    if (data > 0.0 && rough > 0.0) {
        scale.smoothness = data / rough;
    }
    return scale;
}

PenalisedSolution fit(const NormalEquations& equations, const Regulariser& regulariser,
                      double lambda, double alpha, const VectorXd& start) {
    const MatrixXd q = equations.symmetric() + lambda * regulariser.r;
    return solve({q, equations.g, alpha * regulariser.w, regulariser.bounds}, regulariser.condition,
                 start);
}

WeightScores score_weights(const FoldedEquations& equations, const Regulariser& regulariser,
                           const WeightGrid& grid, const ScoreProgress& progress) {
    const auto n_smooth = static_cast<Index>(grid.smoothness.size());
    const auto n_sparse = static_cast<Index>(grid.sparsity.size());
    const std::size_t n_folds = equations.test.size();
    WeightScores scores;
    scores.misfit = scores.roughness = MatrixXd::Zero(n_smooth, n_sparse);
    // Per fold, chi^2 of its observations; summed in a fixed order afterwards.
    std::vector<MatrixXd> left_out(n_folds, MatrixXd::Zero(n_smooth, n_sparse));
    std::vector<NormalEquations> training;
    for (std::size_t fold = 0; fold < n_folds; ++fold) {
        training.push_back(equations.training(fold));
    }
    const std::int64_t n_tasks = n_smooth * static_cast<std::int64_t>(n_folds + 1);
    std::mutex mutex;
    std::int64_t done = 0;
    parallel_for(
        n_tasks,
        [&](std::int64_t task) {
            const Index i = task % n_smooth;
            const auto fold = static_cast<std::size_t>(task / n_smooth);
            const bool whole = fold == n_folds;
            along_sparsity(whole ? equations.all : training[fold], regulariser, grid.smoothness[i],
                           grid.sparsity, [&](Index j, const VectorXd& x) {
                               if (whole) {
                                   scores.misfit(i, j) = equations.all.misfit(x);
                                   scores.roughness(i, j) = x.dot(regulariser.r * x);
                               } else {
                                   left_out[fold](i, j) = equations.test[fold].misfit(x);
                               }
                           });
            if (progress) {
                const std::lock_guard lock(mutex);
                progress(static_cast<double>(++done) / static_cast<double>(n_tasks));
            }
        },
        1);
    if (n_folds > 0) {
        scores.score = scores.error = MatrixXd::Zero(n_smooth, n_sparse);
        double n_data = 0.0;
        for (std::size_t fold = 0; fold < n_folds; ++fold) {
            scores.score += left_out[fold];
            n_data += static_cast<double>(equations.test[fold].n_data);
        }
        scores.score /= n_data;
        for (std::size_t fold = 0; fold < n_folds; ++fold) {
            const double own = static_cast<double>(equations.test[fold].n_data);
            scores.error.array() += (left_out[fold].array() / own - scores.score.array()).square();
        }
        const double folds = static_cast<double>(n_folds);
        scores.error = (scores.error.array() / (folds * std::max(1.0, folds - 1.0))).sqrt();
    }
    return scores;
}

std::vector<Index> free_amounts(const VectorXd& x, const Bounds& bounds) {
    std::vector<Index> free;
    for (Index i = 0; i < x.size(); ++i) {
        if (x[i] > bounds.lower[i] && x[i] < bounds.upper[i]) {
            free.push_back(i);
        }
    }
    return free;
}

namespace {

/// Rank of a positive semidefinite matrix, and the logarithm of the product of its eigenvalues > 0.
std::pair<double, double> rank_and_log_det(const MatrixXd& r) {
    const VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(r, Eigen::EigenvaluesOnly).eigenvalues();
    const double zero =
        1e-12 * std::max(0.0, eigenvalues.maxCoeff()) * static_cast<double>(r.rows());
    double rank = 0.0, log_det = 0.0;
    for (const double value : eigenvalues) {
        rank += value > zero ? 1.0 : 0.0;
        log_det += value > zero ? std::log(value) : 0.0;
    }
    return {rank, log_det};
}

double criterion_of(const NormalEquations& all, const Regulariser& regulariser, double lambda,
                    const MatrixXd& q, const VectorXd& x, std::pair<double, double> rank_of_r) {
    const auto [rank, log_r] = rank_of_r;
    const double freedom = static_cast<double>(all.n_data) + rank - static_cast<double>(q.rows());
    const double log_det = Eigen::LDLT<MatrixXd>(q).vectorD().array().abs().max(1e-300).log().sum();
    const double s = all.misfit(x) + lambda * x.dot(regulariser.r * x);
    return freedom * std::log(s) - rank * std::log(lambda) - log_r + log_det;
}

}  // namespace

Eigen::VectorXd abic(const NormalEquations& all, const Regulariser& regulariser,
                     const std::vector<double>& lambdas, bool free_alone) {
    const MatrixXd h = all.symmetric();
    VectorXd criterion(static_cast<Index>(lambdas.size()));
    const bool few = free_alone || all.n_data < h.rows();
    const auto of_all = few ? std::pair<double, double>() : rank_and_log_det(regulariser.r);
    parallel_for(
        criterion.size(),
        [&](std::int64_t i) {
            const double lambda = lambdas[static_cast<std::size_t>(i)];
            if (!few) {
                const MatrixXd q = h + lambda * regulariser.r;
                criterion[i] =
                    criterion_of(all, regulariser, lambda, q, q.ldlt().solve(all.g), of_all);
                return;
            }
            const VectorXd x = fit(all, regulariser, lambda, 0.0).x;
            const std::vector<Index> free = free_amounts(x, regulariser.bounds);
            if (free.empty()) {
                criterion[i] = static_cast<double>(all.n_data) * std::log(all.misfit(x));
                return;
            }
            const MatrixXd r = regulariser.r(free, free);
            criterion[i] = criterion_of(all, regulariser, lambda, h(free, free) + lambda * r, x,
                                        rank_and_log_det(r));
        },
        1);
    return criterion;
}

ChosenWeights least_score(const WeightScores& scores, const WeightGrid& grid,
                          bool one_standard_error) {
    Index best_i = 0, best_j = 0;
    const double least = scores.score.minCoeff(&best_i, &best_j);
    ChosenWeights chosen{static_cast<std::size_t>(best_i), static_cast<std::size_t>(best_j)};
    if (!one_standard_error) {
        return chosen;
    }
    const double enough = least + scores.error(best_i, best_j);
    for (const std::size_t i : falling(grid.smoothness)) {
        for (const std::size_t j : falling(grid.sparsity)) {
            if (scores.score(static_cast<Index>(i), static_cast<Index>(j)) <= enough) {
                return {i, j};
            }
        }
    }
    return chosen;
}

std::size_t l_curve_corner(const WeightScores& scores, const WeightGrid& grid,
                           std::size_t sparsity) {
    if (grid.smoothness.size() < 3) {
        throw Error(ErrorCode::InvalidArgument,
                    "regularisation.smoothness must have at least 3 values for l_curve, got " +
                        std::to_string(grid.smoothness.size()));
    }
    const std::vector<std::size_t> order = falling(grid.smoothness);
    const auto point = [&](std::size_t k) {
        const auto i = static_cast<Index>(order[k]), j = static_cast<Index>(sparsity);
        return Eigen::Vector2d(std::log10(std::max(scores.misfit(i, j), 1e-300)),
                               std::log10(std::max(scores.roughness(i, j), 1e-300)));
    };
    std::size_t corner = order[1];
    double sharpest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k + 1 < order.size(); ++k) {
        const Eigen::Vector2d before = point(k - 1), at = point(k), after = point(k + 1);
        const Eigen::Vector2d a = at - before, b = after - at, c = after - before;
        const double sides = a.norm() * b.norm() * c.norm();
        // From smooth to rough the misfit falls first, then roughness grows: a turn to the right.
        const double curvature = sides > 0.0 ? -2.0 * (a.x() * b.y() - a.y() * b.x()) / sides : 0.0;
        if (curvature > sharpest) {
            sharpest = curvature;
            corner = order[k];
        }
    }
    return corner;
}

LinearAppraisal appraise(const NormalEquations& all, const Regulariser& regulariser,
                         double lambda) {
    const Eigen::MatrixXd h = all.symmetric();
    const Eigen::Index n = h.rows();
    LinearAppraisal result;
    result.covariance = (h + lambda * regulariser.r).ldlt().solve(Eigen::MatrixXd::Identity(n, n));
    result.resolution = result.covariance * h;
    return result;
}

Eigen::MatrixXd bootstrap(std::span<const NormalEquations> groups, const Regulariser& regulariser,
                          double lambda, double alpha, int replicates, std::uint64_t seed,
                          const Eigen::VectorXd& start) {
    const Eigen::Index n = regulariser.w.size();
    // Drawn in one order, whatever the threads do.
    Draws draws(seed);
    std::vector<std::vector<int>> times(replicates, std::vector<int>(groups.size()));
    for (std::vector<int>& of_one : times) {
        for (std::size_t k = 0; k < groups.size(); ++k) {
            ++of_one[draws.below(groups.size())];
        }
    }
    Eigen::MatrixXd solutions(n, replicates);
    parallel_for(
        replicates,
        [&](std::int64_t replicate) {
            NormalEquations drawn(n);
            for (std::size_t k = 0; k < groups.size(); ++k) {
                for (int time = 0; time < times[replicate][k]; ++time) {
                    drawn += groups[k];
                }
            }
            solutions.col(replicate) = fit(drawn, regulariser, lambda, alpha, start).x;
        },
        1);
    return solutions;
}

std::uint64_t Draws::next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

double Draws::normal() {
    constexpr double kUnit = 0x1p-53;
    const double radius = static_cast<double>((next() >> 11) + 1) * kUnit;  // (0, 1]
    const double angle = static_cast<double>(next() >> 11) * kUnit;
    return std::sqrt(-2.0 * std::log(radius)) * std::cos(2.0 * std::numbers::pi * angle);
}

std::vector<int> deal_folds(std::size_t n_groups, int n_folds, std::uint64_t seed) {
    std::vector<std::size_t> order(n_groups);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Draws draws(seed);
    for (std::size_t i = n_groups; i-- > 1;) {
        std::swap(order[i], order[draws.below(i + 1)]);
    }
    std::vector<int> fold(n_groups);
    for (std::size_t place = 0; place < n_groups; ++place) {
        fold[order[place]] = static_cast<int>(place % static_cast<std::size_t>(n_folds));
    }
    return fold;
}

}  // namespace kaname::inversion
