// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "solvers/fault/slip_model/patch_rules.hpp"
#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::usgs_geojson_test {
namespace {

/// A polygon with corners as the USGS rounds them: from `corner` along strike, then down dip.
std::string feature(const Place& corner, double strike_deg, double dip_deg, double slip_m) {
    const PlaneAxes axes = plane_axes(strike_deg * kDegree, dip_deg * kDegree);
    const Vec3 along = 3000.0 * axes.along_strike, down = 2500.0 * axes.down_dip;
    std::string ring;
    for (const Vec3& at : {Vec3{}, along, along + down, down, Vec3{}}) {
        const Place place = moved(corner, at);
        char text[96];
        std::snprintf(text, sizeof text, "%s[%.4f, %.4f, %.5f]", ring.empty() ? "" : ", ",
                      place.lon_deg, place.lat_deg, place.depth_m);
        ring += text;
    }
    return R"({"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[)" + ring +
           R"(]]}, "properties": {"slip": )" + std::to_string(slip_m) +
           R"(, "rake": 40.5, "sf_moment": 1.2e18, "trup": 3.5, "rise": 2.0}})";
}

std::string collection(const std::string& features) {
    return R"({"type": "FeatureCollection", "metadata": {"epicenter": {"lat": 18.4, "lon": -73.5,
        "depth": 10.0, "mag": 6.6, "moment": 1.1e19, "location": "MADE UP"}},
        "features": [)" +
           features + "]}";
}

/// Two by two patches of one plane.
std::string grid(double strike_deg, double dip_deg) {
    const PlaneAxes axes = plane_axes(strike_deg * kDegree, dip_deg * kDegree);
    std::string all;
    for (int k = 0; k < 4; ++k) {
        const Place corner = moved({-73.6, 18.44, 4000.0}, (k % 2 * 3000.0) * axes.along_strike +
                                                               (k / 2 * 2500.0) * axes.down_dip);
        all += (all.empty() ? "" : ", ") + feature(corner, strike_deg, dip_deg, 1.0 + k);
    }
    return all;
}

TEST(UsgsGeojson, PolygonsAreThePatchesOfOneSegment) {
#ifndef KANAME_HAVE_JSON
    GTEST_SKIP() << "built without JSON";
#endif
    const SlipModel model = read_text("FFM.geojson", collection(grid(278.0, 66.0)));

    ASSERT_EQ(model.patches.size(), 4u);
    EXPECT_EQ(model.segments.size(), 1u);
    EXPECT_EQ(model.format, SlipFormat::UsgsGeojson);
    EXPECT_EQ(model.name, "MADE UP");
    EXPECT_EQ(model.published_moment_nm, 1.1e19);
    const SlipPatch& patch = model.patches[3];
    EXPECT_NEAR(patch.strike_deg, 278.0, 0.3);
    EXPECT_NEAR(patch.dip_deg, 66.0, 0.3);
    EXPECT_NEAR(patch.length_m, 3000.0, 15.0);
    EXPECT_NEAR(patch.width_m, 2500.0, 15.0);
    EXPECT_NEAR(patch.depth_m, 4000.0 + 1.5 * 2500.0 * std::sin(66.0 * kDegree), 1.0);
    EXPECT_EQ(patch.rake_deg, 40.5);
    EXPECT_EQ(patch.slip_m, 4.0);
    EXPECT_EQ(patch.moment_nm, 1.2e18);
    EXPECT_EQ(patch.rupture_time_s, 3.5);
}

TEST(UsgsGeojson, StrikeOfAVerticalPatchIsThatOfItsFirstEdge) {
#ifndef KANAME_HAVE_JSON
    GTEST_SKIP() << "built without JSON";
#endif
    for (const double strike_deg : {109.0, 289.0}) {
        const SlipModel model = read_text("a.json", collection(grid(strike_deg, 90.0)));

        EXPECT_NEAR(model.patches[0].strike_deg, strike_deg, 0.3);
        EXPECT_NEAR(model.patches[0].dip_deg, 90.0, 0.1);
    }
}

TEST(UsgsGeojson, FaultsNameThePatch) {
#ifndef KANAME_HAVE_JSON
    GTEST_SKIP() << "built without JSON";
#endif
    std::string without = grid(278.0, 66.0);
    without.replace(without.rfind("\"rake\""), 6, "\"rack\"");

    EXPECT_EQ(refusal("a.geojson", collection(without)),
              "a.geojson: features[3]: rake: must be given, a finite number");
    EXPECT_NE(refusal("a.geojson", "{\"features\": [").find("a.geojson: is not JSON"),
              std::string::npos);
    EXPECT_EQ(refusal("a.geojson", "{}"),
              "a.geojson: features: must be the list of patches of a FeatureCollection");
    EXPECT_EQ(refusal("a.geojson", R"({"features": [{"geometry": {"coordinates": [[[0, 0]]]}}]})"),
              "a.geojson: features[0]: geometry: must be a polygon of four corners, the first of "
              "them repeated");
}

}  // namespace
}  // namespace kaname::slip_model::usgs_geojson_test
