// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/layer_guides.hpp"

#include <gtest/gtest.h>

#include "solvers/base/predicted_error.hpp"

namespace kaname::layer_guides_test {
namespace {

constexpr double kDeepest = 1e9;

RockLayer layer(double top_km, double bottom_km, double mu_gpa, double maxwell_times) {
    return {1e3 * top_km, bottom_km > 0.0 ? 1e3 * bottom_km : kDeepest, 1e9 * mu_gpa,
            maxwell_times};
}

TEST(LayerGuides, AreALidAndAChannel) {
    const std::vector<RockLayer> lid = {layer(0, 25, 36, 0.0), layer(25, 0, 64, 10.0)};
    const std::vector<RockLayer> channel = {layer(0, 20, 35, 0.0), layer(20, 45, 55, 11.0),
                                            layer(45, 0, 70, 0.0)};

    const std::vector<Guide> one = guides_in(lid);
    const std::vector<Guide> two = guides_in(channel);

    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].thickness_m, 25e3);
    EXPECT_EQ(one[0].stands_out, 1.0);
    ASSERT_GE(two.size(), 2u);
    EXPECT_EQ(two[0].thickness_m, 20e3);
    EXPECT_EQ(two.back().first, 1u);
    EXPECT_EQ(two.back().thickness_m, 25e3);
}

TEST(LayerGuides, HaveNoneInALayerThatRelaxesSlowlyAboveOneThatRelaxesFast) {
    // After 30 years: an elastic lid of 28 km, 12 km of 1e20 Pa s, 8e18 Pa s below.
    const std::vector<RockLayer> layers = {layer(0, 28, 38, 0.0), layer(28, 40, 52, 0.49),
                                           layer(40, 0, 68, 8.0)};

    double thinnest_m = kDeepest, most = 0.0;
    for (const Guide& guide : guides_in(layers)) {
        thinnest_m = std::min(thinnest_m, guide.thickness_m);
        most = std::max(most, guide.stands_out);
        EXPECT_EQ(guide.first, 0u);
    }

    EXPECT_EQ(thinnest_m, 28e3);
    EXPECT_GT(most, 0.8) << "40 km";
}

TEST(LayerGuides, RightAfterTheSlipAreAllLayersAboveTheLowest) {
    std::vector<RockLayer> layers = {layer(0, 8, 20, 0.0), layer(8, 35, 40, 0.0),
                                     layer(35, 0, 67, 0.0)};

    ASSERT_EQ(guides_in(layers).size(), 1u);
    EXPECT_EQ(guides_in(layers)[0].thickness_m, 35e3);

    layers = {layer(0, 8, 60, 0.0), layer(8, 0, 67, 0.0)};
    EXPECT_TRUE(guides_in(layers).empty());
}

TEST(LayerGuides, KnowTheLayersOfLidsByTheirStiffness) {
    const std::vector<RockLayer> late = {layer(0, 10, 12, 0.0), layer(10, 30, 45, 0.0),
                                         layer(30, 0, 67, 8.0)};

    const std::vector<LidLayer> lid = lid_layers_in(late);

    ASSERT_EQ(lid.size(), 2u);
    EXPECT_NEAR(lid[0].share, (34.0 - 12.0) * 10.0 / 1020.0, 1e-12);
    EXPECT_TRUE(lid_layers_in(std::vector{layer(0, 10, 12, 8.0), layer(10, 0, 67, 8.0)}).empty())
        << "rock like the lowest";
    EXPECT_EQ(lid_layers_in(std::vector{layer(0, 10, 12, 0.0), layer(10, 0, 67, 0.0)}).size(), 1u);
}

/// Slip below a lid: sizes of elements in it as far as `reach` times the station's distance, where
/// they become too large, and the error that was found late (docs/measured/accuracy.md).
double error(double reach, double maxwell_times, double slips) {
    const double lost = guide_lost(12e3, [&](double rho) { return rho < reach ? 24e3 : 100e3; });
    return guide_error({lost, maxwell_times, 1.0, slips});
}

TEST(GuideError, BelowALidIsWhatWasFound) {
    // A lid of 12 km: rho, Maxwell times and what was found.
    const struct {
        double rho, maxwell_times, found;
    } runs[] = {{1.15, 7.6, 0.14},   {1.49, 7.6, 0.067},  {1.52, 7.6, 0.059},
                {1.85, 7.6, 0.029},  {1.96, 7.6, 0.0196}, {2.0, 7.6, 0.028},
                {2.34, 7.6, 0.0139}, {2.44, 7.6, 0.0138}, {1.15, 0.76, 0.0225}};
    for (const auto& run : runs) {
        const double times = error(run.rho, run.maxwell_times, 0.0) / run.found;
        EXPECT_GT(times, 1.0) << run.rho;
        EXPECT_LT(times, 3.5) << run.rho;
    }
    EXPECT_NEAR(error(1.15, 0.0, 0.0) / 0.005, 1.0, 0.3) << "right after the slip";
}

TEST(GuideError, OfALidWithoutSizesIsAllOfTheChange) {
    // A lid of 25 km, 3 km at the fault and growth 0.4, ten Maxwell times: 20, 25 and 93 % at 172,
    // 237 and 327 km.
    const auto at = [](double km) {
        return guide_error(
            {guide_lost(25e3, [&](double rho) { return 3e3 + 0.4e3 * rho * km; }), 10.0, 1.0, 0.0});
    };

    EXPECT_GT(at(172.0), 0.20);
    EXPECT_LT(at(172.0), 0.60);
    EXPECT_GT(at(237.0), 0.25);
    EXPECT_GT(at(327.0), 0.93);
}

TEST(GuideError, IsLessWhereTheSlipIsInTheGuide) {
    EXPECT_NEAR(error(1.9, 10.0, 1.0) / error(1.9, 10.0, 0.0), 0.125, 1e-12);
    EXPECT_EQ(error(1.9, 10.0, 0.3), error(1.9, 10.0, 1.0));
    EXPECT_EQ(error(0.07, 10.0, 0.0), 1.0);
}

}  // namespace
}  // namespace kaname::layer_guides_test
