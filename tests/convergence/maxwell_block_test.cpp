// SPDX-License-Identifier: BSD-3-Clause
// A Maxwell block under uniform strain or stress.
#include "tests/convergence/block.hpp"

namespace kaname::convergence::maxwell_block_test {
namespace {

class MaxwellBlock : public Block {};

class MaxwellBlockInTime : public MaxwellBlock, public testing::WithParamInterface<TimeCase> {};

TEST_P(MaxwellBlockInTime, ColumnUnderTractionCreepsByTheDiscreteFactor) {
    const auto [alpha, dt] = GetParam();
    constexpr double kLoad_pa = -10e6;
    confine();
    load(Side::Top, 2, kLoad_pa);

    const auto history = run(dt * kTau_s, 6, alpha);

    // T = tau (lambda + 2 mu) / kappa; from T/(lambda + 2 mu) to T/kappa.
    const double modulus = kLambda_pa + 2.0 * kMu_pa;
    const double r = factor(alpha, dt * kKappa_pa / modulus);
    for (int step = 0; step <= 6; ++step) {
        const double strain =
            kLoad_pa / kKappa_pa + (kLoad_pa / modulus - kLoad_pa / kKappa_pa) * std::pow(r, step);
        for (int lane = 0; lane < kLanes; ++lane) {
            EXPECT_NEAR(history.at(step, 0, lane).z, lane * strain * kSize_m,
                        1e-8 * std::abs(strain) * kSize_m)
                << "step " << step << " lane " << lane;
        }
        EXPECT_NEAR(uniform_stress(history, step, 2, 2), 2.0 * kLoad_pa, 1e-8 * 10e6);
    }
}

TEST_P(MaxwellBlockInTime, StrainHeldRelaxesTheDeviatorByTheDiscreteFactor) {
    const auto [alpha, dt] = GetParam();
    constexpr double kStrain = 1e-4;
    run_.prescribed_sides = {Side::West,  Side::East,   Side::South,
                             Side::North, Side::Bottom, Side::Top};
    // Lane 0 uniaxial strain along z, lane 1 along x, lane 2 shear zx, lane 3 shear xy.
    run_.field = [](const Vec3& x, double /*t_s*/, int lane) -> Vec3 {
        switch (lane) {
            case 0:
                return {0.0, 0.0, kStrain * x.z};
            case 1:
                return {kStrain * x.x, 0.0, 0.0};
            case 2:
                return {kStrain * x.z, 0.0, 0.0};
            default:
                return {0.0, kStrain * x.x, 0.0};
        }
    };

    const auto history = run(dt * kTau_s, 6, alpha);

    const double r = factor(alpha, dt);
    for (int step = 0; step <= 6; ++step) {
        const double mu = kMu_pa * std::pow(r, step);
        const double axial = (kKappa_pa + 4.0 / 3.0 * mu) * kStrain;
        const double lateral = (kKappa_pa - 2.0 / 3.0 * mu) * kStrain;
        const double small = 1e-8 * kMu_pa * kStrain;
        EXPECT_NEAR(uniform_stress(history, step, 2, 0), axial, small) << step;
        EXPECT_NEAR(uniform_stress(history, step, 0, 0), lateral, small) << step;
        EXPECT_NEAR(uniform_stress(history, step, 0, 1), axial, small) << step;
        EXPECT_NEAR(uniform_stress(history, step, 1, 1), lateral, small) << step;
        EXPECT_NEAR(uniform_stress(history, step, 4, 2), mu * kStrain, small) << step;
        EXPECT_NEAR(uniform_stress(history, step, 5, 3), mu * kStrain, small) << step;
        EXPECT_NEAR(uniform_stress(history, step, 3, 3), 0.0, small) << step;
    }
}

TEST_P(MaxwellBlockInTime, ConstantStrainRateLeadsToViscousFlow) {
    const auto [alpha, dt] = GetParam();
    constexpr double kRate = 1e-4 / kTau_s;
    run_.prescribed_sides = {Side::West,  Side::East,   Side::South,
                             Side::North, Side::Bottom, Side::Top};
    run_.field = [](const Vec3& x, double t_s, int lane) -> Vec3 {
        return {lane * kRate * t_s * x.z, 0.0, 0.0};
    };

    const auto history = run(dt * kTau_s, 8, alpha);

    // sigma_zx = eta rate (1 - r^n)
    const double flow = kMu_pa * kTau_s * kRate;
    for (int step = 0; step <= 8; ++step) {
        const double stress = flow * (1.0 - std::pow(factor(alpha, dt), step));
        EXPECT_NEAR(uniform_stress(history, step, 4, 3), 3.0 * stress, 1e-8 * flow) << step;
    }
}

TEST_P(MaxwellBlockInTime, UniaxialStressCreepsLinearly) {
    const auto [alpha, dt] = GetParam();
    constexpr double kLoad_pa = -10e6;
    roller(Side::West, 0);
    roller(Side::South, 1);
    roller(Side::Bottom, 2);
    load(Side::Top, 2, kLoad_pa);

    const auto history = run(dt * kTau_s, 6, alpha);

    for (int step = 0; step <= 6; ++step) {
        const double creep = 1.0 + step * dt;
        const double axial = kLoad_pa * (1.0 / (9.0 * kKappa_pa) + creep / (3.0 * kMu_pa));
        const double lateral = kLoad_pa * (1.0 / (9.0 * kKappa_pa) - creep / (6.0 * kMu_pa));
        const Vec3 u = history.at(step, 0, 1);
        const double small = 1e-8 * std::abs(axial) * kSize_m;
        EXPECT_NEAR(u.z, axial * kSize_m, small) << step;
        EXPECT_NEAR(u.x, lateral * kSize_m / 2, small) << step;
        EXPECT_NEAR(u.y, lateral * kSize_m / 2, small) << step;
        EXPECT_NEAR(uniform_stress(history, step, 0, 1), 0.0, 1e-7 * 10e6) << step;
    }
}

TEST_P(MaxwellBlockInTime, ShearTractionCreepsLinearly) {
    const auto [alpha, dt] = GetParam();
    constexpr double kLoad_pa = 5e6;
    for (int component = 0; component < 3; ++component) {
        roller(Side::Bottom, component);
    }
    roller(Side::South, 1);
    roller(Side::North, 1);
    load(Side::Top, 0, kLoad_pa);
    load(Side::East, 2, kLoad_pa);
    load(Side::West, 2, -kLoad_pa);

    const auto history = run(dt * kTau_s, 6, alpha);

    for (int step = 0; step <= 6; ++step) {
        const double gamma = kLoad_pa / kMu_pa * (1.0 + step * dt);
        const Vec3 u = history.at(step, 0, 3);
        EXPECT_NEAR(u.x, 3.0 * gamma * kSize_m, 1e-8 * gamma * kSize_m) << step;
        EXPECT_NEAR(u.z, 0.0, 1e-8 * gamma * kSize_m) << step;
        EXPECT_NEAR(uniform_stress(history, step, 4, 3), 3.0 * kLoad_pa, 1e-7 * kLoad_pa) << step;
    }
}

INSTANTIATE_TEST_SUITE_P(Steps, MaxwellBlockInTime,
                         testing::Values(TimeCase{0.5, 0.1}, TimeCase{0.5, 1.0},
                                         TimeCase{0.75, 0.4}, TimeCase{1.0, 0.2},
                                         TimeCase{1.0, 5.0}),
                         [](const auto& info) { return name_of(info.param); });

TEST_F(MaxwellBlock, ColumnUnderTractionHasThePublishedStrains) {
    confine();
    load(Side::Top, 2, -10e6);

    const auto history = run(0.025 * kTau_s, 20, 0.5);

    const auto strain = [&](int step) { return history.at(step, 0, 1).z / kSize_m; };
    constexpr double kPrinted = 1e-9;  // six printed digits, and 4e-10 of the time step
    EXPECT_NEAR(strain(0), -1.11111e-4, kPrinted);
    EXPECT_NEAR(strain(4), -1.15915e-4, kPrinted);
    EXPECT_NEAR(strain(10), -1.22638e-4, kPrinted);
    EXPECT_NEAR(strain(20), -1.32670e-4, kPrinted);
}

class MaxwellColumnOrder : public MaxwellBlock, public testing::WithParamInterface<double> {};

TEST_P(MaxwellColumnOrder, LayeredColumnHasTheOrderOfTheScheme) {
    const double alpha = GetParam();
    constexpr double kLoad_pa = -10e6;
    constexpr double kEnd_s = 2.0 * kTau_s;
    // Three layers under the same axial stress: each creeps on its own, the lid not at all.
    box_.cells = {2, 2, 3};
    box_.move = {};
    box_.material = [](const Vec3& x) { return static_cast<int>(3.0 * x.z / kSize_m); };
    run_.materials = {{"soft", kLambda_pa, kMu_pa, 0.0, kTau_s * kMu_pa},
                      {"middle", 2.0 * kLambda_pa, kMu_pa, 0.0, 2.5 * kTau_s * kMu_pa},
                      {"lid", kLambda_pa, 2.0 * kMu_pa, 0.0, std::nullopt}};
    confine();
    load(Side::Top, 2, kLoad_pa);
    double exact = 0.0;
    for (const auto& m : run_.materials) {
        const double kappa = m.lambda_pa + 2.0 * m.mu_pa / 3.0;
        const double modulus = m.lambda_pa + 2.0 * m.mu_pa;
        const double rate = m.viscosity_pa_s ? m.mu_pa / *m.viscosity_pa_s * kappa / modulus : 0.0;
        exact += kSize_m / 3.0 * kLoad_pa *
                 (1.0 / kappa + (1.0 / modulus - 1.0 / kappa) * std::exp(-rate * kEnd_s));
    }

    std::vector<double> error;
    for (const int n_steps : {4, 8, 16}) {
        const auto history = run(kEnd_s / n_steps, n_steps, alpha);
        error.push_back(std::abs(history.at(n_steps, 0, 1).z - exact));
    }

    const double order = alpha == 0.5 ? 2.0 : 1.0;
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.1);
    EXPECT_NEAR(std::log2(error[1] / error[2]), order, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Alpha, MaxwellColumnOrder, testing::Values(0.5, 1.0),
                         [](const auto& info) {
                             return "Alpha" + std::to_string(std::lround(100 * info.param));
                         });

}  // namespace
}  // namespace kaname::convergence::maxwell_block_test
