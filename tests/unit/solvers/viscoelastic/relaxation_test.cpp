// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/relaxation.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic::relaxation_test {
namespace {

constexpr double kMu = 4e10;
constexpr double kEta = 2e19;

TEST(Relaxation, MaxwellDecaysWithItsTime) {
    const Relaxation g = maxwell(kMu, kEta);

    EXPECT_DOUBLE_EQ(g.at_time(kEta / kMu), std::exp(-1.0));
    EXPECT_DOUBLE_EQ(g.at(kMu / kEta), 0.5);
    EXPECT_DOUBLE_EQ(g.fastest_rate_per_s(), kMu / kEta);
}

TEST(Relaxation, StandardLinearSolidKeepsItsSpring) {
    const Relaxation g = standard_linear_solid(kMu, 0.25 * kMu, kEta);

    EXPECT_DOUBLE_EQ(g.at_time(0.0), 1.0);
    EXPECT_DOUBLE_EQ(g.at_time(1e15), 0.25);
    EXPECT_DOUBLE_EQ(g.at(0.0), 0.25);
    EXPECT_NEAR(g.at_time(kEta / (0.75 * kMu)), 0.25 + 0.75 * std::exp(-1.0), 1e-15);
}

TEST(Relaxation, BurgersIsTheSeriesOfItsElements) {
    constexpr double kMuK = 0.6 * kMu;
    constexpr double kEtaK = 0.05 * kEta;
    const Relaxation g = burgers(kMu, kEta, kMuK, kEtaK);

    EXPECT_DOUBLE_EQ(g.at_time(0.0), 1.0);
    for (const double s : {1e-12, 1e-10, 2e-9, 3e-8, 1e-6}) {
        const double compliance = 1.0 / kMu + 1.0 / (kEta * s) + 1.0 / (kMuK + kEtaK * s);
        EXPECT_NEAR(g.at(s) * kMu * compliance, 1.0, 1e-12) << s;
    }
    for (const Relaxation::Branch& branch : g.branches) {
        EXPECT_GT(branch.share, 0.0);
        EXPECT_GT(branch.rate_per_s, 0.0);
    }
}

TEST(Relaxation, BurgersWithAStiffKelvinElementIsMaxwell) {
    const Relaxation g = burgers(kMu, kEta, 1e6 * kMu, kEta);
    EXPECT_NEAR(g.at(1e-9), maxwell(kMu, kEta).at(1e-9), 1e-5);
}

TEST(Relaxation, BurgersWithoutCouplingLosesNoDigits) {
    // Kelvin's rate is that of the Maxwell element, and mu/eta_k below rounding beside both.
    const Relaxation g = burgers(kMu, kEta, 1e17 * kMu, 1e17 * kEta);

    for (const double s : {1e-12, 1e-10, 2e-9, 1e-6}) {
        EXPECT_NEAR(g.at(s) / maxwell(kMu, kEta).at(s), 1.0, 1e-7) << s;
    }
}

TEST(Relaxation, TheShortestTimeIsThatOfTheFastestBranchOfUsedMaterials) {
    earth::Material rock{"rock", 3e10, kMu, 0.0, kEta};
    EXPECT_EQ(shortest_relaxation_time_s(rock), kEta / kMu);
    EXPECT_EQ(n_branches(rock), 1);
    earth::Material solid = rock;
    solid.relaxed_mu_pa = 0.25 * kMu;
    EXPECT_NEAR(*shortest_relaxation_time_s(solid), kEta / (0.75 * kMu), 1e-6);
    EXPECT_EQ(n_branches(solid), 2);
    earth::Material body = rock;
    body.kelvin_mu_pa = 2e10;
    body.kelvin_viscosity_pa_s = 1e18;
    EXPECT_DOUBLE_EQ(*shortest_relaxation_time_s(body),
                     1.0 / burgers(kMu, kEta, 2e10, 1e18).fastest_rate_per_s());
    EXPECT_EQ(n_branches(body), 2);
    earth::Material ranged = body;
    ranged.viscosity_range = {0.1 * kEta, 10.0 * kEta};
    ranged.kelvin_viscosity_range = {2e17, 5e18};
    EXPECT_DOUBLE_EQ(*shortest_relaxation_time_s(ranged),
                     1.0 / burgers(kMu, 0.1 * kEta, 2e10, 2e17).fastest_rate_per_s());
    earth::Material elastic = rock;
    elastic.viscosity_pa_s.reset();
    EXPECT_FALSE(shortest_relaxation_time_s(elastic));
    EXPECT_EQ(n_branches(elastic), 1);

    earth::LayeredStructure structure{{body, rock, solid, elastic}, {{3, 1e4}, {1, {}}}, {{2, {}}}};
    EXPECT_EQ(shortest_relaxation_time_s(structure), kEta / kMu) << "body lies in no layer";
    structure.layers = {{3, {}}};
    structure.below_interface.clear();
    EXPECT_FALSE(shortest_relaxation_time_s(structure));
}

TEST(Relaxation, AMaterialSaysWhatItIs) {
    earth::Material rock{"rock", 3e10, kMu, 0.0, kEta};
    EXPECT_DOUBLE_EQ(relaxation_of(rock).at(1e-9), maxwell(kMu, kEta).at(1e-9));
    rock.kelvin_mu_pa = 2e10;
    rock.kelvin_viscosity_pa_s = 1e18;
    EXPECT_DOUBLE_EQ(relaxation_of(rock).at(1e-9), burgers(kMu, kEta, 2e10, 1e18).at(1e-9));
    EXPECT_FALSE(rock.is_maxwell());
    rock = {"rock", 3e10, kMu, 0.0, kEta};
    rock.relaxed_mu_pa = 1e10;
    EXPECT_DOUBLE_EQ(relaxation_of(rock).at(1e-9), standard_linear_solid(kMu, 1e10, kEta).at(1e-9));
    rock.viscosity_pa_s.reset();
    EXPECT_THROW((void)relaxation_of(rock), Error);
}

TEST(Relaxation, BadNumbersAreNamed) {
    const auto message = [](auto make) -> std::string {
        try {
            (void)make();
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_NE(message([] { return maxwell(kMu, 0.0); }).find("viscosity_pa_s must be"),
              std::string::npos);
    EXPECT_NE(message([] {
                  return standard_linear_solid(kMu, kMu, kEta);
              }).find("mu_relaxed_pa must be below mu_pa = 4e+10"),
              std::string::npos);
    EXPECT_NE(message([] { return burgers(kMu, kEta, std::nan(""), kEta); }).find("got nan"),
              std::string::npos);
}

}  // namespace
}  // namespace kaname::viscoelastic::relaxation_test
