// SPDX-License-Identifier: BSD-3-Clause
// Drucker-Prager visco-plasticity among waves: what has a closed form, and what must not matter.
#include "solvers/aderdg/plasticity.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/fault_box.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::plasticity_test {
namespace {

WaveParams params_of(int order, double end_s, Precision precision = Precision::Double) {
    WaveParams params;
    params.order = order;
    params.precision = precision;
    params.end_s = end_s;
    params.interval_s = end_s / 10;
    return params;
}

WaveModel periodic_cubes(int n) {
    WaveModel model = box_of_cubes({n, n, n}, {0, 0, 0}, {1, 1, 1}, solid_of(1.0, 2.0, 1.1));
    make_periodic(model);
    return model;
}

/// Returns plasticity with this point everywhere.
Plasticity uniform(const YieldPoint& point, double relaxation_s) {
    return {[point](std::int64_t, const Vec3&) { return point; }, relaxation_s};
}

constexpr double kFriction = 0.75, kSine = 0.6, kCosine = 0.8;  // tan(phi), sin, cos

/// A start of uniform stress, so that only yielding changes it.
struct UniformCase {
    std::array<double, 6> initial, added;
    double cohesion, relaxation_s;
};

void relaxes_to_its_strength(const UniformCase& of, int order, Precision precision) {
    WaveModel model = periodic_cubes(4);
    model.plasticity = uniform({of.cohesion, kFriction, of.initial}, of.relaxation_s);
    std::array<double, 6> s{};
    for (int c = 0; c < 6; ++c) {
        s[c] = of.initial[c] + of.added[c];
    }
    const double mean = (s[0] + s[1] + s[2]) / 3.0;
    double squares = 0.0;
    for (int c = 0; c < 3; ++c) {
        squares += 0.5 * std::pow(s[c] - mean, 2) + std::pow(s[3 + c], 2);
    }
    const double shear = std::sqrt(squares);
    const double strength = std::max(0.0, of.cohesion * kCosine - mean * kSine);
    ASSERT_GT(shear, strength);
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params_of(order, 0.3, precision), {}, comm);
    solver->start_from([&](const Vec3&) {
        std::array<double, 9> q{};
        std::ranges::copy(of.added, q.begin());
        return q;
    });
    solver->advance(solver->macro_steps());

    const double left = of.relaxation_s > 0.0 ? std::exp(-solver->time_s() / of.relaxation_s) : 0.0;
    const double now = strength + (shear - strength) * left;
    const double tolerance = precision == Precision::Double ? 1e-11 : 2e-5;
    solver->visit(0, 3, [&](const Vec3&, double, std::span<const double> q) {
        for (int c = 0; c < 6; ++c) {
            const double m = c < 3 ? mean : 0.0;
            ASSERT_NEAR(of.initial[c] + q[c], m + (s[c] - m) * now / shear, 10 * tolerance) << c;
        }
    });
    const double mu = model.solids[0].mu_pa;
    for (const float strain : solver->plastic_strain()) {
        ASSERT_NEAR(strain, (shear - now) / (2 * mu), 1e-6 + tolerance);
    }
    const WaveEnergy energy = solver->energy();
    EXPECT_NEAR(energy.plastic_heat_j, (shear * shear - now * now) / (2 * mu), 10 * tolerance);
    double added = 0.0;
    const double added_mean = (of.added[0] + of.added[1] + of.added[2]) / 3.0;
    for (int c = 0; c < 6; ++c) {
        const double a = of.added[c] - (c < 3 ? added_mean : 0.0);
        const double b = a - (s[c] - (c < 3 ? mean : 0.0)) * (1.0 - now / shear);
        added += (c < 3 ? 0.5 : 1.0) * (a * a - b * b);
    }
    EXPECT_NEAR(energy.plastic_j, added / (2 * mu), 10 * tolerance);
}

class Plastic : public testing::TestWithParam<int> {};

