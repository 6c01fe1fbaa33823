// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/slip_sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/fault/place_on_map.hpp"
#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::slip_sampler_test {
namespace {

constexpr double kLength_m = 3000.0;
constexpr double kWidth_m = 2000.0;

/// n x m patches, strike 30, dip 50, upper edge at top_depth_m; slip (1 + i + 10 j) m, rake 40.
PlacedModel make_grid(int n, int m, double top_depth_m = 5000.0) {
    PlacedModel model;
    model.segments = {{30.0 * kDegree, 50.0 * kDegree}};
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < n; ++i) {
            PlacedPatch patch;
            patch.length_m = kLength_m;
            patch.width_m = kWidth_m;
            patch.strike_rad = 30.0 * kDegree;
            patch.dip_rad = 50.0 * kDegree;
            const Vec3 along = patch.along_strike();
            const Vec3 down = patch.down_dip();
            patch.centre = Vec3{1e4, -2e4, -top_depth_m} + (i * kLength_m) * along +
                           ((j + 0.5) * kWidth_m) * down;
            const double slip = 1.0 + i + 10.0 * j;
            patch.slip_m = (slip * std::cos(40.0 * kDegree)) * along -
                           (slip * std::sin(40.0 * kDegree)) * down;
            model.patches.push_back(patch);
        }
    }
    return model;
}

/// Point at patch indices (i, j), off_m into the hanging wall.
Vec3 at(const PlacedModel& model, double i, double j, double off_m = 0.0) {
    const PlacedPatch& first = model.patches.front();
    return first.centre + (i * kLength_m) * first.along_strike() +
           (j * kWidth_m) * first.down_dip() + off_m * first.normal();
}

/// Integral of |slip| over a surface given as points with weights [m^2], over the potency of the
/// patches: 1 where the surface picks up the whole model.
double potency_ratio(const SlipSampler& sampler, const std::vector<Vec3>& points,
                     const std::vector<double>& weights_m2) {
    double sum = 0.0;
    for (std::size_t k = 0; k < points.size(); ++k) {
        sum += weights_m2[k] * norm(sampler.slip_at(points[k]));
    }
    return sum / sampler.given_potency_m3();
}

/// Midpoint rule over the grid's plane, `around` patches beyond it; cells above z = 0 left out.
double ratio_on_plane(const PlacedModel& model, const SlipSampler& sampler, int n, int m,
                      double around = 2.0) {
    constexpr int kCells = 20;  // per patch
    std::vector<Vec3> points;
    std::vector<double> weights;
    const int n_u = static_cast<int>((n + 2.0 * around) * kCells);
    const int n_v = static_cast<int>((m + 2.0 * around) * kCells);
    for (int v = 0; v < n_v; ++v) {
        for (int u = 0; u < n_u; ++u) {
            const Vec3 x =
                at(model, (u + 0.5) / kCells - around - 0.5, (v + 0.5) / kCells - around - 0.5);
            if (x.z < 0.0) {
                points.push_back(x);
                weights.push_back(kLength_m * kWidth_m / (kCells * kCells));
            }
        }
    }
    return potency_ratio(sampler, points, weights);
}

TEST(SlipSampler, CentresHaveTheirPatchesSlipWhateverTheOrderOfRows) {
    PlacedModel model = make_grid(4, 3);
    std::rotate(model.patches.begin() + 1, model.patches.begin() + 7, model.patches.end());
    std::swap(model.patches[2], model.patches[9]);

    const SlipSampler sampler(model, {});

    EXPECT_EQ(sampler.grids()[0].n_strike, 4);
    EXPECT_EQ(sampler.grids()[0].n_dip, 3);
    for (const PlacedPatch& patch : model.patches) {
        EXPECT_NEAR(norm(sampler.slip_at(patch.centre) - patch.slip_m), 0.0, 1e-9);
    }
}

