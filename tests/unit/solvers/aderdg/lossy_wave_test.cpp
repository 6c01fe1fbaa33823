// SPDX-License-Identifier: BSD-3-Clause
// Plane waves in a periodic cube of solids with mechanisms, against their ordinary differential
// equations in time.
#include <cmath>
#include <complex>
#include <memory>
#include <span>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::lossy_wave_test {
namespace {

using Complex = std::complex<double>;

const double kK = M_PI * std::sqrt(3.0);
const Vec3 kAlong = normalized(Vec3{1, 1, 1}), kAcross = normalized(Vec3{1, -1, 0});

/// A wave exp(i k d.x) of modulus M in a solid of density rho, from theta = 0:
///   V' = i k S/rho,   S' = i k M V - sum_l M_l theta_l,   theta_l' = omega_l (i k V - theta_l).
struct Wave {
    double density, modulus;
    std::vector<double> lost, omega;

    static Wave of(const Solid& s, bool p) {
        Wave w{s.density_kg_m3, p ? s.lambda_pa + 2 * s.mu_pa : s.mu_pa, {}, {}};
        for (const Solid::Mechanism& m : s.mechanisms) {
            w.lost.push_back(p ? m.lambda_pa + 2 * m.mu_pa : m.mu_pa);
            w.omega.push_back(m.omega_per_s);
        }
        return w;
    }
    /// M - sum_l M_l omega_l/(omega_l - i omega), for exp(-i omega t).
    [[nodiscard]] Complex modulus_at(Complex w) const {
        Complex m = modulus;
        for (std::size_t l = 0; l < lost.size(); ++l) {
            m -= lost[l] * omega[l] / (omega[l] - Complex(0, 1) * w);
        }
        return m;
    }
    /// Root of rho omega^2 = k^2 M(omega).
    [[nodiscard]] Complex frequency() const {
        Complex w = kK * std::sqrt(modulus / density);
        for (int turn = 0; turn < 100; ++turn) {
            w = kK * std::sqrt(modulus_at(w) / density);
        }
        return w;
    }
    /// V at t, which is 1 at 0, where the stress is that of a wave without mechanisms.
    [[nodiscard]] Complex velocity(double t) const {
        std::vector<Complex> y(2 + lost.size());
        y[0] = 1.0;
        y[1] = -std::sqrt(density * modulus);
        const auto rates = [&](const std::vector<Complex>& u) {
            std::vector<Complex> r(u.size());
            const Complex strain = Complex(0, kK) * u[0];
            r[0] = Complex(0, kK / density) * u[1];
            r[1] = modulus * strain;
            for (std::size_t l = 0; l < lost.size(); ++l) {
                r[1] -= lost[l] * u[2 + l];
                r[2 + l] = omega[l] * (strain - u[2 + l]);
            }
            return r;
        };
        const auto plus = [](std::vector<Complex> a, double h, const std::vector<Complex>& b) {
            for (std::size_t k = 0; k < a.size(); ++k) {
                a[k] += h * b[k];
            }
            return a;
        };
        constexpr int kSteps = 4000;
        const double h = t / kSteps;
        for (int n = 0; n < kSteps; ++n) {  // Runge and Kutta's, of fourth order
            const auto a = rates(y), b = rates(plus(y, h / 2, a)), c = rates(plus(y, h / 2, b));
            const auto d = rates(plus(y, h, c));
            for (std::size_t k = 0; k < y.size(); ++k) {
                y[k] += h / 6 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]);
            }
        }
        return y[0];
    }
};

Solid lossy() {
    Solid s = solid_of(1.0, 2.0, 1.0);
    s.mechanisms = {{4.0, 0.15, 0.12}, {15.0, 0.05, 0.20}};
    return s;
}

WaveModel periodic_cube(int cubes, const Solid& solid) {
    WaveModel model = box_of_cubes({cubes, cubes, cubes}, {-1, -1, -1}, {1, 1, 1}, solid);
    make_periodic(model);
    return model;
}

/// A P and an S wave along the diagonal, both v = cos(k d.x) at first.
std::array<double, 9> start(const Solid& s, const Vec3& x) {
    const double f = std::cos(kK * dot(kAlong, x));
    std::array<double, 9> u{};
    const std::array<std::array<int, 2>, 6> pairs = {
        {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}};
    for (int c = 0; c < 6; ++c) {
        const auto [i, j] = pairs[c];
        u[c] = -f * (((i == j ? s.lambda_pa : 0.0) + 2 * s.mu_pa * kAlong[i] * kAlong[j]) /
                         s.vp_m_per_s() +
                     s.mu_pa * (kAlong[i] * kAcross[j] + kAlong[j] * kAcross[i]) / s.vs_m_per_s());
    }
    for (int c = 0; c < 3; ++c) {
        u[6 + c] = f * (kAlong[c] + kAcross[c]);
    }
    return u;
}

