// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/rectified_problem.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::posterior {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

[[noreturn]] void refuse_problem(const std::string& what) {
    throw Error(ErrorCode::InvalidArgument, "posterior: " + what);
}

void check_shapes(const RectifiedProblem& problem) {
    const Index n = problem.n();
    if (n == 0 || problem.upper.size() != n ||
        !(problem.lower.array() < problem.upper.array()).all()) {
        refuse_problem("each amount must have a lower bound below its upper one");
    }
    for (std::size_t k = 0; k < problem.sets.size(); ++k) {
        const DataSet& set = problem.sets[k];
        if (set.h.rows() != n || set.h.cols() != n || set.g.size() != n) {
            refuse_problem("normal equations of set " + std::to_string(k) + " must have " +
                           std::to_string(n) + " amounts, got " + std::to_string(set.g.size()));
        }
    }
    Index next = 0;
    for (const FieldPrior& field : problem.fields) {
        if (field.first != next || field.n < 1 || field.covariance.empty()) {
            refuse_problem("fields must follow one another and have covariances");
        }
        if (!(field.least_sigma > 0.0 && field.least_sigma <= field.most_sigma)) {
            refuse_problem("sigma must have a range above 0, got " +
                           std::to_string(field.least_sigma) + " to " +
                           std::to_string(field.most_sigma));
        }
        next += field.n;
    }
    if (next != n) {
        refuse_problem("fields must have all amounts, " + std::to_string(n) + ", got " +
                       std::to_string(next));
    }
}

}  // namespace

DataSet marginalised(const inversion::NormalEquations& equations, Index n_amounts) {
    const MatrixXd h = equations.symmetric();
    std::vector<Index> used;
    for (Index i = n_amounts; i < h.rows(); ++i) {
        if (h(i, i) > 0.0) {
            used.push_back(i);
        }
    }
    DataSet set{h.topLeftCorner(n_amounts, n_amounts), equations.g.head(n_amounts), equations.c,
                static_cast<double>(equations.n_data) - static_cast<double>(used.size())};
    if (used.empty()) {
        return set;
    }
    // H - H_mb H_bb^-1 H_bm, of rows and columns scaled to a diagonal of one.
    const auto n_used = static_cast<Index>(used.size());
    MatrixXd of_nuisance = h(used, used);
    const VectorXd scale = of_nuisance.diagonal().cwiseSqrt().cwiseInverse();
    of_nuisance = scale.asDiagonal() * of_nuisance * scale.asDiagonal();
    const MatrixXd mixed = scale.asDiagonal() * h(used, Eigen::seqN(0, n_amounts));
    const VectorXd values = scale.cwiseProduct(equations.g(used));
    const Eigen::LLT<MatrixXd> factor(of_nuisance);
    constexpr double kTold = 1e-10;  // of a scaled unknown, once those before it are known
    if (factor.info() != Eigen::Success ||
        (factor.matrixLLT().diagonal().head(n_used).cwiseAbs2().array() < kTold).any()) {
        refuse_problem("unknowns of the measuring cannot be told apart by the data");
    }
    const MatrixXd half = factor.matrixL().solve(mixed);
    const VectorXd half_values = factor.matrixL().solve(values);
    set.h.noalias() -= half.transpose() * half;
    set.g.noalias() -= half.transpose() * half_values;
    set.c = std::max(0.0, set.c - half_values.squaredNorm());
    return set;
}

PreparedFields::PreparedFields(const RectifiedProblem& problem) {
    check_shapes(problem);
    for (const FieldPrior& field : problem.fields) {
        std::vector<Choice>& made = choices.emplace_back(field.covariance.size());
        parallel_for(
            static_cast<std::int64_t>(made.size()),
            [&](std::int64_t h) {
                const MatrixXd& covariance = field.covariance[static_cast<std::size_t>(h)];
                if (covariance.rows() != field.n || covariance.cols() != field.n) {
                    refuse_problem("covariance " + std::to_string(h) + " must have " +
                                   std::to_string(field.n) + " amounts");
                }
                const Eigen::LLT<MatrixXd> factor(covariance);
                if (factor.info() != Eigen::Success) {
                    refuse_problem("covariance " + std::to_string(h) +
                                   " of the field must be positive definite; are two patches at "
                                   "one place?");
                }
                Choice& choice = made[static_cast<std::size_t>(h)];
                choice.precision = factor.solve(MatrixXd::Identity(field.n, field.n));
                choice.precision = (0.5 * (choice.precision + choice.precision.transpose())).eval();
                choice.log_det = -2.0 * factor.matrixLLT().diagonal().array().log().sum();
            },
            1);
    }
}

}  // namespace kaname::posterior
