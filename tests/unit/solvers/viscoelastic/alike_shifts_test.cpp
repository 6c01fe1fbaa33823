// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "solvers/viscoelastic/spectrum/relaxation_groups.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_error.hpp"

namespace kaname::viscoelastic::alike_shifts_test {
namespace {

std::vector<Relaxation> two_rocks() {
    return {maxwell(3e10, 1e18), maxwell(6e10, 3e20)};
}

TEST(AlikeShifts, HaveModuliWithinTheRatioOfTheirOwners) {
    const auto rocks = two_rocks();
    const SpectrumError error(rocks, 1e10);

    const auto alike = alike_shifts(rocks, error.shifts());

    ASSERT_EQ(alike.size(), error.shifts().size());
    for (const auto& [shift, owner] : alike) {
        for (const Relaxation& rock : rocks) {
            const double ratio = rock.at(shift) / (owner ? rock.at(*owner) : 1.0);
            EXPECT_LE(ratio, kAlikeModuli) << shift;
            EXPECT_GE(ratio, 1.0 / kAlikeModuli) << shift;
        }
        EXPECT_TRUE(!owner || alike.at(*owner) == owner) << shift;
    }
}

TEST(AlikeShifts, AreThreeOrMoreToAHierarchyAndStiffOnesTakeTheElasticOne) {
    const auto rocks = two_rocks();
    const SpectrumError error(rocks, 1e10);

    const auto alike = alike_shifts(rocks, error.shifts());

    std::set<double> owners;
    for (const auto& [shift, owner] : alike) {
        if (owner) {
            owners.insert(*owner);
        }
    }
    EXPECT_LE(3 * owners.size(), alike.size());
    EXPECT_FALSE(alike.rbegin()->second.has_value());
    EXPECT_TRUE(alike.begin()->second.has_value());
}

TEST(AlikeShifts, OfOneRockStandAlone) {
    const std::vector<Relaxation> rock = {maxwell(3e10, 1e18)};

    EXPECT_EQ(alike_shifts(rock, std::vector<double>{1e-12, 1e-9, 1.0}),
              (std::map<double, std::optional<double>>{
                  {1e-12, 1e-12}, {1e-9, 1e-9}, {1.0, std::nullopt}}));
}

TEST(FirstShifts, GoFromTheStiffestRockToTheSoftest) {
    const SpectrumError error(two_rocks(), 1e10);

    const auto& first = error.first_shifts();

    ASSERT_EQ(first.size(), 4u);
    EXPECT_EQ(first.front(), error.shifts().back());
    EXPECT_EQ(first.back(), error.shifts().front());
    EXPECT_TRUE(std::ranges::is_sorted(first, std::greater<>()));
}

TEST(FirstShifts, AreNotNamedTwiceWhereTheEndComesEarly) {
    const SpectrumError error({maxwell(3e10, 1e19)}, 1e6);

    const auto& first = error.first_shifts();

    EXPECT_EQ(first.front(), error.shifts().back());
    EXPECT_EQ(first.back(), error.shifts().front());
    EXPECT_EQ(std::ranges::adjacent_find(first, std::less_equal<>()), first.end());
}

}  // namespace
}  // namespace kaname::viscoelastic::alike_shifts_test
