// SPDX-License-Identifier: BSD-3-Clause
// Surfaces that their own weight pulls back: gravity waves of a compressible liquid over a rigid
// and over a free bottom.
#include <algorithm>
#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include "solvers/aderdg/cpu/condition_passes.hpp"
#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::gravity_test {
namespace {

TEST(DecayWeights, AreTheIntegralsOfALinearEquation) {
    for (const double kappa : {0.0, 1e-5, 0.3, 2.0}) {
        const DecayWeights weights(kappa, 4);
        ASSERT_EQ(weights.end.size(), 5U);
        for (int power = -1; power < 4; ++power) {
            // eta' = x^power - kappa eta, or from 1 without it, by Runge-Kutta's classical rule.
            double eta = power < 0 ? 1.0 : 0.0, mean = 0.0;
            const auto rate = [&](double x, double y) {
                return (power < 0 ? 0.0 : std::pow(x, power)) - kappa * y;
            };
            constexpr int kSteps = 200;
            constexpr double h = 1.0 / kSteps;
            for (int k = 0; k < kSteps; ++k) {
                const double x = k * h, a = rate(x, eta), b = rate(x + h / 2, eta + h / 2 * a),
                             c = rate(x + h / 2, eta + h / 2 * b), d = rate(x + h, eta + h * c);
                const double next = eta + h / 6 * (a + 2 * b + 2 * c + d);
                // Simpson's rule, the middle by Hermite's.
                const double middle =
                    0.5 * (eta + next) + h / 8 * (rate(x, eta) - rate(x + h, next));
                mean += h / 6 * (eta + 4 * middle + next);
                eta = next;
            }
            EXPECT_NEAR(weights.end[power + 1], eta, 1e-10) << kappa << " " << power;
            EXPECT_NEAR(weights.mean[power + 1], mean, 1e-10) << kappa << " " << power;
        }
    }
}

/// The potential phi = cosh or sinh(kappa (z + h)) cos(k x) cos(omega t) of a liquid in -h < z < 0,
/// v = grad phi, p = -rho phi'; kappa^2 = k^2 - omega^2/c^2 and
///   omega^2 = g kappa tanh(kappa h) over a rigid bottom, g kappa coth(kappa h) over a free one.
struct SurfaceWave {
    double k, h, g, c, rho;
    bool rigid;
    double kappa = 0.0, omega = 0.0;

    SurfaceWave(double k, double h, double g, double c, double rho, bool rigid)
        : k(k), h(h), g(g), c(c), rho(rho), rigid(rigid), kappa(k) {
        for (int i = 0; i < 200; ++i) {
            const double t = std::tanh(kappa * h);
            omega = std::sqrt(g * kappa * (rigid ? t : 1.0 / t));
            kappa = std::sqrt(k * k - omega * omega / (c * c));
        }
    }
    [[nodiscard]] double across(double z) const {
        return rigid ? std::cosh(kappa * (z + h)) : std::sinh(kappa * (z + h));
    }
    [[nodiscard]] double slope(double z) const {
        return kappa * (rigid ? std::sinh(kappa * (z + h)) : std::cosh(kappa * (z + h)));
    }
    [[nodiscard]] std::array<double, 9> at(const Vec3& x, double t) const {
        std::array<double, 9> q{};
        if (x.z < -h) {
            return q;
        }
        const double p = rho * omega * across(x.z) * std::cos(k * x.x) * std::sin(omega * t);
        q[0] = q[1] = q[2] = -p;
        q[6] = -k * across(x.z) * std::sin(k * x.x) * std::cos(omega * t);
        q[8] = slope(x.z) * std::cos(k * x.x) * std::cos(omega * t);
        return q;
    }
    [[nodiscard]] double height(double x, double t) const {
        return slope(0.0) / omega * std::cos(k * x) * std::sin(omega * t);
    }
};

/// A layer of depth 1 whose bottom is free, or 10,000 times as dense as the liquid.
WaveModel layer(double rho, double c, double g, bool rigid, bool graded = false) {
    WaveModel model = box_of_cubes({4, 4, rigid ? 4 : 3}, {0, 0, rigid ? -4.0 / 3.0 : -1.0},
                                   {2, 2, 0}, solid_of(rho, c, 0.0));
    model.gravity_m_s2 = g;
    model.surfaces[static_cast<int>(mesh::Side::Top)] = Boundary::Gravity;
    make_periodic(model, {true, true, false});
    model.solids.push_back(solid_of(1e4 * rho, c, 0.5 * c));
    for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
        double sum = 0.0;
        for (const std::int32_t v : model.mesh.tets[e]) {
            sum += model.mesh.xyz[v].z;
        }
        model.mesh.material[e] = sum < -4.0 ? 1 : 0;
    }
    if (graded) {  // thin at the surface
        for (Vec3& v : model.mesh.xyz) {
            v.z *= v.z > -1.0 ? 0.3 - 0.7 * v.z : 1.0;
        }
    }
    return model;
}

WaveParams params_of(int order, double end_s, Precision precision = Precision::Double) {
    WaveParams params;
    params.order = order;
    params.precision = precision;
    params.end_s = params.interval_s = end_s;
    return params;
}

struct Errors {
    double fields, height, energy;
};

