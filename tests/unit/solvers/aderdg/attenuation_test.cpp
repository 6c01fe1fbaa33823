// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/attenuation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::aderdg::attenuation_test {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;
/// The layer of LOH.3.
const AnelasticRock kLayer{2600.0, 4000.0, 2000.0, 120.0, 40.0};

using Complex = std::complex<double>;

/// A modulus of a solid at omega: `of` takes it from lambda and mu.
template <class Of>
Complex modulus(const Solid& solid, double omega, const Of& of) {
    Complex m = of(solid.lambda_pa, solid.mu_pa);
    for (const Solid::Mechanism& l : solid.mechanisms) {
        m -= of(l.lambda_pa, l.mu_pa) * l.omega_per_s / Complex(l.omega_per_s, omega);
    }
    return m;
}

Complex p_modulus(const Solid& solid, double omega) {
    return modulus(solid, omega, [](double lambda, double mu) { return lambda + 2.0 * mu; });
}

Complex s_modulus(const Solid& solid, double omega) {
    return modulus(solid, omega, [](double, double mu) { return mu; });
}

double phase_velocity(const Complex& modulus, double density_kg_m3) {
    return 1.0 / std::sqrt(density_kg_m3 / modulus).real();
}

/// 1/Q and phase velocities of a solid at omega = 2 pi f.
double inverse_q_p(const Solid& solid, double omega_per_s) {
    const Complex m = p_modulus(solid, omega_per_s);
    return m.imag() / m.real();
}

double inverse_q_s(const Solid& solid, double omega_per_s) {
    const Complex m = s_modulus(solid, omega_per_s);
    return m.imag() / m.real();
}

double phase_velocity_p(const Solid& solid, double omega_per_s) {
    return phase_velocity(p_modulus(solid, omega_per_s), solid.density_kg_m3);
}

double phase_velocity_s(const Solid& solid, double omega_per_s) {
    return phase_velocity(s_modulus(solid, omega_per_s), solid.density_kg_m3);
}

/// Largest |Q / Q_wanted - 1| over the band, of S and of P.
double misfit(const AnelasticRock& rock, const QBand& band) {
    const Solid solid = anelastic_solid(rock, band);
    double largest = 0.0;
    for (int k = 0; k <= 200; ++k) {
        const double omega = kTwoPi * band.from_hz * std::pow(band.to_hz / band.from_hz, k / 200.0);
        largest = std::max(largest, std::abs(1.0 / (rock.qs * inverse_q_s(solid, omega)) - 1.0));
        largest = std::max(largest, std::abs(1.0 / (rock.qp * inverse_q_p(solid, omega)) - 1.0));
    }
    return largest;
}

TEST(Attenuation, ThreeMechanismsHoldQOverTheirBand) {
    for (const double qs : {20.0, 40.0, 69.3, 1000.0}) {
        AnelasticRock rock = kLayer;
        rock.qs = qs;
        rock.qp = 2.5 * qs;
        const double decade_and_a_half = misfit(rock, {0.2, 0.2 * std::sqrt(1e3), 3, 1.0});
        EXPECT_LT(decade_and_a_half, 0.05) << qs;
        RecordProperty("misfit_" + std::to_string(int(qs)), std::to_string(decade_and_a_half));
    }
}

TEST(Attenuation, MoreMechanismsFitBetter) {
    double before = misfit(kLayer, {0.1, 10.0, 1, 1.0});
    for (const int mechanisms : {2, 3, 4, 6}) {
        const double now = misfit(kLayer, {0.1, 10.0, mechanisms, 1.0});
        EXPECT_LT(now, before) << mechanisms;
        before = now;
    }
    EXPECT_LT(before, 0.04);
}

TEST(Attenuation, VelocitiesAtTheReferenceFrequencyAreTheRocks) {
    for (const double reference_hz : {0.01, 0.5, 2.5, 100.0}) {
        const Solid solid = anelastic_solid(kLayer, {0.1, 10.0, 3, reference_hz});
        const double omega = kTwoPi * reference_hz;
        EXPECT_NEAR(phase_velocity_p(solid, omega), 4000.0, 1e-8);
        EXPECT_NEAR(phase_velocity_s(solid, omega), 2000.0, 1e-8);
    }
    // Between: velocities grow with frequency as 1 + ln(f / f_ref) / (pi Q).
    const Solid solid = anelastic_solid(kLayer, {0.1, 10.0, 3, 1.0});
    const double expected = 1.0 + std::log(3.0) / (std::numbers::pi * 40.0);
    EXPECT_NEAR(phase_velocity_s(solid, kTwoPi * 3.0) / 2000.0, expected, 5e-4);
}

/// Modulus of shear in steady motion by the mechanisms' equations of motion, stepped in time:
/// sigma' = mu eps' - sum mu_l theta_l, theta_l' = omega_l (eps' - theta_l), eps' = cos(omega t).
std::complex<double> stepped_modulus(const Solid& solid, double omega) {
    const double dt = 1e-3 / omega;
    const int periods = 60;
    const auto n = static_cast<long>(kTwoPi / 1e-3 * periods);
    std::vector<double> theta(solid.mechanisms.size(), 0.0);
    std::complex<double> sum = 0.0;
    for (long k = 0; k < n; ++k) {
        const double t = (k + 0.5) * dt;
        double rate = solid.mu_pa * std::cos(omega * t);
        for (std::size_t l = 0; l < theta.size(); ++l) {
            const Solid::Mechanism& at = solid.mechanisms[l];
            rate -= at.mu_pa * theta[l];
            theta[l] += dt * at.omega_per_s * (std::cos(omega * (t + 0.5 * dt)) - theta[l]);
        }
        if (k >= n - static_cast<long>(kTwoPi / 1e-3)) {
            sum += rate * std::polar(2.0 / (kTwoPi / 1e-3), -omega * t);
        }
    }
    return sum;
}

