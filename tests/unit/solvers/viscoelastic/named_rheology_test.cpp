// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/viscoelastic/spectrum/rheology_range.hpp"

namespace kaname::viscoelastic::named_rheology_test {
namespace {

constexpr double kMu_pa = 6e10;
constexpr double kYear_s = 31557600.0;
constexpr double kEnd_s = 100 * kYear_s;

/// A mantle between 1e18 and 1e20 Pa s, and a wedge whose Kelvin element's viscosity is one more.
RheologyRange range() {
    RheologyRange range;
    range.parameters = {{"mantle", 1e18, 1e20, 1e19}, {"wedge.kelvin", 1e17, 1e18, 3e17}};
    GroupLaw mantle{.mu_pa = kMu_pa, .viscosity = 0};
    GroupLaw wedge{.mu_pa = kMu_pa,
                   .kelvin_mu_pa = kMu_pa,
                   .viscosity_pa_s = 1e19,
                   .kelvin_viscosity_pa_s = 3e17,
                   .kelvin_viscosity = 1};
    range.laws = {mantle, wedge};
    return range;
}

void expect_same(const Relaxation& found, const Relaxation& wanted) {
    for (const double shift : {1e-11, 1e-9, 1e-7}) {
        EXPECT_NEAR(found.at(shift), wanted.at(shift), 1e-12) << shift;
    }
}

std::string refusal(const NamedNumbers& said) {
    try {
        (void)named_rheology(range(), said, kEnd_s);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "";
}

TEST(NamedRheology, WhatIsNotSaidIsTheReference) {
    const NamedRheology found = named_rheology(range(), {{"wedge.kelvin", 5e17}}, kEnd_s);
    const NamedNumbers wanted = {{"mantle", 1e19}, {"wedge.kelvin", 5e17}};
    EXPECT_EQ(found.values, wanted);
    expect_same(found.relaxation[0], maxwell(kMu_pa, 1e19));
    expect_same(found.relaxation[1], burgers(kMu_pa, 1e19, kMu_pa, 5e17));
}

TEST(NamedRheology, OtherBodiesStandForTheSpecifications) {
    NamedRheology found = named_rheology(
        range(), {{"mantle.kelvin_mu_ratio", 2.0}, {"mantle", 2e19}, {"mantle.kelvin", 3e18}},
        kEnd_s);
    expect_same(found.relaxation[0], burgers(kMu_pa, 2e19, 2 * kMu_pa, 3e18));
    EXPECT_EQ(found.values.size(), 4U);

    found = named_rheology(range(), {{"mantle.relaxed_mu_ratio", 0.01}, {"mantle", 2e18}}, kEnd_s);
    expect_same(found.relaxation[0], standard_linear_solid(kMu_pa, 0.01 * kMu_pa, 2e18));

    // Less of a Kelvin element than the request has would be stiffer than what was solved.
    EXPECT_NE(refusal({{"wedge.kelvin_mu_ratio", 1e9}}), "");
    found = named_rheology(range(), {{"wedge.kelvin_mu_ratio", 1.0}}, kEnd_s);
    expect_same(found.relaxation[1], burgers(kMu_pa, 1e19, kMu_pa, 3e17));
}

TEST(NamedRheology, ABodysModuliDecideWhetherItIsCovered) {
    EXPECT_NE(refusal({{"mantle", 1.5e20}}).find("must be within 1e+18 to 1e+20 Pa s"),
              std::string::npos);
    // Its own viscosity is above the range, but the Kelvin element makes it as soft.
    NamedNumbers said = {
        {"mantle", 1.5e20}, {"mantle.kelvin_mu_ratio", 0.2}, {"mantle.kelvin", 1e18}};
    EXPECT_EQ(refusal(said), "");
    said[1].second = 20.0;
    const std::string text = refusal(said);
    EXPECT_NE(text.find("rheology of 'mantle': its modulus at the shift"), std::string::npos)
        << text;
}

TEST(NamedRheology, RefusesWhatNoBodyHas) {
    EXPECT_NE(refusal({{"crust", 1e19}}).find("there are: mantle, wedge.kelvin"),
              std::string::npos);
    EXPECT_NE(refusal({{"mantle", 1e19}, {"mantle", 2e19}}).find("'mantle' is said twice"),
              std::string::npos);
    EXPECT_NE(refusal({{"mantle.kelvin_mu_ratio", 1.0}}).find("needs 'mantle.kelvin'"),
              std::string::npos);
    EXPECT_NE(refusal({{"mantle.kelvin", 1e18}}).find("needs 'mantle.kelvin_mu_ratio'"),
              std::string::npos);
    EXPECT_NE(refusal({{"mantle.relaxed_mu_ratio", 1.0}}).find("within 0 to below 1, got 1"),
              std::string::npos);
    EXPECT_NE(refusal({{"mantle.kelvin_mu_ratio", 0.0}, {"mantle.kelvin", 1e18}})
                  .find("must be above 0, got 0"),
              std::string::npos);
    EXPECT_NE(refusal({{"mantle.kelvin_mu_ratio", 1.0},
                       {"mantle.kelvin", 1e18},
                       {"mantle.relaxed_mu_ratio", 0.5}})
                  .find("a standard linear solid or a Burgers body"),
              std::string::npos);
    EXPECT_NE(refusal({{"mantle", -1.0}, {"mantle.relaxed_mu_ratio", 0.01}})
                  .find("'mantle' must be positive [Pa s], got -1"),
              std::string::npos);
}

}  // namespace
}  // namespace kaname::viscoelastic::named_rheology_test
