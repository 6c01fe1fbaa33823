// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/attenuation.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>

#include "solvers/aderdg/non_negative_fit.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::aderdg {
namespace {

using Complex = std::complex<double>;
constexpr double kTwoPi = 2.0 * std::numbers::pi;
/// Frequencies of the fit per mechanism: enough that more change Q by less than a thousandth.
constexpr int kPointsPerMechanism = 12;

void refuse_value(const char* field, const char* rule, double value) {
    throw ValidationError({{field, "must be " + std::string(rule) + ", got " + number(value)}});
}

void require(bool holds, const char* field, const char* rule, double value) {
    if (!holds) {
        refuse_value(field, rule, value);
    }
}

void check_band(const QBand& band, double qp, double qs) {
    require(std::isfinite(band.from_hz) && band.from_hz > 0.0, "from_hz", "> 0", band.from_hz);
    require(std::isfinite(band.to_hz) && band.to_hz > band.from_hz, "to_hz", "above from_hz",
            band.to_hz);
    require(band.mechanisms >= 1 && band.mechanisms <= kMostMechanisms, "mechanisms", "1 to 8",
            band.mechanisms);
    require(qp > 0.0, "qp", "> 0", qp);
    require(qs > 0.0, "qs", "> 0", qs);
}

/// n frequencies over the band, evenly in their logarithm; one alone is at its middle.
std::vector<double> log_spaced(const QBand& band, int n) {
    std::vector<double> omega(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) {
        const double share = n == 1 ? 0.5 : double(k) / (n - 1);
        omega[static_cast<std::size_t>(k)] =
            kTwoPi * band.from_hz * std::pow(band.to_hz / band.from_hz, share);
    }
    return omega;
}

/// Shares y with sum_l y_l (omega_l omega + omega_l^2 / Q) / (omega_l^2 + omega^2) = 1 / Q
/// (Emmerich and Korn 1987, equation 21), each row times Q.
std::vector<double> fit(const std::vector<double>& omega_l, const std::vector<double>& omega,
                        double q) {
    if (std::isinf(q)) {
        return std::vector<double>(omega_l.size(), 0.0);
    }
    std::vector<std::vector<double>> columns;
    for (const double at : omega_l) {
        std::vector<double>& column = columns.emplace_back();
        for (const double w : omega) {
            column.push_back((q * at * w + at * at) / (at * at + w * w));
        }
    }
    return non_negative_fit(columns, std::vector<double>(omega.size(), 1.0));
}

/// M(omega) / M of shares y.
Complex relative(const std::vector<double>& omega_l, const std::vector<double>& y, double omega) {
    Complex sum = 1.0;
    for (std::size_t l = 0; l < y.size(); ++l) {
        sum -= y[l] * omega_l[l] / Complex(omega_l[l], omega);
    }
    return sum;
}

/// Unrelaxed modulus whose phase velocity 1 / Re sqrt(density / M(omega)) is v.
double unrelaxed(double density_kg_m3, double v_m_per_s, const Complex& relative) {
    const double slow = (1.0 / std::sqrt(relative)).real();
    return density_kg_m3 * v_m_per_s * v_m_per_s * slow * slow;
}

double sum(const std::vector<double>& y) {
    double total = 0.0;
    for (const double share : y) {
        total += share;
    }
    return total;
}

}  // namespace

double QBand::fastest_per_s() const {
    return log_spaced(*this, mechanisms).back();
}

Mechanisms fit_attenuation(const QBand& band, double qp, double qs) {
    check_band(band, qp, qs);
    const std::vector<double> omega = log_spaced(band, kPointsPerMechanism * band.mechanisms);
    Mechanisms result;
    result.omega_per_s = log_spaced(band, band.mechanisms);
    result.y_p = fit(result.omega_per_s, omega, qp);
    result.y_s = fit(result.omega_per_s, omega, qs);
    return result;
}

Solid anelastic_solid(const AnelasticRock& rock, const QBand& band) {
    require(rock.density_kg_m3 > 0.0, "density_kg_m3", "> 0", rock.density_kg_m3);
    require(rock.vp_m_per_s > 0.0, "vp_m_per_s", "> 0", rock.vp_m_per_s);
    require(rock.vs_m_per_s >= 0.0, "vs_m_per_s", ">= 0", rock.vs_m_per_s);
    require(std::isfinite(band.reference_hz) && band.reference_hz > 0.0, "reference_hz", "> 0",
            band.reference_hz);
    const bool liquid = rock.vs_m_per_s == 0.0;
    const double qs = liquid ? std::numeric_limits<double>::infinity() : rock.qs;
    const Mechanisms fitted = fit_attenuation(band, rock.qp, qs);
    const double omega = kTwoPi * band.reference_hz;
    const double p = unrelaxed(rock.density_kg_m3, rock.vp_m_per_s,
                               relative(fitted.omega_per_s, fitted.y_p, omega));
    const double mu = unrelaxed(rock.density_kg_m3, rock.vs_m_per_s,
                                relative(fitted.omega_per_s, fitted.y_s, omega));
    Solid solid{rock.density_kg_m3, p - 2.0 * mu, mu, {}};
    for (std::size_t l = 0; l < fitted.omega_per_s.size(); ++l) {
        const double mu_l = mu * fitted.y_s[l];
        solid.mechanisms.push_back({fitted.omega_per_s[l], p * fitted.y_p[l] - 2.0 * mu_l, mu_l});
    }
    const double mu_relaxed = 1.0 - sum(fitted.y_s);
    require(mu_relaxed > 0.0, "qs", "high enough to leave some of the shear modulus", rock.qs);
    const double bulk = p * (1.0 - sum(fitted.y_p)) - 4.0 / 3.0 * mu * mu_relaxed;
    require(bulk > 0.0, "qp", "high enough to leave some of the bulk modulus", rock.qp);
    return solid;
}

}  // namespace kaname::aderdg
