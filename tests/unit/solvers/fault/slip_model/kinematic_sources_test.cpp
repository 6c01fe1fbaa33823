// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/kinematic_sources.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "solvers/base/units.hpp"
#include "solvers/fault/place_on_map.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::kinematic_sources_test {
namespace {

constexpr double kMu_pa = 3e10;
double uniform(const Vec3&) {
    return kMu_pa;
}
/// Soft above 3 km, water above 1 km.
double layered(const Vec3& x) {
    return x.z > -1000.0 ? 0.0 : x.z > -3000.0 ? 1e10 : 4e10;
}

const char* const kColumns =
    "east_centre_km,north_centre_km,depth_centre_km,length_km,width_km,strike_deg,dip_deg,rake_deg,"
    "slip_m,rupture_time_s,rise_time_s\n";

/// A vertical plane to the north of n x 2 patches of 4 x 2 km; times 1 s + 0.5 s / km to the north
/// + 0.2 s / km down.
SlipModel plane(int n) {
    std::string rows = kColumns;
    for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < n; ++i) {
            const double north = 2.0 + 4.0 * i, depth = 1.0 + 2.0 * j;
            rows += "0," + std::to_string(north) + "," + std::to_string(depth) + ",4,2,0,90,30," +
                    std::to_string(1 + i + j) + "," +
                    std::to_string(1.0 + 0.5 * north + 0.2 * depth) + ",1.5\n";
        }
    }
    return read_text("a.csv", rows);
}

double scalar(const std::array<double, 6>& m) {
    return std::sqrt(0.5 * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) + m[3] * m[3] + m[4] * m[4] +
                     m[5] * m[5]);
}

double whole(const std::vector<KinematicPoint>& points) {
    return std::accumulate(
        points.begin(), points.end(), 0.0,
        [](double sum, const KinematicPoint& point) { return sum + scalar(point.moment_nm); });
}

KinematicOptions spacing(double spacing_m) {
    KinematicOptions options;
    options.spacing_m = spacing_m;
    return options;
}

TEST(KinematicSources, MomentsAddUpToThePatches) {
    const SlipModel model = plane(3);
    const PlacedModel placed = place(model, Vec3{});
    for (const double spacing_m : {1e5, 2000.0, 700.0, 130.0}) {
        for (const auto& mu : {uniform, layered}) {
            const double moment_nm = seismic_moment(placed, mu).moment_nm;
            const auto points = kinematic_sources(model, placed, mu, spacing(spacing_m));
            EXPECT_NEAR(whole(points) / moment_nm, 1.0, 1e-12) << spacing_m;
        }
    }
    EXPECT_EQ(kinematic_sources(model, placed, uniform, spacing(1e5)).size(), 6u);
    // 6 by 3 points of each patch.
    EXPECT_EQ(kinematic_sources(model, placed, uniform, spacing(700.0)).size(), 6u * 6 * 3);
    for (const KinematicPoint& point : kinematic_sources(model, placed, layered, spacing(700.0))) {
        EXPECT_LE(point.at_m.z, -1000.0);
    }
}

TEST(KinematicSources, TensorsAreThoseOfAkiAndRichards) {
    for (const double strike : {0.0, 35.0, 210.0}) {
        for (const double dip : {20.0, 65.0, 90.0}) {
            for (const double rake : {0.0, 90.0, -120.0, 160.0}) {
                const SlipModel model = read_text(
                    "a.csv", std::string(kColumns) + "0,0,10,4,2," + std::to_string(strike) + "," +
                                 std::to_string(dip) + "," + std::to_string(rake) + ",1,0,1\n");
                const auto points =
                    kinematic_sources(model, place(model, Vec3{}), uniform, spacing(1e5));
                ASSERT_EQ(points.size(), 1u);
                const double p = strike * kDegree, d = dip * kDegree, l = rake * kDegree;
                using std::cos, std::sin;
                const double xx =
                    -sin(d) * cos(l) * sin(2 * p) - sin(2 * d) * sin(l) * sin(p) * sin(p);
                const double yy =
                    sin(d) * cos(l) * sin(2 * p) - sin(2 * d) * sin(l) * cos(p) * cos(p);
                const double xy =
                    sin(d) * cos(l) * cos(2 * p) + 0.5 * sin(2 * d) * sin(l) * sin(2 * p);
                const double xz = -cos(d) * cos(l) * cos(p) - cos(2 * d) * sin(l) * sin(p);
                const double yz = -cos(d) * cos(l) * sin(p) + cos(2 * d) * sin(l) * cos(p);
                const double zz = sin(2 * d) * sin(l);
                // From x north, y east, z down.
                const double expected[6] = {yy, xx, zz, -xz, -yz, xy};
                const double moment_nm = kMu_pa * 8e6;
                for (int k = 0; k < 6; ++k) {
                    EXPECT_NEAR(points[0].moment_nm[k] / moment_nm, expected[k], 1e-12)
                        << strike << " " << dip << " " << rake << " " << k;
                }
            }
        }
    }
}

