// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/inversion/eigen.hpp"
#include "solvers/inversion/normal_equations.hpp"

namespace kaname::posterior {

/// DataSet holds all that a Gaussian likelihood keeps of one set of observations whose errors have
/// the covariance s^2 C, s^2 unknown, after unknowns of the measuring with flat priors were
/// integrated out:
///   -2 log p(d | m, s) = (c - 2 g'm + m'H m) / s^2 + freedom log s^2 + const.
struct DataSet {
    Eigen::MatrixXd h;     ///< [n][n] G'W G, symmetric, W = C^-1 less its part on N
    Eigen::VectorXd g;     ///< [n] G'W d
    double c = 0.0;        ///< d'W d
    double freedom = 0.0;  ///< observations less unknowns of the measuring
};

/// Integrates unknowns with flat priors out of the normal equations of whitened data: those after
/// the first n_amounts. Those on which nothing depends (a row of zeros) are passed over.
/// Throws InvalidArgument where two of them cannot be told apart.
[[nodiscard]] DataSet marginalised(const inversion::NormalEquations& equations,
                                   Eigen::Index n_amounts);

/// FieldPrior holds the prior of the consecutive amounts first to first + n - 1:
///   z ~ N(0, S_h / lambda),  sigma = lambda^(-1/2) log-uniform in [least_sigma, most_sigma],
/// h one of some covariances, equally likely. With S_h = K_h + 1 1' the field's level is unknown,
/// so that the part of the fault that slips is a priori uniform.
struct FieldPrior {
    Eigen::Index first = 0, n = 0;
    std::vector<Eigen::MatrixXd> covariance;      ///< [choice][n][n] S_h, positive definite
    double least_sigma = 0.01, most_sigma = 8.0;  ///< equal: lambda is known [unit of the amounts]
};

/// RectifiedProblem is slip as a rectified Gaussian field: the amounts are
///   m_j = min(max(z_j, lower_j), upper_j),
/// z Gaussian. Amounts at a bound have probability, and no normaliser of a truncated distribution
/// is needed. The prior of a factor on the variances of a set is s^2 ~ InvGamma(1, 1).
struct RectifiedProblem {
    std::vector<DataSet> sets;
    std::vector<FieldPrior> fields;  ///< in order; together they have all amounts
    Eigen::VectorXd lower, upper;    ///< [n], may be infinite; lower < upper
    bool known_errors = false;       ///< true: s^2 = 1 of every set

    [[nodiscard]] Eigen::Index n() const { return lower.size(); }
};

/// PreparedFields holds precisions and determinants of the covariances of a problem's fields,
/// computed once for all chains.
struct PreparedFields {
    struct Choice {
        Eigen::MatrixXd precision;  ///< P_h = S_h^-1
        double log_det = 0.0;       ///< log |P_h|
    };
    std::vector<std::vector<Choice>> choices;  ///< [field][choice]

    /// Throws InvalidArgument naming what does not fit: shapes, bounds, ranges, a covariance that
    /// is not positive definite.
    explicit PreparedFields(const RectifiedProblem& problem);
};

}  // namespace kaname::posterior
