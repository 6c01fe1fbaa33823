// SPDX-License-Identifier: BSD-3-Clause
// Spectra for ranges of viscosity, against dense matrices at viscosities that no solve had.
#include "solvers/base/error.hpp"
#include "tests/unit/solvers/viscoelastic/ranged_body.hpp"

namespace kaname::viscoelastic::spectrum_range_test {
namespace {

constexpr double kTolerance = 1e-3;
const earth::Material kLid = rock(3e10, 3e10);

/// The promises: no error above the tolerance, none above its certificate, and that not far above.
void expect_certified(RangedBody& body, int samples) {
    EXPECT_TRUE(body.solver().reached()) << body.solver().error_estimate();
    const Certification found = certify(body, samples, 2, 1);
    EXPECT_LE(found.largest_estimate, kTolerance);
    EXPECT_LE(found.largest_error, kTolerance);
    EXPECT_GE(found.least_ratio, 1.0);
    EXPECT_LE(found.largest_ratio, 30.0);
}

TEST(SpectrumRange, OneRockOfThreeDecades) {
    RangedBody body({kLid, ranged_rock("mantle", 6e10, 1e18, 1e21), rock(8e10, 8e10)},
                    100.0 * kYear, kTolerance);
    EXPECT_LE(body.solve(), 20);
    expect_certified(body, 3);
}

TEST(SpectrumRange, TwoRocksOfADecade) {
    RangedBody body({kLid, ranged_rock("asthenosphere", 6e10, 1e18, 1e19),
                     ranged_rock("mantle", 8e10, 1e19, 1e20)},
                    30.0 * kYear, kTolerance);
    EXPECT_LE(body.solve(), 40);
    expect_certified(body, 3);
}

TEST(SpectrumRange, SlipInRockThatRelaxes) {
    RangedBody body({ranged_rock("crust", 3e10, 1e19, 1e20),
                     ranged_rock("mantle", 6e10, 1e18, 1e19), rock(8e10, 8e10)},
                    30.0 * kYear, kTolerance);
    EXPECT_LE(body.solve(), 40);
    expect_certified(body, 3);
}

TEST(SpectrumRange, BothElementsOfABurgersBody) {
    earth::Material burgers_rock = ranged_rock("mantle", 6e10, 1e19, 1e20);
    burgers_rock.kelvin_mu_pa = 4e10;
    burgers_rock.kelvin_viscosity_pa_s = 1e18;
    burgers_rock.kelvin_viscosity_range = {5e17, 5e18};
    RangedBody body({kLid, burgers_rock, kLid}, 30.0 * kYear, kTolerance);
    ASSERT_EQ(body.groups.range.parameters.size(), 2u);
    EXPECT_EQ(body.groups.range.parameters[1].name, "mantle.kelvin");
    EXPECT_LE(body.solve(), 40);
    expect_certified(body, 2);
    // Another body whose moduli lie between those is answered too; one that is softer is not.
    const RheologyRange& range = body.groups.range;
    Relaxation between;
    for (const auto& end : {range.at(range.softest())[0], range.at(range.stiffest())[0]}) {
        for (const auto& branch : end.branches) {
            between.branches.push_back({0.5 * branch.share, branch.rate_per_s});
        }
    }
    const std::vector<Relaxation> within = {between};
    range.require_covered(within, body.end_s());
    EXPECT_LE(body.compare(within, std::vector<double>{3.0 * kYear, 30.0 * kYear}).error,
              kTolerance);
    const std::vector<Relaxation> softer = {maxwell(6e10, 1e17)};
    EXPECT_THROW(range.require_covered(softer, body.end_s()), Error);
}

TEST(SpectrumRange, NodalDilatation) {
    RangedBody body({kLid, ranged_rock("mantle", 6e10, 1e18, 1e20), kLid}, 30.0 * kYear, kTolerance,
                    Element::NodalDilatation);
    ASSERT_EQ(body.groups.range.laws.size(), 2u);
    EXPECT_TRUE(body.groups.range.laws[1].bulk);
    EXPECT_LE(body.solve(), 40);
    expect_certified(body, 2);
}

TEST(SpectrumRange, WhatWasNotSeenToBeSmallEnoughIsNotReached) {
    // So small that the error in time is looked at in vain before it is reached.
    constexpr double kTight = 1e-6;
    const auto solves = [](int most) {
        RangedBody body({kLid, ranged_rock("mantle", 6e10, 1e18, 1e20), kLid}, 30.0 * kYear, kTight,
                        Element::P2, most);
        const int n = body.solve();
        return std::tuple{n, body.solver().reached(), body.solver().error_estimate()};
    };
    const auto [enough, reached, error] = solves(80);
    EXPECT_TRUE(reached);
    EXPECT_LE(error, kTight);
    for (int most = enough - 3; most < enough; ++most) {
        const auto [n, too_few, what_is_left] = solves(most);
        EXPECT_EQ(n, most);
        EXPECT_FALSE(too_few) << most;
        EXPECT_GT(what_is_left, RangeSearch::kShare * kTight) << most;
    }
}

TEST(SpectrumRange, ViscositiesOutsideAreRefused) {
    const RelaxationGroups groups =
        relaxation_groups({kLid, ranged_rock("mantle", 6e10, 1e18, 1e20)});
    try {
        (void)groups.range.at(std::vector<double>{3e20});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("'mantle' must be within 1e+18 to 1e+20"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_THROW((void)groups.range.at(std::vector<double>{1e19, 1e19}), Error);
}

TEST(SpectrumRange, MaterialsOfOneGroupHaveOneRange) {
    earth::Material upper = ranged_rock("upper", 6e10, 1e18, 1e20);
    earth::Material lower = ranged_rock("lower", 9e10, 1e18, 1e20);
    upper.viscosity_group = lower.viscosity_group = "mantle";
    const RelaxationGroups groups = relaxation_groups({upper, lower});
    ASSERT_EQ(groups.range.parameters.size(), 1u);
    EXPECT_EQ(groups.range.parameters[0].name, "mantle");
    EXPECT_EQ(groups.relaxation.size(), 2u);  // one viscosity, two shear moduli
    lower.viscosity_range->to_pa_s = 1e21;
    EXPECT_THROW((void)relaxation_groups({upper, lower}), Error);
}

}  // namespace
}  // namespace kaname::viscoelastic::spectrum_range_test