std::unique_ptr<WaveSolver> solved_until(const WaveModel& model, int order, double end_s,
                                         comm::Comm& comm) {
    WaveParams params;
    params.order = order;
    params.precision = Precision::Double;
    params.end_s = end_s;
    params.interval_s = end_s;
    params.local_time_steps = false;
    auto solver = make_wave_solver(model, params, {}, comm);
    solver->start_from([&](const Vec3& x) { return start(model.solids[0], x); });
    solver->advance(solver->macro_steps());
    return solver;
}

/// L2 error of the velocity.
double error_of(int cubes, int order) {
    constexpr double kEnd_s = 0.5;
    const WaveModel model = periodic_cube(cubes, lossy());
    comm::SerialComm comm;
    const auto solver = solved_until(model, order, kEnd_s, comm);
    const Complex p = Wave::of(lossy(), true).velocity(kEnd_s);
    const Complex s = Wave::of(lossy(), false).velocity(kEnd_s);
    double sum = 0.0;
    solver->visit(0, order + 2, [&](const Vec3& x, double weight, std::span<const double> q) {
        const Complex phase = std::exp(Complex(0, kK * dot(kAlong, x)));
        for (int c = 0; c < 3; ++c) {
            const double wanted = (phase * (p * kAlong[c] + s * kAcross[c])).real();
            sum += weight * std::pow(q[6 + c] - wanted, 2);
        }
    });
    return std::sqrt(sum);
}

TEST(LossyWave, TheErrorFallsWithTheOrder) {
    for (const int order : {3, 4, 5}) {
        const int coarse = order == 3 ? 6 : 4, fine = order == 3 ? 8 : 6;
        const double coarse_error = error_of(coarse, order), fine_error = error_of(fine, order);
        const double seen = std::log(coarse_error / fine_error) / std::log(double(fine) / coarse);
        EXPECT_GT(seen, order - 0.35) << coarse_error << " " << fine_error;
        EXPECT_LT(seen, order + 0.7);
        RecordProperty("order_" + std::to_string(order), std::to_string(seen));
    }
}

/// int v.along exp(-i k d.x).
Complex amplitude(WaveSolver& solver, const Vec3& along) {
    Complex sum = 0.0;
    solver.visit(0, 6, [&](const Vec3& x, double weight, std::span<const double> q) {
        sum += weight * std::exp(Complex(0, -kK * dot(kAlong, x))) *
               (q[6] * along.x + q[7] * along.y + q[8] * along.z);
    });
    return sum;
}

TEST(LossyWave, WavesDecayByTheirQuality) {
    Solid solid = solid_of(1.0, 2.0, 1.0);  // little is lost, by one mechanism
    solid.mechanisms = {{8.0, 0.02, 0.05}};
    const WaveModel model = periodic_cube(4, solid);
    for (const bool p : {true, false}) {
        const Wave wave = Wave::of(solid, p);
        const Complex frequency = wave.frequency();
        const Complex m = wave.modulus_at(frequency.real());
        const double quality = m.real() / -m.imag();
        // A start without theta is the wave and a small one that travels back. At times that are
        // half periods apart the two meet alike, once the mechanism's own decay is over.
        const double half_s = M_PI / frequency.real();
        comm::SerialComm comm;
        const int first = p ? 3 : 2, last = p ? 7 : 4;
        const auto early = solved_until(model, 6, first * half_s, comm);
        const auto late = solved_until(model, 6, last * half_s, comm);
        const Vec3 along = p ? kAlong : kAcross;
        const double seen = std::abs(amplitude(*late, along) / amplitude(*early, along));
        // The root's imaginary part, which is omega/(2 Q) for little loss.
        const double time_s = (last - first) * half_s;
        EXPECT_NEAR(std::log(seen) / (frequency.imag() * time_s), 1.0, 2e-3);
        EXPECT_NEAR(std::log(seen) / (-frequency.real() * time_s / (2.0 * quality)), 1.0, 0.02);
        EXPECT_LT(seen, 0.95);
        RecordProperty(p ? "P" : "S",
                       "Q " + std::to_string(quality) + ", decay by the root times " +
                           std::to_string(std::log(seen) / (frequency.imag() * time_s)));
    }
}

}  // namespace
}  // namespace kaname::aderdg::lossy_wave_test
