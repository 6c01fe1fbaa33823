// SPDX-License-Identifier: BSD-3-Clause
// Plane waves at a plane between two solids, or a solid and a liquid: the exact sum of the
// incident, reflected and transmitted waves must go on as it is, in the middle of a box whose ends
// nothing has come from yet.
#include <algorithm>
#include <cmath>
#include <complex>
#include <span>
#include <utility>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::reflection_test {
namespace {

using Complex = std::complex<double>;
using Slowness = std::array<Complex, 3>;

/// v = a d exp(i omega (s.x - t)); from v' = div sigma/rho and Hooke's law
/// sigma = -a (lambda d.s I + mu (d s + s d)) exp(i omega (s.x - t)).
struct Wave {
    Slowness s, d;
    Complex a = 1.0;

    /// Stress xx, yy, zz, xy, yz, xz and velocity.
    [[nodiscard]] std::array<Complex, 9> at(const Solid& solid, double omega, const Vec3& x,
                                            double t) const {
        const Complex e =
            a * std::exp(Complex(0, omega) * (s[0] * x.x + s[1] * x.y + s[2] * x.z - t));
        const Complex along = d[0] * s[0] + d[1] * s[1] + d[2] * s[2];
        const std::array<std::array<int, 2>, 6> pairs = {
            {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}};
        std::array<Complex, 9> u;
        for (int c = 0; c < 6; ++c) {
            const auto [i, j] = pairs[c];
            u[c] = -e * ((i == j ? solid.lambda_pa * along : 0.0) +
                         solid.mu_pa * (d[i] * s[j] + d[j] * s[i]));
        }
        for (int c = 0; c < 3; ++c) {
            u[6 + c] = e * d[c];
        }
        return u;
    }
};

enum class Kind { P, Sv, Sh };

/// A wave of horizontal slowness p going up (1) or down (-1); where it cannot, it decays that way.
Wave wave_of(Kind kind, const Solid& solid, double p, double up) {
    const double c = kind == Kind::P ? solid.vp_m_per_s() : solid.vs_m_per_s();
    const Complex q = up * std::sqrt(Complex(1.0 / (c * c) - p * p, 0.0));
    const Slowness s = {p, 0.0, q};
    return {s, kind == Kind::P    ? Slowness{c * p, 0.0, c * q}
               : kind == Kind::Sv ? Slowness{-c * q, 0.0, c * p}
                                  : Slowness{0.0, 1.0, 0.0}};
}

std::vector<Complex> solved_complex(std::vector<std::vector<Complex>> a, std::vector<Complex> b) {
    const int n = static_cast<int>(b.size());
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k; i < n; ++i) {
            best = std::abs(a[i][k]) > std::abs(a[best][k]) ? i : best;
        }
        std::swap(a[k], a[best]);
        std::swap(b[k], b[best]);
        for (int i = 0; i < n; ++i) {
            if (i != k) {
                const Complex f = a[i][k] / a[k][k];
                for (int j = k; j < n; ++j) {
                    a[i][j] -= f * a[k][j];
                }
                b[i] -= f * b[k];
            }
        }
    }
    for (int k = 0; k < n; ++k) {
        b[k] /= a[k][k];
    }
    return b;
}

/// The waves below (z < 0) and above a plane for one from below; amplitudes from continuous
/// velocity and traction, without what a liquid does not have.
class Scattered {
public:
    Scattered(Kind kind, const Solid& below, const Solid& above, double p, double omega)
        : solids_{below, above}, omega_(omega) {
        waves_[0].push_back(wave_of(kind, below, p, 1.0));
        std::vector<std::pair<int, Wave>> unknown;
        for (const int side : {0, 1}) {
            for (const Kind k : {Kind::P, Kind::Sv, Kind::Sh}) {
                if (k == Kind::P || solids_[side].mu_pa > 0.0) {
                    unknown.emplace_back(side, wave_of(k, solids_[side], p, side == 0 ? -1 : 1));
                }
            }
        }
        const bool liquid = below.mu_pa == 0.0 || above.mu_pa == 0.0;
        std::vector<int> continuous = {8, 2};  // v_z and the traction
        if (below.mu_pa + above.mu_pa > 0.0) {
            continuous.insert(continuous.end(), {4, 5});
        }
        if (!liquid) {
            continuous.insert(continuous.end(), {6, 7});
        }
        const std::size_t n = continuous.size();
        std::vector<std::vector<Complex>> a(n, std::vector<Complex>(n));
        std::vector<Complex> b(n);
        const auto incident = waves_[0][0].at(below, 0.0, {}, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            b[i] = -incident[continuous[i]];
            for (std::size_t k = 0; k < n; ++k) {
                const auto [side, wave] = unknown[k];
                a[i][k] =
                    (side == 0 ? 1.0 : -1.0) * wave.at(solids_[side], 0.0, {}, 0.0)[continuous[i]];
            }
        }
        const std::vector<Complex> amplitudes = solved_complex(a, b);
        for (std::size_t k = 0; k < n; ++k) {
            unknown[k].second.a = amplitudes[k];
            waves_[unknown[k].first].push_back(unknown[k].second);
        }
        for (const int side : {0, 1}) {
            for (const Wave& w : waves_[side]) {
                at_origin_[side].push_back(w.at(solids_[side], omega_, {}, 0.0));
            }
        }
    }