TEST(KinematicSources, RuptureTimesLieOnStraightLinesBetweenPatches) {
    const SlipModel model = plane(3);
    const auto points = kinematic_sources(model, place(model, Vec3{}), uniform, spacing(500.0));
    double first_s = 1e9;
    for (const SlipPatch& patch : model.patches) {
        first_s = std::min(first_s, *patch.rupture_time_s);
    }
    for (const KinematicPoint& point : points) {
        const double time_s = 1.0 + 0.5e-3 * point.at_m.y - 0.2e-3 * point.at_m.z;
        EXPECT_NEAR(point.rate.span().from_s, std::max(time_s, first_s), 1e-9);
        EXPECT_NEAR(point.rate.span().until_s - point.rate.span().from_s, 1.5, 1e-12);
    }
}

TEST(KinematicSources, ShapesHaveTheRiseTimeAndTheWholeMoment) {
    SlipModel model = plane(1);
    for (SlipPatch& patch : model.patches) {
        patch.rise_time_s = 2.5;
    }
    for (const RateShape shape : {RateShape::Yoffe, RateShape::Triangle, RateShape::Cosine}) {
        KinematicOptions options = spacing(1e5);
        options.shape = shape;
        const auto points = kinematic_sources(model, place(model, Vec3{}), uniform, options);
        const auto span = points[0].rate.moment_rate_span();
        EXPECT_NEAR(span.until_s - span.from_s, 2.5, 1e-12);
        double sum = 0.0;
        for (int k = 0; k < 10000; ++k) {
            sum += points[0].rate.moment_rate_at(span.from_s + (k + 0.5) * 2.5e-4) * 2.5e-4;
        }
        EXPECT_NEAR(sum, 1.0, 1e-6);
    }
}

TEST(KinematicSources, RuptureGoesOutFromTheHypocentreAtAVelocity) {
    const SlipModel model = plane(2);
    KinematicOptions options = spacing(1000.0);
    options.hypocentre_m = Vec3{0.0, 1000.0, -2000.0};
    options.rupture_velocity_m_per_s = 2800.0;
    for (const KinematicPoint& point :
         kinematic_sources(model, place(model, Vec3{}), uniform, options)) {
        EXPECT_NEAR(point.rate.span().from_s, norm(point.at_m - *options.hypocentre_m) / 2800.0,
                    1e-12);
    }
}

TEST(KinematicSources, SeriesOfRatesAreTakenAsTheyAre) {
    const SlipModel model = read_text(
        "a.srf",
        "1.0\nPOINTS 1\n140 36 5 90 60 2e10 1.5 0.1\n0 30 2 40 3 0 0\n200 100\n100 200 100\n");
    const PlacedModel placed = fault::place_on_map(model, earth::Projection({140.0, 36.0}));
    const auto points = kinematic_sources(model, placed, uniform, spacing(10.0));

    ASSERT_EQ(points.size(), 2u);
    EXPECT_NEAR(scalar(points[0].moment_nm), kMu_pa * 2e6 * 0.3, 1e-6 * kMu_pa);
    EXPECT_NEAR(scalar(points[1].moment_nm), kMu_pa * 2e6 * 0.4, 1e-6 * kMu_pa);
    // Together the tensor of slip of 0.5 m.
    std::array<double, 6> sum{};
    for (int k = 0; k < 6; ++k) {
        sum[k] = points[0].moment_nm[k] + points[1].moment_nm[k];
    }
    EXPECT_NEAR(scalar(sum) / seismic_moment(placed, uniform).moment_nm, 1.0, 1e-12);
    // 1, 2, 1 and then 0 m/s every 0.1 s, which is 0.35 m.
    EXPECT_DOUBLE_EQ(points[1].rate.moment_rate_at(1.6), 2.0 / 0.35);
    EXPECT_DOUBLE_EQ(points[1].rate.moment_rate_at(1.55), 1.5 / 0.35);
    EXPECT_EQ(points[1].rate.moment_rate_at(1.49), 0.0);
}