TEST(Attenuation, TheSolidsEquationsHaveThatQ) {
    const Solid solid = anelastic_solid(kLayer, {0.5, 15.0, 3, 2.5});
    for (const double f_hz : {0.7, 3.0, 12.0}) {
        const std::complex<double> m = stepped_modulus(solid, kTwoPi * f_hz);
        EXPECT_NEAR(40.0 * m.imag() / m.real(), 40.0 * inverse_q_s(solid, kTwoPi * f_hz), 0.02);
    }
}

TEST(Attenuation, WithoutLossNothingRelaxes) {
    const double infinity = std::numeric_limits<double>::infinity();
    const Solid solid =
        anelastic_solid({2600.0, 4000.0, 2000.0, infinity, infinity}, {0.1, 10.0, 3, 1.0});
    EXPECT_NEAR(solid.mu_pa, 2600.0 * 4e6, 1e-3);
    EXPECT_NEAR(solid.lambda_pa, 2600.0 * 8e6, 1e-3);
    for (const Solid::Mechanism& l : solid.mechanisms) {
        EXPECT_EQ(l.lambda_pa, 0.0);
        EXPECT_EQ(l.mu_pa, 0.0);
    }
    const Solid water = anelastic_solid({1000.0, 1500.0, 0.0, 300.0, 0.0}, {0.1, 10.0, 3, 1.0});
    EXPECT_EQ(water.mu_pa, 0.0);
    EXPECT_NEAR(1.0 / inverse_q_p(water, kTwoPi), 300.0, 15.0);
}

TEST(Attenuation, MechanismsAreSpreadOverTheBand) {
    const Mechanisms three = fit_attenuation({0.1, 10.0, 3, 1.0}, 100.0, 50.0);
    ASSERT_EQ(three.omega_per_s.size(), 3u);
    EXPECT_NEAR(three.omega_per_s[0], kTwoPi * 0.1, 1e-9);
    EXPECT_NEAR(three.omega_per_s[1], kTwoPi, 1e-9);
    EXPECT_NEAR(three.omega_per_s[2], kTwoPi * 10.0, 1e-9);
    EXPECT_NEAR(fit_attenuation({0.1, 10.0, 1, 1.0}, 100.0, 50.0).omega_per_s[0], kTwoPi, 1e-9);
    for (int mechanisms = 1; mechanisms <= kMostMechanisms; ++mechanisms) {
        for (const double share : fit_attenuation({1.0, 1.5, mechanisms, 1.0}, 100.0, 50.0).y_s) {
            EXPECT_GE(share, 0.0);
        }
    }
}

TEST(NonNegativeFit, FixesWhatWouldBeNegative) {
    // Freely (2, -1); with both >= 0 the projection on the first column.
    const auto x = non_negative_fit({{1.0, 0.0}, {1.0, 1.0}}, {1.0, -1.0});
    EXPECT_DOUBLE_EQ(x[0], 1.0);
    EXPECT_EQ(x[1], 0.0);
    const auto free = non_negative_fit({{1.0, 0.0, 1.0}, {1.0, 1.0, 0.0}}, {5.0, 3.0, 2.0});
    EXPECT_NEAR(free[0], 2.0, 1e-12);
    EXPECT_NEAR(free[1], 3.0, 1e-12);
}

std::string refusal(const AnelasticRock& rock, const QBand& band) {
    try {
        (void)anelastic_solid(rock, band);
    } catch (const ValidationError& error) {
        return error.what();
    }
    return {};
}

TEST(Attenuation, NumbersOutOfRangeAreRefused) {
    const QBand band{0.1, 10.0, 3, 1.0};
    EXPECT_EQ(refusal(kLayer, {0.0, 10.0, 3, 1.0}), "from_hz: must be > 0, got 0");
    EXPECT_EQ(refusal(kLayer, {1.0, 1.0, 3, 1.0}), "to_hz: must be above from_hz, got 1");
    EXPECT_EQ(refusal(kLayer, {0.1, 10.0, 9, 1.0}), "mechanisms: must be 1 to 8, got 9");
    EXPECT_EQ(refusal(kLayer, {0.1, 10.0, 3, 0.0}), "reference_hz: must be > 0, got 0");
    AnelasticRock rock = kLayer;
    rock.qs = 0.0;
    EXPECT_EQ(refusal(rock, band), "qs: must be > 0, got 0");
    rock.qs = 0.1;
    EXPECT_EQ(refusal(rock, band).substr(0, 26), "qs: must be high enough to");
    rock = kLayer;
    rock.qp = 1.0;
    EXPECT_EQ(refusal(rock, band).substr(0, 26), "qp: must be high enough to");
}

}  // namespace
}  // namespace kaname::aderdg::attenuation_test