TEST(SlipSampler, BilinearBetweenCentresAndTaperedBeyondThem) {
    const PlacedModel model = make_grid(4, 3);
    const SlipSampler sampler(model, {});
    const auto size = [&](double i, double j) { return norm(sampler.slip_at(at(model, i, j))); };

    EXPECT_NEAR(size(1.25, 0.5), 1.0 + 1.25 + 10.0 * 0.5, 1e-9);
    EXPECT_NEAR(size(-0.5, 1.0), 0.5 * 11.0, 1e-9);  // at the edge of the outer patch
    EXPECT_NEAR(size(-0.75, 1.0), 0.25 * 11.0, 1e-9);
    EXPECT_NEAR(size(-1.0, 1.0), 0.0, 1e-9);         // half a patch beyond it
    EXPECT_NEAR(size(3.5, 2.5), 0.25 * 24.0, 1e-9);  // the last patch's corner
    EXPECT_EQ(size(1.0, 3.01), 0.0);
}

TEST(SlipSampler, BilinearKeepsThePotency) {
    const PlacedModel model = make_grid(4, 3);

    const SlipSampler sampler(model, {});

    EXPECT_NEAR(ratio_on_plane(model, sampler, 4, 3), 1.0, 1e-9);
}

TEST(SlipSampler, ConstantKeepsThePotencyWithJumps) {
    const PlacedModel model = make_grid(4, 3);
    const SlipSampler sampler(model, {Interpolation::Constant, {}});

    EXPECT_NEAR(ratio_on_plane(model, sampler, 4, 3), 1.0, 1e-9);
    EXPECT_NEAR(norm(sampler.slip_at(at(model, 1.49, 0.0))), 2.0, 1e-9);
    EXPECT_NEAR(norm(sampler.slip_at(at(model, 1.51, 0.0))), 3.0, 1e-9);
    EXPECT_EQ(norm(sampler.slip_at(at(model, -0.51, 0.0))), 0.0);
}

TEST(SlipSampler, ModelThatReachesTheSurfaceKeepsSlippingUpToIt) {
    const PlacedModel model = make_grid(3, 2, 0.0);
    const SlipSampler sampler(model, {});

    EXPECT_TRUE(sampler.grids()[0].to_surface);
    EXPECT_NEAR(norm(sampler.slip_at(at(model, 1.0, -0.499))), 2.0, 1e-9);
    EXPECT_NEAR(ratio_on_plane(model, sampler, 3, 2), 1.0, 1e-9);
    EXPECT_FALSE(SlipSampler(make_grid(3, 2, 1000.0), {}).grids()[0].to_surface);
}

TEST(SlipSampler, ModelThatEndsUnderTheGroundIsNotRaisedToIt) {
    const PlacedModel model = make_grid(4, 4, 150.0);
    const SlipSampler sampler(model, {});

    EXPECT_FALSE(sampler.grids()[0].to_surface);
    EXPECT_TRUE(sampler.grids()[0].ends_at_top);
    EXPECT_NEAR(norm(sampler.slip_at(at(model, 1.0, -0.499))), 2.0, 1e-9);
    EXPECT_EQ(norm(sampler.slip_at(at(model, 1.0, -0.501))), 0.0);
    EXPECT_NEAR(ratio_on_plane(model, sampler, 4, 4), 1.0, 1e-9);
    // Where the taper has room it stays.
    EXPECT_FALSE(SlipSampler(make_grid(4, 4, 1000.0), {}).grids()[0].ends_at_top);
    EXPECT_GT(norm(SlipSampler(make_grid(4, 4, 1000.0), {}).slip_at(at(model, 1.0, -0.001))), 0.0);
}

TEST(SlipSampler, SegmentsOfFewPatchesDoNotSlipBeyondThem) {
    const SampleOptions automatic{Interpolation::Auto, {}};
    for (const auto& [n, m] : {std::pair{1, 1}, {3, 8}, {8, 3}}) {
        const PlacedModel model = make_grid(n, m);
        const SlipSampler sampler(model, automatic);

        EXPECT_FALSE(sampler.grids()[0].bilinear) << n << " x " << m;
        EXPECT_EQ(norm(sampler.slip_at(at(model, -0.51, 0.0))), 0.0);
        EXPECT_NEAR(ratio_on_plane(model, sampler, n, m), 1.0, 1e-9);
    }
    EXPECT_TRUE(SlipSampler(make_grid(4, 4), automatic).grids()[0].bilinear);
}

