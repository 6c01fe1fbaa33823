// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a standard linear solid and of a Burgers body under uniform strain or stress, by the
// textbook's relaxation modulus and creep compliance: the solver itself knows Burgers bodies as two
// Maxwell elements side by side only.
#include <ostream>

#include "solvers/viscoelastic/model/relaxation.hpp"
#include "tests/convergence/block.hpp"

namespace kaname::convergence::rheology_block_test {
namespace {

using viscoelastic::Element;

/// n modes: value(t) = lasting + flow t + sum_k size_k exp(-rate_k t), and by steps.
struct Modes {
    double lasting = 0.0, flow_per_s = 0.0;
    std::vector<std::pair<double, double>> size_and_rate_per_s = {};

    [[nodiscard]] double at(double t_s) const {
        double value = lasting + flow_per_s * t_s;
        for (const auto& [size, rate] : size_and_rate_per_s) {
            value += size * std::exp(-rate * t_s);
        }
        return value;
    }
    [[nodiscard]] double after(int n_steps, double dt_s, double alpha) const {
        double value = lasting + flow_per_s * n_steps * dt_s;
        for (const auto& [size, rate] : size_and_rate_per_s) {
            value += size * std::pow(factor(alpha, rate * dt_s), n_steps);
        }
        return value;
    }
};

/// Shear modulus mu(t) [Pa] after a step in strain.
Modes relaxation(const earth::Material& m) {
    if (!m.viscosity_pa_s) {
        return {.lasting = m.mu_pa};
    }
    const double mu = m.mu_pa;
    const double eta = *m.viscosity_pa_s;
    if (m.relaxed_mu_pa) {
        const double rest = mu - *m.relaxed_mu_pa;
        return {.lasting = *m.relaxed_mu_pa, .size_and_rate_per_s = {{rest, rest / eta}}};
    }
    if (!m.kelvin_mu_pa) {
        return {.size_and_rate_per_s = {{mu, mu / eta}}};
    }
    // Findley, Lai and Onaran (1976), table 5.1: sigma + p1 sigma' + p2 sigma'' = q1 e' + q2 e''.
    const double mu_k = *m.kelvin_mu_pa;
    const double eta_k = *m.kelvin_viscosity_pa_s;
    const double p1 = eta / mu + eta / mu_k + eta_k / mu_k;
    const double p2 = eta * eta_k / (mu * mu_k);
    const double q1 = eta;
    const double q2 = eta * eta_k / mu_k;
    const double A = std::sqrt(p1 * p1 - 4.0 * p2);
    const double r1 = (p1 - A) / (2.0 * p2);
    const double r2 = (p1 + A) / (2.0 * p2);
    return {.size_and_rate_per_s = {{(q1 - q2 * r1) / A, r1}, {-(q1 - q2 * r2) / A, r2}}};
}

/// Shear strain over stress [1/Pa] after a step in stress.
Modes creep(const earth::Material& m) {
    if (!m.viscosity_pa_s) {
        return {.lasting = 1.0 / m.mu_pa};
    }
    const double mu = m.mu_pa;
    const double eta = *m.viscosity_pa_s;
    if (m.relaxed_mu_pa) {
        const double end = *m.relaxed_mu_pa;
        return {.lasting = 1.0 / end,
                .size_and_rate_per_s = {{1.0 / mu - 1.0 / end, end * (mu - end) / (mu * eta)}}};
    }
    Modes modes = {.lasting = 1.0 / mu, .flow_per_s = 1.0 / eta};
    if (m.kelvin_mu_pa) {
        modes.lasting += 1.0 / *m.kelvin_mu_pa;
        modes.size_and_rate_per_s = {
            {-1.0 / *m.kelvin_mu_pa, *m.kelvin_mu_pa / *m.kelvin_viscosity_pa_s}};
    }
    return modes;
}

earth::Material solid() {
    return {"solid", kLambda_pa, kMu_pa, 0.0, kTau_s * kMu_pa, 0.4 * kMu_pa};
}
earth::Material burgers_body() {
    earth::Material body = {"burgers", kLambda_pa, kMu_pa, 0.0, kTau_s * kMu_pa};
    body.kelvin_mu_pa = 1.7 * kMu_pa;
    body.kelvin_viscosity_pa_s = 0.3 * kTau_s * kMu_pa;
    return body;
}

struct RheologyCase {
    earth::Material material;
    TimeCase when;
    Element element;
};
std::string name_of(const RheologyCase& of) {
    return of.material.name + name_of(of.when) + (of.element == Element::P2 ? "" : "Nodal");
}
std::ostream& operator<<(std::ostream& out, const RheologyCase& of) {
    return out << name_of(of);
}

class RheologyBlock : public Block, public testing::WithParamInterface<RheologyCase> {
protected:
    void SetUp() override {
        Block::SetUp();
        run_.materials = {GetParam().material};
        run_.element = GetParam().element;
    }
    test::PackHistory run_steps(int n_steps) {
        return run(GetParam().when.dt_in_tau * kTau_s, n_steps, GetParam().when.alpha);
    }
    [[nodiscard]] double after(const Modes& modes, int step) const {
        return modes.after(step, GetParam().when.dt_in_tau * kTau_s, GetParam().when.alpha);
    }
};

TEST_P(RheologyBlock, StrainHeldRelaxesEveryBranchByItsDiscreteFactor) {
    constexpr double kStrain = 1e-4;
    run_.prescribed_sides = {Side::West,  Side::East,   Side::South,
                             Side::North, Side::Bottom, Side::Top};
    // Lane 0 uniaxial strain along z, lane 1 shear zx, the others shear xy.
    run_.field = [](const Vec3& x, double /*t_s*/, int lane) -> Vec3 {
        return lane == 0   ? Vec3{0.0, 0.0, kStrain * x.z}
               : lane == 1 ? Vec3{kStrain * x.z, 0.0, 0.0}
                           : Vec3{0.0, kStrain * x.x, 0.0};
    };

    const auto history = run_steps(6);

    const Modes modulus = relaxation(GetParam().material);
    for (int step = 0; step <= 6; ++step) {
        const double mu = after(modulus, step);
        const double small = 1e-8 * kMu_pa * kStrain;
        EXPECT_NEAR(uniform_stress(history, step, 2, 0), (kKappa_pa + 4.0 / 3.0 * mu) * kStrain,
                    small);
        EXPECT_NEAR(uniform_stress(history, step, 1, 0), (kKappa_pa - 2.0 / 3.0 * mu) * kStrain,
                    small);
        EXPECT_NEAR(uniform_stress(history, step, 4, 1), mu * kStrain, small) << step;
        EXPECT_NEAR(uniform_stress(history, step, 5, 3), mu * kStrain, small) << step;
    }
}

TEST_P(RheologyBlock, ShearTractionCreepsByTheDiscreteFactor) {
    constexpr double kLoad_pa = 5e6;
    for (int component = 0; component < 3; ++component) {
        roller(Side::Bottom, component);
    }
    roller(Side::South, 1);
    roller(Side::North, 1);
    load(Side::Top, 0, kLoad_pa);
    load(Side::East, 2, kLoad_pa);
    load(Side::West, 2, -kLoad_pa);

    const auto history = run_steps(6);

    const Modes compliance = creep(GetParam().material);
    for (int step = 0; step <= 6; ++step) {
        const double gamma = kLoad_pa * after(compliance, step);
        EXPECT_NEAR(history.at(step, 0, 3).x, 3.0 * gamma * kSize_m, 1e-8 * gamma * kSize_m)
            << step;
        EXPECT_NEAR(uniform_stress(history, step, 4, 3), 3.0 * kLoad_pa, 1e-7 * kLoad_pa) << step;
    }
}

TEST_P(RheologyBlock, UniaxialStressCreepsByTheDiscreteFactor) {
    constexpr double kLoad_pa = -10e6;
    roller(Side::West, 0);
    roller(Side::South, 1);
    roller(Side::Bottom, 2);
    load(Side::Top, 2, kLoad_pa);

    const auto history = run_steps(6);

    const Modes compliance = creep(GetParam().material);
    for (int step = 0; step <= 6; ++step) {
        const double J = after(compliance, step);
        const double axial = kLoad_pa * (1.0 / (9.0 * kKappa_pa) + J / 3.0);
        const double lateral = kLoad_pa * (1.0 / (9.0 * kKappa_pa) - J / 6.0);
        const Vec3 u = history.at(step, 0, 1);
        const double small = 1e-8 * std::abs(axial) * kSize_m;
        EXPECT_NEAR(u.z, axial * kSize_m, small) << step;
        EXPECT_NEAR(u.x, lateral * kSize_m / 2, small) << step;
        EXPECT_NEAR(uniform_stress(history, step, 0, 1), 0.0, 1e-7 * 10e6) << step;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Steps, RheologyBlock,
    testing::Values(RheologyCase{solid(), {0.5, 0.1}, Element::P2},
                    RheologyCase{solid(), {1.0, 2.0}, Element::P2},
                    RheologyCase{solid(), {0.5, 0.4}, Element::NodalDilatation},
                    RheologyCase{burgers_body(), {0.5, 0.04}, Element::P2},
                    RheologyCase{burgers_body(), {0.75, 0.4}, Element::P2},
                    RheologyCase{burgers_body(), {1.0, 2.0}, Element::P2},
                    RheologyCase{burgers_body(), {0.5, 0.1}, Element::NodalDilatation}),
    [](const auto& info) { return name_of(info.param); });

class RheologyColumnOrder : public Block, public testing::WithParamInterface<double> {};

TEST_P(RheologyColumnOrder, FourRheologiesInOneColumnHaveTheOrderOfTheScheme) {
    const double alpha = GetParam();
    constexpr double kLoad_pa = 5e6;
    constexpr double kEnd_s = kTau_s;
    // Four layers under the same shear stress: each creeps on its own.
    box_.cells = {2, 2, 4};
    box_.move = {};
    box_.material = [](const Vec3& x) { return static_cast<int>(4.0 * x.z / kSize_m); };
    run_.materials = {solid(),
                      burgers_body(),
                      {"maxwell", kLambda_pa, 0.7 * kMu_pa, 0.0, kTau_s * kMu_pa},
                      {"elastic", kLambda_pa, 2.0 * kMu_pa, 0.0, std::nullopt}};
    for (int component = 0; component < 3; ++component) {
        roller(Side::Bottom, component);
    }
    roller(Side::South, 1);
    roller(Side::North, 1);
    load(Side::Top, 0, kLoad_pa);
    load(Side::East, 2, kLoad_pa);
    load(Side::West, 2, -kLoad_pa);
    double exact = 0.0;
    for (const auto& m : run_.materials) {
        exact += kSize_m / 4.0 * kLoad_pa * creep(m).at(kEnd_s);
    }

    std::vector<double> error;
    for (const int n_steps : {16, 32, 64}) {
        const auto history = run(kEnd_s / n_steps, n_steps, alpha);
        error.push_back(std::abs(history.at(n_steps, 0, 1).x - exact));
    }

    const double order = alpha == 0.5 ? 2.0 : 1.0;
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.1);
    EXPECT_NEAR(std::log2(error[1] / error[2]), order, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Alpha, RheologyColumnOrder, testing::Values(0.5, 1.0),
                         [](const auto& info) {
                             return "Alpha" + std::to_string(std::lround(100 * info.param));
                         });

}  // namespace
}  // namespace kaname::convergence::rheology_block_test
