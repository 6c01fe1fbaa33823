// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "tests/unit/solvers/io/small_greens.hpp"
#include "worker/compute/dataset_report.hpp"

namespace kaname::compute::dataset_map_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

v1::DatasetMap reported(const io::GreensDataset& dataset) {
    return report::parse<v1::DatasetMap>(report::to_json(dataset_map(dataset)), "map");
}

TEST(DatasetMap, SourcesOfAPatchStandTogether) {
    const io::GreensDataset dataset = io::small_greens();

    const v1::DatasetMap map = reported(dataset);

    ASSERT_EQ(map.patches_size(), 6);
    EXPECT_EQ(map.patches(1).id(), "s01d00");
    EXPECT_EQ(map.patches(1).sources_size(), 2);
    EXPECT_EQ(map.patches(1).sources(1).index(), 3U);
    EXPECT_EQ(map.patches(1).sources(1).id(), "s01d00/dip_slip");
    EXPECT_EQ(map.patches(1).sources(1).status(), "done");
    EXPECT_EQ(map.patches(1).lon_deg(), 135.75);
    ASSERT_EQ(map.patches(1).outline_lon_deg_size(), 4);
    EXPECT_EQ(map.patches(1).outline_lon_deg(1), 136.0);
    EXPECT_EQ(map.patches(1).outline_depth_m(2), 1e4);
    EXPECT_EQ(map.patches(1).outline_x_m_size(), 0);
    ASSERT_EQ(map.stations_size(), 4);
    EXPECT_EQ(map.stations(2).id(), "室戸");
    EXPECT_EQ(map.stations(2).lat_deg(), 33.3);
    EXPECT_TRUE(map.geographic());
    EXPECT_EQ(map.units(), "m m-1");
    EXPECT_EQ(map.components(2), "up");
}

TEST(DatasetMap, WhatIsNoPlaceHasNone) {
    io::GreensDataset dataset = io::small_greens();
    dataset.sources.resize(1);
    io::GreensDataset::Source& source = dataset.sources[0];
    source.status = 2;
    source.failure = "residual";
    source.lon_deg = source.lat_deg = source.depth_m = kNan;
    source.outline_lon_deg[2] = kNan;

    const v1::DatasetMap map = reported(dataset);

    EXPECT_FALSE(map.patches(0).has_lon_deg());
    EXPECT_FALSE(map.patches(0).has_depth_m());
    EXPECT_EQ(map.patches(0).outline_lon_deg_size(), 0);
    EXPECT_EQ(map.patches(0).outline_depth_m_size(), 0);
    EXPECT_EQ(map.patches(0).sources(0).failure(), "residual");
    EXPECT_EQ(map.status_counts().failed(), 1U);
}

TEST(DatasetMap, AMeshOfOnesOwnHasItsOwnCoordinates) {
    io::GreensDataset dataset = io::small_greens();
    dataset.projected = false;

    const v1::DatasetMap map = reported(dataset);

    EXPECT_FALSE(map.geographic());
    EXPECT_FALSE(map.has_projection());
    EXPECT_FALSE(map.patches(1).has_lon_deg());
    EXPECT_EQ(map.patches(1).x_m(), 1e4);
    EXPECT_EQ(map.patches(1).outline_x_m(1), 2e4);
}

/// On a sphere of the Earth's size a degree of latitude is 111 km; the ellipsoid is within 1 %.
TEST(DatasetMap, TheBoxIsTurnedClockwise) {
    io::GreensDataset dataset = io::small_greens();
    dataset.specification_json =
        R"({"region":{"centre_lon_deg":135,"centre_lat_deg":33,"size_east_m":200000,)"
        R"("size_north_m":400000,"azimuth_deg":90}})";

    const v1::DatasetMap map = reported(dataset);

    const auto& of = map.projection();
    ASSERT_EQ(of.box_lon_deg_size(), 4);
    EXPECT_EQ(of.azimuth_deg(), 90);
    // Its south-west corner lies in the north-west after the turn.
    EXPECT_NEAR(of.box_lat_deg(0), 33 + 100 / 111.0, 0.02);
    EXPECT_NEAR(of.box_lon_deg(0), 135 - 200 / (111.3 * std::cos(33 * M_PI / 180)), 0.05);
    EXPECT_NEAR(of.box_lat_deg(2), 33 - 100 / 111.0, 0.02);
    EXPECT_GT(of.box_lon_deg(2), 136.9);

    dataset.specification_json = "no JSON";
    EXPECT_EQ(reported(dataset).projection().box_lon_deg_size(), 0);
    EXPECT_EQ(reported(dataset).projection().wkt(), dataset.crs_wkt);
}

io::SolveRecords two_sources() {
    return {.sources = {"a/dip_slip", "b/dip_slip"},
            .status = {1, 0},
            .step_time_s = {0, 10, 30},
            .iterations = {9, 4, 5, -1, -1, -1},
            .residual = {1e-9, 2e-9, 3e-9, kNan, kNan, kNan},
            .initial_residual = {1, 0.1, 0.2, kNan, kNan, kNan},
            .shift_per_s = {}};
}

TEST(SolveHistory, EachStepIsTold) {
    const v1::SolveHistory history = solve_history(two_sources(), {});

    EXPECT_EQ(history.method(), "stepping");
    EXPECT_EQ(history.step_time_s(2), 30);
    ASSERT_EQ(history.sources_size(), 2);
    EXPECT_EQ(history.sources(0).iterations(1), 4);
    EXPECT_EQ(history.sources(0).residual(2), 3e-9);
    EXPECT_EQ(history.sources(1).status(), "missing");
    EXPECT_TRUE(std::isnan(history.sources(1).residual(0)));
    EXPECT_EQ(solve_history(two_sources(), {"b/dip_slip"}).sources(0).id(), "b/dip_slip");
}

TEST(SolveHistory, ASpectrumHasShifts) {
    io::SolveRecords records = two_sources();
    records.shift_per_s = {kNan, 1e-9, 2e-9, kNan, 1e-9, 2e-9};

    const v1::SolveHistory history = solve_history(records, {"a/dip_slip"});

    EXPECT_EQ(history.method(), "spectrum");
    EXPECT_EQ(history.step_time_s_size(), 0);
    EXPECT_EQ(history.sources(0).shift_per_s(2), 2e-9);
}

TEST(SolveHistory, UnknownSourcesAndTooManyNumbersAreRefused) {
    EXPECT_THROW((void)solve_history(two_sources(), {"c"}), ValidationError);
    io::SolveRecords many;
    many.sources.assign(1001, "s");
    many.step_time_s.assign(1000, 0);
    EXPECT_THROW((void)solve_history(many, {}), ValidationError);
}

}  // namespace
}  // namespace kaname::compute::dataset_map_test