TEST(SlipSampler, ShareThatNeighboursCancelIsKnown) {
    PlacedModel model = make_grid(2, 2);
    for (std::size_t k = 0; k < 4; ++k) {
        const Vec3 along = model.patches[k].along_strike();
        model.patches[k].slip_m = k % 2 == 0 ? along : -1.0 * along;
    }
    const SlipSampler sampler(model, {});

    // Between the columns slip goes from 1 to -1: half of its size is left in a quarter of the
    // area.
    EXPECT_NEAR(1.0 - ratio_on_plane(model, sampler, 2, 2), 0.25, 1e-3);
    EXPECT_NEAR(sampler.cancelled_share(), 0.25, 1e-3);
    EXPECT_NEAR(SlipSampler(make_grid(2, 2), {}).cancelled_share(), 0.0, 1e-12);
}

TEST(SlipSampler, PointsFarFromThePlaneGetNothing) {
    const PlacedModel model = make_grid(4, 3);
    const SlipSampler by_default(model, {});
    const SlipSampler wide(model, {Interpolation::Bilinear, 5000.0});

    EXPECT_GT(norm(by_default.slip_at(at(model, 1.0, 1.0, 1999.0))), 1.0);
    EXPECT_EQ(norm(by_default.slip_at(at(model, 1.0, 1.0, -2001.0))), 0.0);
    EXPECT_GT(norm(wide.slip_at(at(model, 1.0, 1.0, -4999.0))), 1.0);
}

TEST(SlipSampler, PartOfTheModelThatNoPointPicksUpShowsInTheRatio) {
    const PlacedModel model = make_grid(4, 1);
    const SlipSampler sampler(model, {Interpolation::Constant, {}});
    std::vector<Vec3> points;
    for (const int i : {0, 1, 3}) {
        points.push_back(at(model, i, 0.0));
    }
    const std::vector<double> weights(3, kLength_m * kWidth_m);

    EXPECT_NEAR(potency_ratio(sampler, points, weights), (1.0 + 2.0 + 4.0) / 10.0, 1e-12);
}

TEST(SlipSampler, PlanesThatMeetAddUpToOneSurface) {
    // The lower half of the plane as a second segment: the same slip as in one piece.
    const PlacedModel whole = make_grid(4, 4);
    PlacedModel halves = whole;
    halves.segments.push_back(halves.segments[0]);
    for (std::size_t k = 8; k < halves.patches.size(); ++k) {
        halves.patches[k].segment = 1;
    }
    const SlipSampler one(whole, {});
    const SlipSampler two(halves, {});

    ASSERT_EQ(two.grids().size(), 2u);
    for (double j = -0.9; j < 4.0; j += 0.17) {
        const Vec3 x = at(whole, 1.3, j);
        EXPECT_NEAR(norm(one.slip_at(x) - two.slip_at(x)), 0.0, 1e-9) << j;
    }
}

TEST(SlipSampler, OfParallelPlanesOnlyTheNearestCounts) {
    PlacedModel model = make_grid(2, 2);
    const PlacedModel single = model;
    model.segments.push_back(model.segments[0]);
    for (PlacedPatch patch : single.patches) {
        patch.segment = 1;
        patch.centre += 1000.0 * patch.normal();
        patch.slip_m = 100.0 * patch.slip_m;
        model.patches.push_back(patch);
    }
    const SlipSampler sampler(model, {});

    EXPECT_NEAR(norm(sampler.slip_at(at(model, 0.0, 0.0, 400.0))), 1.0, 1e-9);
    EXPECT_NEAR(norm(sampler.slip_at(at(model, 0.0, 0.0, 600.0))), 100.0, 1e-9);
}

TEST(SlipSampler, WithoutAGridThePatchUnderThePointCounts) {
    PlacedModel model = make_grid(3, 3);
    model.patches[4].centre += 0.5 * kLength_m * model.patches[4].along_strike();
    const SlipSampler sampler(model, {});

    EXPECT_EQ(sampler.grids()[0].n_strike, 0);
    EXPECT_NEAR(norm(sampler.slip_at(at(model, 0.3, 0.3))), 1.0, 1e-9);
    EXPECT_NEAR(norm(sampler.slip_at(at(model, 0.7, 0.0))), 2.0, 1e-9);
    EXPECT_EQ(norm(sampler.slip_at(at(model, 0.8, 1.0))), 0.0);
    EXPECT_EQ(norm(sampler.slip_at(at(model, -0.6, 0.0))), 0.0);
}