TEST(KinematicSources, RatesOfLargePatchesAreDividedAsWell) {
    SlipModel model = plane(2);
    for (SlipPatch& patch : model.patches) {
        patch.rates = {{patch.slip_m, patch.rake_deg, 0.5, {0.0, 1.0, 0.0}}};
    }
    const PlacedModel placed = place(model, Vec3{});
    const auto points = kinematic_sources(model, placed, uniform, spacing(1000.0));
    EXPECT_EQ(points.size(), 4u * 4 * 2);
    EXPECT_NEAR(whole(points) / seismic_moment(placed, uniform).moment_nm, 1.0, 1e-12);
    for (const KinematicPoint& point : points) {
        const double onset_s = point.rate.span().from_s;
        EXPECT_GE(onset_s, *model.patches[0].rupture_time_s);
        EXPECT_NEAR(point.rate.moment_rate_at(onset_s + 0.5), 2.0, 1e-9);
    }
}

TEST(KinematicSources, PublishedModelsKeepTheirMoment) {
    for (const char* name : {"wharton2016_usgs.fsp", "antofagasta1995_usgs.param"}) {
        const SlipModel model = read_slip_model(real_file(name));
        const SlipPatch& middle = model.patches[model.patches.size() / 2];
        const PlacedModel placed =
            fault::place_on_map(model, earth::Projection({middle.lon_deg, middle.lat_deg}));
        KinematicOptions options = spacing(1500.0);
        options.rise_time_s = 3.6;
        const auto points = kinematic_sources(model, placed, layered, options);
        EXPECT_NEAR(whole(points) / seismic_moment(placed, layered).moment_nm, 1.0, 1e-12);
        EXPECT_GT(points.size(), 10 * model.patches.size());
        for (const KinematicPoint& point : points) {
            EXPECT_GE(point.rate.span().from_s, 0.0);
        }
    }
}

std::string refused(const SlipModel& model, const KinematicOptions& options) {
    try {
        (void)kinematic_sources(model, place(model, Vec3{}), uniform, options);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(KinematicSources, WhatIsMissingIsNamed) {
    SlipModel model = plane(1);
    KinematicOptions options = spacing(0.0);
    EXPECT_EQ(refused(model, options), "spacing: must be > 0, got 0");
    options = spacing(1e-3);
    EXPECT_EQ(refused(model, options), "spacing: 0.001 m makes more than 2000000 points");
    options = spacing(1000.0);
    options.hypocentre_m = Vec3{};
    EXPECT_EQ(refused(model, options),
              "rupture velocity and hypocentre: must be given both or neither");
    options = spacing(1000.0);
    const std::string id = model.patches[0].id;
    model.patches[0].rise_time_s = 0.0;
    const std::string rise =
        "patch " + id + ": rise time: the slip model has none, or 0, state one for such patches";
    EXPECT_EQ(refused(model, options), rise);
    model.patches[0].rise_time_s.reset();
    EXPECT_EQ(refused(model, options), rise);
    options.rise_time_s = 1.0;
    model.patches[0].rupture_time_s.reset();
    EXPECT_EQ(refused(model, options),
              "patch " + id +
                  ": rupture time: the slip model has none, state rupture velocity and "
                  "hypocentre");
    model.patches[0].opening_m = 0.1;
    EXPECT_EQ(refused(model, options),
              "patch " + id + ": opening: 0.1 m, must be 0 in a rupture that makes waves");
}

}  // namespace
}  // namespace kaname::slip_model::kinematic_sources_test