TEST_P(Plastic, AUniformStressRelaxesExponentiallyToItsStrength) {
    for (const Precision precision : {Precision::Single, Precision::Double}) {
        for (const double relaxation_s : {0.1, 0.0}) {
            relaxes_to_its_strength({{-2.0, -1.5, -1.0, 0.4, 0.2, 0.0},
                                     {0.3, 0.0, -0.2, 1.1, -0.3, 0.5},
                                     0.3,
                                     relaxation_s},
                                    GetParam(), precision);
        }
    }
}

/// Where tension leaves no strength all shear goes, and the tension stays.
TEST_P(Plastic, TheTensileCornerKeepsTheMeanStress) {
    relaxes_to_its_strength(
        {{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {2.0, 1.0, 0.5, 0.2, 0.0, -0.3}, 0.3, 0.1}, GetParam(),
        Precision::Double);
}

INSTANTIATE_TEST_SUITE_P(Orders, Plastic, testing::Range(kLeastOrder, kMostOrder + 1));

std::array<double, 9> noise(std::mt19937& draw) {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::array<double, 9> q{};
    for (double& v : q) {
        v = number(draw);
    }
    return q;
}

TEST(Plasticity, LargeStrengthChangesNotASingleBit) {
    for (const Precision precision : {Precision::Single, Precision::Double}) {
        std::vector<std::vector<float>> records;
        for (const bool plastic : {false, true}) {
            WaveModel model =
                box_of_cubes({4, 4, 4}, {-1, -1, -1}, {1, 1, 1}, solid_of(2.0, 1.9, 1.1));
            if (plastic) {
                model.plasticity = uniform({1e9, kFriction, {-1, -2, -1, 0.1, 0, 0}}, 0.05);
            }
            WavePoints points;
            points.receivers = {tet_at(model, {0.1, 0.03, 0.2}), tet_at(model, {-0.3, -0.2, -0.4})};
            comm::SerialComm comm;
            const auto solver = make_wave_solver(model, params_of(4, 0.5, precision), points, comm);
            std::mt19937 draw(5);
            solver->start_from([&](const Vec3&) { return noise(draw); });
            solver->advance(solver->macro_steps());
            records.push_back(solver->take_record());
            EXPECT_EQ(std::ranges::count(solver->plastic_strain(), 0.0F), plastic ? 320 : 0);
        }
        EXPECT_EQ(records[0], records[1]);
    }
}

/// Standing waves that yield in their crests.
std::array<double, 9> crests(const Vec3& x) {
    std::array<double, 9> q{};
    q[6] = std::sin(2.0 * M_PI * x.y) + 0.5 * std::cos(2.0 * M_PI * x.x);
    q[8] = 0.6 * std::cos(2.0 * M_PI * x.y);
    return q;
}

TEST(Plasticity, EnergyIsBalanced) {
    WaveModel model = periodic_cubes(6);
    // Half of the strength is friction under the initial pressure, which has shear in it too.
    model.plasticity = uniform({0.3, kFriction, {-0.4, -0.5, -0.6, 0.1, 0.0, 0.05}}, 0.05);
    EXPECT_EQ(yielding_volume_m3(model), 0.0);
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params_of(5, 0.6), {}, comm);
    solver->start_from(crests);
    const double first_j = solver->energy_j(0);
    double last_heat_j = 0.0;
    for (const int part : {1, 2, 3, 4}) {
        solver->advance(part * solver->macro_steps() / 4 - solver->macro_steps_done());
        const double heat_j = solver->energy().plastic_heat_j;
        EXPECT_GE(heat_j, last_heat_j);
        last_heat_j = heat_j;
    }
    const WaveEnergy energy = solver->energy();
    EXPECT_GT(energy.plastic_j, 0.2 * first_j);
    const double lost = 1.0 - (energy.kinetic_j + energy.elastic_j + energy.plastic_j) / first_j;
    EXPECT_LT(std::abs(lost), 2e-4);
    RecordProperty("lost", std::to_string(lost));
    RecordProperty("plastic", std::to_string(energy.plastic_j / first_j));
}

