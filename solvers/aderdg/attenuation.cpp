// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/attenuation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>

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

namespace {

using Column = std::vector<double>;

double scalar_product(const Column& a, const Column& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(Column& a, double factor, const Column& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] -= factor * b[i];
    }
}

/// Least squares in the columns that are free, 0 in the others: Q R by Gram and Schmidt, twice.
Column least_squares(const std::vector<Column>& columns, const std::vector<bool>& free,
                     const Column& values) {
    std::vector<std::size_t> which;
    std::vector<Column> q, r;  // r[j]: column j of R
    Column rest = values, right;
    for (std::size_t l = 0; l < columns.size(); ++l) {
        if (!free[l]) {
            continue;
        }
        Column column = columns[l];
        Column part(which.size(), 0.0);
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t j = 0; j < q.size(); ++j) {
                const double along = scalar_product(q[j], column);
                part[j] += along;
                subtract(column, along, q[j]);
            }
        }
        const double length = std::sqrt(scalar_product(column, column));
        for (double& value : column) {
            value /= length;
        }
        part.push_back(length);
        right.push_back(scalar_product(column, rest));
        subtract(rest, right.back(), column);
        which.push_back(l);
        q.push_back(column);
        r.push_back(part);
    }
    Column x(columns.size(), 0.0);
    for (std::size_t j = which.size(); j-- > 0;) {
        double value = right[j];
        for (std::size_t k = j + 1; k < which.size(); ++k) {
            value -= r[k][j] * x[which[k]];
        }
        x[which[j]] = value / r[j][j];
    }
    return x;
}

}  // namespace

std::vector<double> non_negative_fit(const std::vector<std::vector<double>>& columns,
                                     const std::vector<double>& values) {
    const std::size_t n = columns.size();
    Column x(n, 0.0);
    std::vector<bool> free(n, false);
    // Each turn frees the column along which the misfit falls fastest; a bound on the turns, as
    // rounding may free and fix one column again and again.
    constexpr std::size_t kTurns = 10;
    for (std::size_t turn = 0; turn < kTurns * n; ++turn) {
        Column rest = values;
        for (std::size_t l = 0; l < n; ++l) {
            subtract(rest, x[l], columns[l]);
        }
        constexpr double kLeast = 1e-12;
        double steepest = kLeast;
        std::size_t next = n;
        for (std::size_t l = 0; l < n; ++l) {
            const double slope =
                scalar_product(columns[l], rest) / scalar_product(columns[l], columns[l]);
            if (!free[l] && slope > steepest) {
                steepest = slope;
                next = l;
            }
        }
        if (next == n) {
            break;
        }
        free[next] = true;
        Column wanted = least_squares(columns, free, values);
        // Walks towards it until a share would be negative, which is then fixed at 0.
        while (std::ranges::any_of(wanted, [](double value) { return value < 0.0; })) {
            double step = 1.0;
            for (std::size_t l = 0; l < n; ++l) {
                if (wanted[l] < 0.0) {
                    step = std::min(step, x[l] / (x[l] - wanted[l]));
                }
            }
            for (std::size_t l = 0; l < n; ++l) {
                const bool bound = wanted[l] < 0.0 && x[l] / (x[l] - wanted[l]) <= step;
                x[l] += step * (wanted[l] - x[l]);
                if (bound) {
                    x[l] = 0.0;
                    free[l] = false;
                }
            }
            wanted = least_squares(columns, free, values);
        }
        x = wanted;
    }
    return x;
}

}  // namespace kaname::aderdg
