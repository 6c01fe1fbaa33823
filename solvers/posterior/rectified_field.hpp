// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
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

/// Correlation of slip on a fault: of which roughness and over which length.
struct Correlation {
    double roughness = 0.5;  ///< Matern's nu: 0.5 exponential, 1.5 once differentiable
    double length_m = 0.0;   ///< along strike; kDownDip of it across
};

/// Part of the length along strike over which slip is correlated down dip (Mai and Beroza 2002,
/// doi:10.1029/2001JB000588, find slip of earthquakes correlated over less down dip).
inline constexpr double kDownDip = 0.7;

/// Twelve choices: roughness 0.5 and 1.5, each with six lengths spaced evenly in their logarithms
/// from half of the mean distance of a patch to its nearest one to half of the greatest extent
/// along strike. `centres` [patch] m, `strike` a unit vector. A single patch has one choice.
[[nodiscard]] std::vector<Correlation> correlation_choices(std::span<const Vec3> centres,
                                                           const Vec3& strike);

/// Matern (von Karman) correlation [patch][patch] of the distance r, in units of the length, with
///   r^2 = along^2 + (|apart|^2 - along^2) / kDownDip^2,
/// along the part of `apart` in the direction of strike: exp(-r) for roughness 0.5 and
/// (1 + sqrt(3) r) exp(-sqrt(3) r) for 1.5. r is a distance in space, so that the matrix is
/// positive definite for faults of any shape (Matern 1960; Mai and Beroza 2002).
[[nodiscard]] Eigen::MatrixXd matern(std::span<const Vec3> centres, const Vec3& strike,
                                     const Correlation& correlation);

/// Returns the horizontal unit vector along the mean strike: that of doubled angles, for which
/// strikes of 10 and 190 degrees are the same. Degrees clockwise from north; x is east, y north.
[[nodiscard]] Vec3 mean_strike(std::span<const double> strikes_deg);

}  // namespace kaname::posterior
