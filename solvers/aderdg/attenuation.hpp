// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"

/// Constant Q by a generalised Maxwell body (Emmerich and Korn 1987, Geophysics 52). With the
/// unrelaxed modulus M and shares y_l at frequencies omega_l,
///   M(omega) = M (1 - sum_l y_l omega_l / (omega_l + i omega)),   1/Q = Im M(omega) / Re M(omega).
namespace kaname::aderdg {

/// Where Q is wanted, and the frequency at which velocities are as stated.
struct QBand {
    double from_hz = 0.0, to_hz = 0.0;
    int mechanisms = 3;         ///< 1..8
    double reference_hz = 0.0;  ///< of the phase velocities

    /// The highest relaxation frequency [1/s].
    [[nodiscard]] double fastest_per_s() const;
};

/// Shares of the moduli lambda + 2 mu and mu that relax; 0 where Q is infinite.
struct Mechanisms {
    std::vector<double> omega_per_s;  ///< [L], spaced evenly in their logarithm over the band
    std::vector<double> y_p, y_s;     ///< [L]
};

/// Rock as it is measured: phase velocities at the reference frequency and quality factors there.
struct AnelasticRock {
    double density_kg_m3 = 0.0, vp_m_per_s = 0.0, vs_m_per_s = 0.0;  ///< vs 0: a liquid
    double qp = 0.0, qs = 0.0;  ///< infinite: elastic; qs of a liquid is not looked at
};

/// Non-negative least squares for 1/Q, which is linear in the shares, at frequencies spaced evenly
/// in their logarithm over the band; a single mechanism is at its middle. With 3 mechanisms and
/// Q = 40 within 3 % of Q over a decade and a half, 5 % over two decades. Throws ValidationError
/// naming the field (`from_hz`, `mechanisms`, `qp` ...), value and rule.
[[nodiscard]] Mechanisms fit_attenuation(const QBand& band, double qp, double qs);

/// The solid whose phase velocities at the reference frequency are the rock's: unrelaxed moduli
/// and, per mechanism, lambda_l = (lambda + 2 mu) y_p - 2 mu y_s and mu_l = mu y_s. Throws
/// ValidationError as above, and where a relaxed modulus would not be positive: Q is too low.
[[nodiscard]] Solid anelastic_solid(const AnelasticRock& rock, const QBand& band);

/// The x >= 0 for which sum_l x_l columns[l] is nearest to `values` in least squares (Lawson and
/// Hanson 1974, algorithm NNLS). columns [n][rows], for the few columns of a fit.
[[nodiscard]] std::vector<double> non_negative_fit(const std::vector<std::vector<double>>& columns,
                                                   const std::vector<double>& values);

}  // namespace kaname::aderdg