/// A fault whose slip loads the rock beside it beyond its strength: what it gives to waves is left,
/// or has been taken by yielding.
TEST(Plasticity, EnergyOfARuptureIsBalanced) {
    WaveModel model = box_of_cubes({6, 6, 6}, {-2, -2, -2}, {2, 2, 2}, solid_of(2.0, 1.9, 1.1));
    add_fault(model, 0.0);
    model.fault.laws = {rupture::FrictionLaw::LinearSlipWeakening};
    model.fault.nucleation_s = 1.5;
    model.fault.at = [](const rupture::FaultPlace& place) {
        const double bump = std::exp(-3.0 * dot(place.at_m, place.at_m));
        const double friction = 0.6 - 0.1 * bump;
        rupture::FaultPoint p = weakening(-10.0, 5.0, friction, friction, 1.0);
        p.nucleation_pa = {3.0 * bump, 0.0, 0.0};
        return p;
    };
    // The stress is that on the fault; the strength is 5.3.
    model.plasticity = uniform({0.2, 0.6, {-10.0, -10.0, -10.0, -5.0, 0.0, 0.0}}, 0.05);
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params_of(5, 2.0), {}, comm);
    solver->advance(solver->macro_steps());
    const WaveEnergy energy = solver->energy();
    ASSERT_GT(energy.plastic_heat_j, 0.1 * energy.released_j);
    const double lost =
        1.0 - (energy.kinetic_j + energy.elastic_j + energy.plastic_j) / energy.released_j;
    EXPECT_LT(std::abs(lost), 0.01);
    RecordProperty("lost", std::to_string(lost));
    RecordProperty("heat", std::to_string(energy.plastic_heat_j / energy.released_j));
    RecordProperty("plastic", std::to_string(energy.plastic_j / energy.released_j));
}

TEST(Plasticity, LocalStepsGiveWhatEqualOnesDo) {
    std::vector<float> strains[2];
    for (const bool local : {false, true}) {
        WaveModel model = box_of_cubes({6, 6, 6}, {0, 0, 0}, {1, 1, 1}, solid_of(1.0, 2.0, 1.1));
        for (Vec3& v : model.mesh.xyz) {
            v.x *= 0.25 + 0.75 * v.x;
        }
        model.plasticity = uniform({0.7, kFriction, {-0.1, -0.1, -0.1, 0.0, 0.0, 0.0}}, 0.1);
        WaveParams params = params_of(4, 0.4);
        params.local_time_steps = local;
        comm::SerialComm comm;
        const auto solver = make_wave_solver(model, params, {}, comm);
        EXPECT_EQ(solver->clusters().elements.size() > 1, local);
        solver->start_from(crests);
        solver->advance(solver->macro_steps());
        strains[local ? 1 : 0] = solver->plastic_strain();
    }
    double difference = 0.0, all = 0.0;
    for (std::size_t k = 0; k < strains[0].size(); ++k) {
        difference += std::pow(strains[0][k] - strains[1][k], 2);
        all += std::pow(strains[0][k], 2);
    }
    ASSERT_GT(all, 0.0);
    EXPECT_LT(std::sqrt(difference / all), 5e-3);
    RecordProperty("difference", std::to_string(std::sqrt(difference / all)));
}

TEST(Plasticity, TheVolumeThatYieldsAtRestIsFound) {
    WaveModel model = box_of_cubes({4, 4, 4}, {0, 0, 0}, {1, 1, 1}, solid_of(1.0, 2.0, 1.1));
    model.plasticity.at = [](std::int64_t, const Vec3& x) {
        // Strength 0.8 + 0.6 = 1.4; shear 2 x.
        return YieldPoint{1.0, kFriction, {-1, -1, -1, 2.0 * x.x, 0.0, 0.0}};
    };
    // Elements with a vertex at x > 0.7 yield, hence those of the layers above 0.5, which have one
    // at 0.75 or 1.
    EXPECT_NEAR(yielding_volume_m3(model), 0.5, 1e-12);
    model.solids[0].lambda_pa += 2.0 / 3.0 * model.solids[0].mu_pa;
    model.solids[0].mu_pa = 0.0;
    EXPECT_EQ(yielding_volume_m3(model), 0.0);
}

}  // namespace
}  // namespace kaname::aderdg::plasticity_test
