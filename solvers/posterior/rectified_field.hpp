// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/inversion/eigen.hpp"
#include "solvers/inversion/normal_equations.hpp"
#include "solvers/posterior/response_family.hpp"

namespace kaname::posterior {

/// A bound that is none.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// RandomStream draws the same numbers on every machine: the Mersenne Twister std::mt19937_64
/// (Matsumoto and Nishimura 1998), which the standard fixes to the bit, and distributions of its
/// own, which the standard does not fix. All of its state is the generator's.
class RandomStream {
public:
    explicit RandomStream(std::uint64_t seed) : engine_(seed) {}

    /// Returns a number in (0, 1), both ends excluded.
    [[nodiscard]] double uniform();
    /// Returns a draw from N(0, 1) (Box and Muller 1958; one of the pair is used).
    [[nodiscard]] double normal();
    /// Returns a draw from N(0, 1) within [low, high], which may be infinite: plain rejection where
    /// the interval has much of the distribution, else Robert's (1995,
    /// doi:10.1007/BF00143942) exponential and uniform proposals. Needs low < high.
    [[nodiscard]] double normal_within(double low, double high);
    /// Returns a draw from the gamma distribution of density x^(shape-1) exp(-x), shape > 0
    /// (Marsaglia and Tsang 2000, doi:10.1145/358407.358414).
    [[nodiscard]] double gamma(double shape);
    /// Returns a draw x in [low, high], 0 < low <= high, of density x^(shape-1) exp(-rate x):
    /// of log x, whose density is log-concave, by rejection under a tangent or a constant.
    [[nodiscard]] double gamma_within(double shape, double rate, double low, double high);

    /// Returns the state as text, which restore() takes back bit for bit.
    [[nodiscard]] std::string state() const;
    /// Throws InvalidArgument where the text is no state.
    void restore(const std::string& state);

private:
    [[nodiscard]] double normal_above(double low);

    std::mt19937_64 engine_;
};

/// Returns log of the normal distribution function, log P(N(0, 1) < x), for any x: far below zero
/// by its asymptotic series (Abramowitz and Stegun 26.2.12).
[[nodiscard]] double log_normal_cdf(double x);

/// Returns log P(low < N(0, 1) < high); -infinity where it is an empty interval.
[[nodiscard]] double log_normal_mass(double low, double high);

/// Returns log of the integral of x^(shape-1) exp(-rate x) from low to high, 0 < low < high: the
/// incomplete gamma function (Abramowitz and Stegun 6.5.29 and 6.5.31).
[[nodiscard]] double log_gamma_mass(double shape, double rate, double low, double high);

/// Integrates unknowns with flat priors out of the normal equations of whitened data: those after
/// the first n_amounts and before the last n_shared. Those on which nothing depends (a row of
/// zeros) are passed over. Throws InvalidArgument where two of them cannot be told apart.
[[nodiscard]] DataSet marginalised(const inversion::NormalEquations& equations,
                                   Eigen::Index n_amounts, Eigen::Index n_shared = 0);

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
    /// Errors a [n_shared] that all sets have in common, N(0, 1) each, are unknowns of the sets'
    /// equations after the amounts: with d_k = G_k m + U_k a + e_k the errors of all data have the
    /// covariance blockdiag(s_k^2 C_k) + U U'. Not with a family.
    Eigen::Index n_shared = 0;
    /// Sets as functions of parameters x [P], uniform in [-1, 1], that are sampled too; `sets` are
    /// those at x = 0 then.
    std::optional<ResponseFamily> family;

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
