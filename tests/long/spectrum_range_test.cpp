// SPDX-License-Identifier: BSD-3-Clause
// Spectra for ranges of viscosity at many random viscosities, with the solves that they take: the
// table of decision 0091 is what this records (--gtest_output=xml).
#include <functional>

#include "tests/unit/solvers/viscoelastic/ranged_body.hpp"

namespace kaname::viscoelastic::spectrum_range_test {
namespace {

struct Case {
    const char* name;
    std::function<std::vector<earth::Material>()> rocks;  ///< [3] from above
    double end_years, tolerance;
    int most_solves, samples;
    Element element = Element::P2;
};

std::vector<earth::Material> below_a_lid(const earth::Material& second,
                                         const earth::Material& third) {
    return {rock(3e10, 3e10), second, third};
}

earth::Material burgers_rock() {
    earth::Material material = ranged_rock("mantle", 6e10, 1e19, 1e20);
    material.kelvin_mu_pa = 4e10;
    material.kelvin_viscosity_pa_s = 1e18;
    material.kelvin_viscosity_range = {5e17, 5e18};
    return material;
}

std::vector<earth::Material> one(double from, double to) {
    return below_a_lid(ranged_rock("mantle", 6e10, from, to), rock(8e10, 8e10));
}

std::vector<earth::Material> two(double to) {
    return below_a_lid(ranged_rock("asthenosphere", 6e10, 1e18, to),
                       ranged_rock("mantle", 8e10, 1e18, to));
}

class Ranges : public testing::TestWithParam<Case> {};

TEST_P(Ranges, AreCertified) {
    const Case& of = GetParam();
    RangedBody body(of.rocks(), of.end_years * kYear, of.tolerance, of.element);
    const int solves = body.solve();
    const Certification found = certify(body, of.samples, 2, 7);
    RecordProperty("solves", solves);
    RecordProperty("vectors", body.sources()[0].model.n_basis);
    RecordProperty("error", std::to_string(found.largest_error / of.tolerance));
    RecordProperty("certified", std::to_string(found.largest_estimate / of.tolerance));
    RecordProperty(
        "ratio", std::to_string(found.least_ratio) + " to " + std::to_string(found.largest_ratio));
    EXPECT_TRUE(body.solver().reached());
    EXPECT_LE(solves, of.most_solves);
    EXPECT_LE(found.largest_error, of.tolerance);
    EXPECT_GE(found.least_ratio, 1.0);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, Ranges,
    testing::Values(
        Case{"one_of_two_decades", [] { return one(1e18, 1e20); }, 30, 1e-3, 20, 100},
        Case{"one_of_three_decades", [] { return one(1e18, 1e21); }, 100, 1e-3, 20, 100},
        Case{"one_of_three_decades_tighter", [] { return one(1e18, 1e21); }, 100, 1e-5, 25, 100},
        Case{"one_with_nodal_dilatation", [] { return one(1e18, 1e20); }, 30, 1e-3, 20, 50,
             Element::NodalDilatation},
        Case{"both_of_a_burgers_body", [] { return below_a_lid(burgers_rock(), rock(3e10, 3e10)); },
             30, 1e-3, 20, 50},
        Case{"two_of_a_decade", [] { return two(1e19); }, 30, 1e-3, 40, 100},
        Case{"two_of_two_decades", [] { return two(1e20); }, 30, 1e-3, 60, 200},
        Case{"two_of_three_decades", [] { return two(1e21); }, 100, 1e-3, 60, 40},
        Case{"three_of_a_decade",
             [] {
                 return std::vector{ranged_rock("crust", 3e10, 1e20, 1e21),
                                    ranged_rock("asthenosphere", 6e10, 1e18, 1e19),
                                    ranged_rock("mantle", 8e10, 1e19, 1e20)};
             },
             100, 1e-3, 80, 10},
        Case{"slip_in_one_of_two",
             [] {
                 return std::vector{ranged_rock("crust", 3e10, 1e19, 1e20),
                                    ranged_rock("mantle", 6e10, 1e18, 1e19), rock(8e10, 8e10)};
             },
             30, 1e-3, 60, 100}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace kaname::viscoelastic::spectrum_range_test