TEST(SlipSampler, CellsThatAPublisherLeftOutDoNotSlipAndTheRestStaysBilinear) {
    // Columns 2 and 3 of 6, which part the grid in two, and a patch of a corner.
    PlacedModel whole = make_grid(6, 3);
    PlacedModel model = whole;
    std::erase_if(model.patches, [&](const PlacedPatch& patch) {
        const Vec3 off = patch.centre - whole.patches.front().centre;
        const double i = dot(off, patch.along_strike()) / kLength_m;
        return (i > 1.5 && i < 3.5) || norm(patch.centre - whole.patches[17].centre) < 1.0;
    });
    ASSERT_EQ(model.patches.size(), 11u);
    std::swap(model.patches[0], model.patches[10]);

    const SlipSampler sampler(model, {});

    EXPECT_EQ(sampler.grids()[0].n_strike, 6);
    EXPECT_EQ(sampler.grids()[0].n_dip, 3);
    EXPECT_EQ(sampler.grids()[0].patches, 11);
    const auto slip = [&](double i, double j) { return norm(sampler.slip_at(at(whole, i, j))); };
    EXPECT_NEAR(slip(0.5, 0.0), 1.5, 1e-9) << "bilinear";
    EXPECT_NEAR(slip(1.25, 1.0), 0.75 * 12.0, 1e-9) << "falls off into the gap";
    EXPECT_NEAR(slip(2.0, 1.0), 0.0, 1e-9);
    EXPECT_NEAR(slip(3.5, 1.0), 0.5 * 15.0, 1e-9);
    EXPECT_NEAR(slip(5.0, 2.0), 0.0, 1e-9);
    EXPECT_NEAR(ratio_on_plane(whole, sampler, 6, 3), 1.0, 1e-3);
}

TEST(SlipSampler, SlipTurnsIntoTheSurfaceAndKeepsItsSize) {
    PlacedModel model = make_grid(3, 3);
    const PlacedPatch& middle = model.patches[4];
    const Vec3 normal = middle.normal();
    const Vec3 down = middle.down_dip();
    const SlipSampler sampler(model, {});
    // Planes that turn about the strike axis: the up-dip part turns with them.
    const double turn = 20.0 * kDegree;
    const Vec3 other = std::cos(turn) * normal + std::sin(turn) * down;

    const Vec3 slip = sampler.slip_at(middle.centre, other);

    EXPECT_NEAR(dot(slip, other), 0.0, 1e-12);
    EXPECT_NEAR(norm(slip), norm(middle.slip_m), 1e-9);
    EXPECT_GT(dot(slip, middle.slip_m), 0.0);
    // Nothing is left where the surface stands across the slip, and it fades towards that.
    const Vec3 along_slip = normalized(middle.slip_m);
    EXPECT_NEAR(norm(sampler.slip_at(middle.centre, along_slip)), 0.0, 1e-9);
    const Vec3 near_it = normalized(along_slip + 0.1 * normal);
    EXPECT_LT(norm(sampler.slip_at(middle.centre, near_it)), 0.25 * norm(middle.slip_m));
}

TEST(SlipSampler, OpeningGoesAlongTheSurfacesNormal) {
    PlacedModel model = make_grid(1, 1);
    model.patches[0].slip_m = 2.0 * model.patches[0].normal();
    const SlipSampler sampler(model, {});
    const Vec3 up = {0.0, 0.0, 1.0};

    EXPECT_NEAR(norm(sampler.slip_at(model.patches[0].centre, up) - 2.0 * up), 0.0, 1e-12);
}