    [[nodiscard]] std::array<double, 9> at(const Vec3& x, double t) const {
        std::array<double, 9> u{};
        const int side = x.z < 0.0 ? 0 : 1;
        for (std::size_t k = 0; k < waves_[side].size(); ++k) {
            const Slowness& s = waves_[side][k].s;
            const Complex e =
                std::exp(Complex(0, omega_) * (s[0] * x.x + s[1] * x.y + s[2] * x.z - t));
            const std::array<Complex, 9>& of = at_origin_[side][k];
            for (int c = 0; c < 9; ++c) {
                u[c] += of[c].real() * e.real() - of[c].imag() * e.imag();
            }
        }
        return u;
    }
    /// Reflected P, then the others, by the incident wave's amplitude.
    [[nodiscard]] Complex amplitude(int side, int wave) const { return waves_[side][wave].a; }

private:
    std::array<Solid, 2> solids_;
    double omega_;
    std::array<std::vector<Wave>, 2> waves_;
    std::array<std::vector<std::array<Complex, 9>>, 2> at_origin_;
};

constexpr double kLength = 8.0, kHalfHeight = 6.0;  // in cubes
constexpr double kWay = 2.0;                        // that the fastest waves have gone at the end
constexpr int kPeriod = 4;                          // cubes along a side that nothing varies along

/// Relative L2 error of the unknowns, stresses over an impedance, in the middle at the end.
double error_of(Kind kind, const Solid& below, const Solid& above, double p, double omega,
                int order) {
    const int along = p > 0.0 ? static_cast<int>(kLength) : kPeriod;
    WaveModel model =
        box_of_cubes({along, kPeriod, 2 * static_cast<int>(kHalfHeight)}, {0, 0, -kHalfHeight},
                     {1.0 * along, 1.0 * kPeriod, kHalfHeight}, below);
    make_periodic(model, {true, true, false});
    model.solids.push_back(above);
    for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
        double sum = 0.0;
        for (const std::int32_t v : model.mesh.tets[e]) {
            sum += model.mesh.xyz[v].z;
        }
        model.mesh.material[e] = sum > 0.0 ? 1 : 0;
    }
    const double fastest = std::max(below.vp_m_per_s(), above.vp_m_per_s());
    WaveParams params;
    params.order = order;
    params.end_s = kWay / fastest;
    params.interval_s = params.end_s;
    const Scattered exact(kind, below, above, p, omega);
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, {}, comm);
    solver->start_from([&](const Vec3& x) { return exact.at(x, 0.0); });
    solver->advance(solver->macro_steps());
    const double impedance = below.density_kg_m3 * below.vp_m_per_s();
    double error = 0.0, size = 0.0;
    solver->visit(0, order, [&](const Vec3& x, double weight, std::span<const double> q) {
        // The grid's answer to the jump at the ends runs ahead of waves a little.
        if (std::abs(x.z) > kHalfHeight - kWay - 2.5) {
            return;
        }
        const auto wanted = exact.at(x, solver->time_s());
        for (int c = 0; c < 9; ++c) {
            const double scale = c < 6 ? 1.0 / impedance : 1.0;
            error += weight * std::pow(scale * (q[c] - wanted[c]), 2);
            size += weight * std::pow(scale * wanted[c], 2);
        }
    });
    return std::sqrt(error / size);
}

const Solid kSoft = solid_of(1.0, 2.0, 1.1), kHard = solid_of(1.6, 3.0, 1.7);
const Solid kWater = solid_of(0.8, 1.5, 0.0), kOil = solid_of(0.6, 1.1, 0.0);
/// Horizontal wavenumber of one wavelength in the box.
constexpr double kAcross = 2.0 * M_PI / kLength;

/// A wave whose direction is `sine` off the vertical, one wavelength of it along the box.
double oblique(Kind kind, const Solid& below, const Solid& above, double sine, int order) {
    const double p = sine / (kind == Kind::P ? below.vp_m_per_s() : below.vs_m_per_s());
    return error_of(kind, below, above, p, kAcross / p, order);
}

