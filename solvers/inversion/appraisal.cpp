// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/appraisal.hpp"

#include "solvers/inversion/draws.hpp"
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

}  // namespace kaname::inversion