TEST(SlipSampler, RealModelsFormGrids) {
    struct Case {
        const char* file;
        earth::LonLat centre;
        std::vector<std::array<int, 2>> grids;
        double misfit;  ///< at the centres, of the slip's root mean square
    };
    const std::vector<Case> cases = {
        {"antofagasta1995_usgs.param", {-70.5, -23.8}, {{15, 7}, {15, 6}}, 0.01},
        {"wharton2016_usgs.fsp", {94.2, -4.9}, {{25, 9}}, 3e-4},
        {"samos2020_okuwaki.fsp", {26.8, 37.8}, {{21, 7}}, 3e-4},
    };
    for (const Case& one : cases) {
        const earth::Projection projection(one.centre);
        const PlacedModel model =
            fault::place_on_map(read_slip_model(real_file(one.file)), projection);
        const SlipSampler sampler(model, {});

        ASSERT_EQ(sampler.grids().size(), one.grids.size()) << one.file;
        for (std::size_t k = 0; k < one.grids.size(); ++k) {
            EXPECT_EQ(sampler.grids()[k].n_strike, one.grids[k][0]) << one.file;
            EXPECT_EQ(sampler.grids()[k].n_dip, one.grids[k][1]) << one.file;
        }
        // Positions are rounded to 1e-4 degrees. Where the two planes of Antofagasta meet, at an
        // angle of 4 degrees, the taper of one reaches a little over the centres of the other.
        double misfit = 0.0;
        double size = 0.0;
        for (const PlacedPatch& patch : model.patches) {
            const Vec3 difference = sampler.slip_at(patch.centre) - patch.slip_m;
            misfit += dot(difference, difference);
            size += dot(patch.slip_m, patch.slip_m);
        }
        EXPECT_LT(std::sqrt(misfit / size), one.misfit) << one.file;
    }
}

/// Ratio on the plane of a model's only segment, from the mean of its centres.
double ratio_on_segment(const PlacedModel& model) {
    PlacedPatch plane = model.patches.front();
    plane.strike_rad = model.segments[0].strike_rad;
    plane.dip_rad = model.segments[0].dip_rad;
    Vec3 mean;
    for (const PlacedPatch& patch : model.patches) {
        mean += 1.0 / static_cast<double>(model.patches.size()) * patch.centre;
    }
    const SlipSampler sampler(model, {});
    constexpr double kStep_m = 500.0;
    constexpr int kReach = 300;  // 150 km both ways: more than the models and their tapers
    std::vector<Vec3> points;
    for (int v = -kReach; v < kReach; ++v) {
        for (int u = -kReach; u < kReach; ++u) {
            const Vec3 x = mean + ((u + 0.5) * kStep_m) * plane.along_strike() +
                           ((v + 0.5) * kStep_m) * plane.down_dip();
            if (x.z < 0.0) {
                points.push_back(x);
            }
        }
    }
    return potency_ratio(sampler, points, std::vector<double>(points.size(), kStep_m * kStep_m));
}

TEST(SlipSampler, RealModelsKeepTheirPotencyOrTellWhatIsLost) {
    PlacedModel samos = fault::place_on_map(read_slip_model(real_file("samos2020_okuwaki.fsp")),
                                            earth::Projection({26.8, 37.8}));
    PlacedModel wharton = fault::place_on_map(read_slip_model(real_file("wharton2016_usgs.fsp")),
                                              earth::Projection({94.2, -4.9}));
    const double of_samos = ratio_on_segment(samos);
    const double of_wharton = ratio_on_segment(wharton);

    // Between patches that slip in different directions the vectors partly cancel.
    EXPECT_NEAR(of_samos, 0.9771, 1e-4);
    for (PlacedPatch& patch : samos.patches) {
        patch.slip_m = {0.0, 0.0, norm(patch.slip_m)};
    }
    EXPECT_NEAR(ratio_on_segment(samos), 1.0, 1e-3);
    // Wharton's upper edge is 0.9 km deep: its first row ends there instead of tapering into the
    // air.
    EXPECT_NEAR(of_wharton, 0.9899, 1e-4);
    for (PlacedPatch& patch : wharton.patches) {
        patch.centre.z -= 3000.0;
        patch.slip_m = {0.0, 0.0, norm(patch.slip_m)};
    }
    // Some slip stays missing at depth. The model's centres are 10 km apart on a sphere of 111.2 km
    // per degree, where WGS84 has 110.6 km per degree of latitude near the equator.
    EXPECT_NEAR(ratio_on_segment(wharton), 110.6 / 111.2, 1e-3);
}

TEST(SlipSampler, NonsenseIsRefused) {
    EXPECT_THROW(SlipSampler(PlacedModel{}, {}), Error);
    EXPECT_THROW(SlipSampler(make_grid(1, 1), {Interpolation::Bilinear, 0.0}), Error);
}

}  // namespace
}  // namespace kaname::slip_model::slip_sampler_test