TEST(Reflection, CoefficientsOfNormalIncidenceAreThoseOfImpedances) {
    const Scattered p(Kind::P, kSoft, kHard, 0.0, 1.0), s(Kind::Sh, kSoft, kHard, 0.0, 1.0);
    const double z1 = 2.0, z2 = 1.6 * 3.0, y1 = 1.1, y2 = 1.6 * 1.7;
    // Directions of reflected P waves are opposite.
    EXPECT_NEAR(std::abs(p.amplitude(0, 1) - (z2 - z1) / (z1 + z2)), 0.0, 1e-12);
    EXPECT_NEAR(std::abs(p.amplitude(1, 0) - 2 * z1 / (z1 + z2)), 0.0, 1e-12);
    EXPECT_NEAR(std::abs(s.amplitude(0, 3) - (y1 - y2) / (y1 + y2)), 0.0, 1e-12);
    EXPECT_NEAR(std::abs(s.amplitude(1, 2) - 2 * y1 / (y1 + y2)), 0.0, 1e-12);
}

TEST(Reflection, NormalIncidence) {
    EXPECT_LT(error_of(Kind::P, kSoft, kHard, 0.0, M_PI, 5), 2e-3);
    EXPECT_LT(error_of(Kind::Sh, kHard, kSoft, 0.0, M_PI / 2, 5), 2e-3);
}

TEST(Reflection, ObliqueIncidence) {
    EXPECT_LT(oblique(Kind::P, kSoft, kHard, 0.5, 5), 2e-3);
    EXPECT_LT(oblique(Kind::Sv, kSoft, kHard, 0.3, 5), 2e-3);
    // Beyond the critical angle: what goes on decays.
    EXPECT_LT(oblique(Kind::Sh, kSoft, kHard, 0.8, 5), 2e-3);
}

/// Closed forms: impedances at normal incidence, Z = rho c/cos(angle) between liquids.
TEST(Reflection, CoefficientsOfLiquids) {
    const double z1 = 0.8 * 1.5, z2 = 1.6 * 3.0;
    const Scattered p(Kind::P, kWater, kHard, 0.0, 1.0);
    EXPECT_NEAR(std::abs(p.amplitude(0, 1) - (z2 - z1) / (z1 + z2)), 0.0, 1e-12);
    EXPECT_NEAR(std::abs(p.amplitude(1, 0) - 2 * z1 / (z1 + z2)), 0.0, 1e-12);
    const double slowness = 0.3;
    const Scattered o(Kind::P, kWater, kOil, slowness, 1.0);
    const double y1 = 0.8 * 1.5 / std::sqrt(1 - std::pow(1.5 * slowness, 2));
    const double y2 = 0.6 * 1.1 / std::sqrt(1 - std::pow(1.1 * slowness, 2));
    // Velocity amplitudes: the pressure's, over the impedance rho c of each liquid.
    EXPECT_NEAR(std::abs(o.amplitude(0, 1) - (y2 - y1) / (y1 + y2)), 0.0, 1e-12);
    EXPECT_NEAR(std::abs(o.amplitude(1, 0) - 2 * y2 / (y1 + y2) * (0.8 * 1.5) / (0.6 * 1.1)), 0.0,
                1e-12);
}

TEST(Reflection, NormalIncidenceBetweenSolidAndLiquid) {
    EXPECT_LT(error_of(Kind::P, kWater, kHard, 0.0, M_PI / 2, 5), 2e-3);
    EXPECT_LT(error_of(Kind::P, kHard, kWater, 0.0, M_PI / 2, 5), 2e-3);
    // All of a shear wave comes back.
    EXPECT_LT(error_of(Kind::Sh, kHard, kWater, 0.0, M_PI / 2, 5), 2e-3);
}

TEST(Reflection, BetweenLiquids) {
    EXPECT_LT(error_of(Kind::P, kWater, kOil, 0.0, M_PI / 2, 5), 2e-3);
    EXPECT_LT(oblique(Kind::P, kWater, kOil, 0.5, 5), 2e-3);
    // Beyond the critical angle.
    EXPECT_LT(oblique(Kind::P, kOil, kWater, 0.9, 5), 2e-3);
}

TEST(Reflection, BetweenSolidAndLiquid) {
    EXPECT_LT(oblique(Kind::P, kWater, kHard, 0.4, 5), 2e-3);
    EXPECT_LT(oblique(Kind::Sv, kHard, kWater, 0.5, 5), 2e-3);
}

TEST(Reflection, ErrorsFallWithTheOrder) {
    const double low = oblique(Kind::P, kSoft, kHard, 0.5, 3);
    const double high = oblique(Kind::P, kSoft, kHard, 0.5, 4);
    EXPECT_LT(high, 0.3 * low) << low;
}

}  // namespace
}  // namespace kaname::aderdg::reflection_test