/// Relative errors after `periods`, of the height by its amplitude; energy from the beginning.
Errors errors_of(const SurfaceWave& wave, WaveModel model, WaveParams params, double periods) {
    params.end_s = params.interval_s = periods * 2.0 * M_PI / wave.omega;
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, {}, comm);
    solver->start_from([&](const Vec3& x) { return wave.at(x, 0.0); });
    const double first_j = solver->energy_j(0);
    solver->advance(solver->macro_steps());
    double error = 0.0, size = 0.0;
    const double t = solver->time_s();
    solver->visit(0, 5, [&](const Vec3& x, double weight, std::span<const double> q) {
        if (x.z < -wave.h) {
            return;
        }
        const auto wanted = wave.at(x, t), largest = wave.at(x, 0.0);
        for (const int c : {0, 6, 8}) {
            const double scale = c < 6 ? 1.0 / (wave.rho * wave.c) : 1.0;
            error += weight * std::pow(scale * (q[c] - wanted[c]), 2);
            size += weight * (c < 6 ? 0.0 : std::pow(largest[c], 2));
        }
    });
    std::vector<PointInTet> points;
    for (const double x : {0.1, 0.4, 1.3}) {
        points.push_back(tet_at(model, {x, 0.3, 0.0}));
    }
    const std::vector<float> heights = solver->surface_height(points);
    const double amplitude = wave.slope(0.0) / wave.omega;
    Errors errors{std::sqrt(error / size), 0.0, 0.0};
    for (std::size_t k = 0; k < points.size(); ++k) {
        errors.height = std::max(
            errors.height, std::abs(heights[k] - wave.height(points[k].at_m.x, t)) / amplitude);
    }
    const WaveEnergy energy = solver->energy();
    errors.energy = (energy.kinetic_j + energy.elastic_j + energy.potential_j) / first_j - 1.0;
    return errors;
}

constexpr double kK = M_PI;  // one wave in the box

TEST(Gravity, WavesOverARigidBottomHaveTheirDispersion) {
    const SurfaceWave wave(kK, 1.0, 0.5, 1.0, 2.0, true);
    // A quarter more than a period: the surface is at its highest again.
    const Errors errors = errors_of(wave, layer(2.0, 1.0, 0.5, true), params_of(5, 1.0), 1.25);
    EXPECT_LT(errors.fields, 2e-4);
    EXPECT_LT(errors.height, 2e-4);
    EXPECT_LT(std::abs(errors.energy), 5e-5);
    RecordProperty("fields", std::to_string(errors.fields));
    RecordProperty("height", std::to_string(errors.height));
    RecordProperty("energy", std::to_string(errors.energy));
}

TEST(Gravity, WavesOverAFreeBottomHaveTheirDispersion) {
    const SurfaceWave wave(kK, 1.0, 0.5, 1.0, 2.0, false);
    EXPECT_GT(wave.omega, SurfaceWave(kK, 1.0, 0.5, 1.0, 2.0, true).omega);
    const WaveModel model = layer(2.0, 1.0, 0.5, false);
    const Errors errors = errors_of(wave, model, params_of(5, 1.0), 1.25);
    EXPECT_LT(errors.fields, 2e-4);
    EXPECT_LT(errors.height, 2e-4);
    EXPECT_LT(std::abs(errors.energy), 5e-5);
    const Errors single = errors_of(wave, model, params_of(5, 1.0, Precision::Single), 1.25);
    EXPECT_NEAR(single.height, errors.height, 1e-4);
    // Coarser by an order: the error is larger.
    EXPECT_GT(errors_of(wave, model, params_of(4, 1.0), 1.25).height, 2.0 * errors.height);
}

/// Mechanisms of no modulus change nothing, but take another predictor and other traces.
TEST(Gravity, TracesOfFullDegreeGiveTheSame) {
    const SurfaceWave wave(kK, 1.0, 0.5, 1.0, 2.0, false);
    WaveModel model = layer(2.0, 1.0, 0.5, false);
    const Errors plain = errors_of(wave, model, params_of(4, 1.0), 0.6);
    for (Solid& s : model.solids) {
        s.mechanisms.push_back({1.0, 0.0, 0.0});
    }
    const Errors full = errors_of(wave, model, params_of(4, 1.0), 0.6);
    EXPECT_NEAR(full.height, plain.height, 1e-6);
    EXPECT_NEAR(full.fields, plain.fields, 1e-4);
}

TEST(Gravity, LocalStepsGiveWhatEqualOnesDo) {
    const SurfaceWave wave(kK, 1.0, 0.5, 1.0, 2.0, true);
    for (const bool local : {false, true}) {
        const WaveModel model = layer(2.0, 1.0, 0.5, true, true);
        WaveParams params = params_of(4, 1.0);
        params.local_time_steps = local;
        EXPECT_EQ(find_clusters(model, params).elements.size() > 1, local);
        const Errors errors = errors_of(wave, model, params, 0.75);
        EXPECT_LT(errors.height, 0.01);
        EXPECT_LT(errors.fields, 0.02);
    }
}

TEST(Gravity, HeightsAreAskedForOnSurfacesOnly) {
    const WaveModel model = layer(2.0, 1.0, 0.5, false);
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params_of(3, 1.0), {}, comm);
    const PointInTet inside = tet_at(model, {0.1, 0.3, -0.2});
    EXPECT_THROW((void)solver->surface_height(std::span(&inside, 1)), Error);
}

}  // namespace
}  // namespace kaname::aderdg::gravity_test
