// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/appraisal.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "solvers/inversion/eigen.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::inversion {

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
