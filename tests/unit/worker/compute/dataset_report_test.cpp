// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/dataset_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "proto/report/report.hpp"

namespace kaname::compute::dataset_report_test {
namespace {

/// Two sources (the second failed), one epoch, two stations, three steps.
io::GreensDataset small_dataset() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    io::GreensDataset dataset;
    dataset.name = "tiny";
    dataset.sources.resize(2);
    dataset.sources[0].id = "s00d00/dip_slip";
    dataset.sources[0].status = 1;
    dataset.sources[1].id = "s01d00/dip_slip";
    dataset.sources[1].status = 2;
    dataset.sources[1].failure = "residual 1e-3 after 500 iterations";
    dataset.epochs_s = {0.0};
    dataset.stations.resize(2);
    dataset.greens = {0.1, -0.2, 0.0, 0.3, 0.0, -0.4, nan, nan, nan, nan, nan, nan};
    dataset.step_time_s = {0.0, 1.0, 2.0};
    dataset.iterations = {10, 4, 4, 9, -1, -1};
    dataset.dof = 99;
    dataset.specification_json = R"({"name":"tiny"})";
    return dataset;
}

/// The report as its readers get it.
v1::DatasetReport reported(const io::GreensDataset& dataset,
                           const std::vector<std::string>& fields = {}) {
    return report::parse<v1::DatasetReport>(report::to_json(dataset_report(dataset, fields)),
                                            "dataset");
}

TEST(DatasetReport, CountsStatesAndPassesOverNan) {
    const v1::DatasetReport report = reported(small_dataset());

    EXPECT_EQ(report.status_counts().done(), 1U);
    EXPECT_EQ(report.status_counts().failed(), 1U);
    EXPECT_EQ(report.status_counts().missing(), 0U);
    EXPECT_FALSE(report.status_counts().has_unknown());
    EXPECT_EQ(report.max_displacement_m().east(), 0.3);
    EXPECT_EQ(report.max_displacement_m().north(), 0.2);
    EXPECT_EQ(report.max_displacement_m().up(), 0.4);
    EXPECT_DOUBLE_EQ(report.max_displacement_m().vector(), 0.5);
    EXPECT_DOUBLE_EQ(report.mean_iterations(), 27.0 / 4.0);
}

TEST(DatasetReport, MovedSidesAreNotPerMetreOfSlip) {
    io::GreensDataset dataset = small_dataset();
    dataset.sources[1].status = 1;
    dataset.sources[1].component = "boundary";
    dataset.sources[1].depth_m = std::numeric_limits<double>::quiet_NaN();
    std::fill(dataset.greens.begin() + 6, dataset.greens.end(), 7.0);

    const v1::DatasetReport report = reported(dataset);

    EXPECT_DOUBLE_EQ(report.max_displacement_m().vector(), 0.5);
    EXPECT_DOUBLE_EQ(report.sources(1).max_displacement_m(), std::hypot(7.0, 7.0, 7.0));
    EXPECT_FALSE(report.sources(1).has_depth_m());
}

TEST(DatasetReport, DescribesEachSource) {
    const v1::DatasetReport report = reported(small_dataset());

    const v1::DatasetReport::Source& done = report.sources(0);
    EXPECT_EQ(done.status(), "done");
    EXPECT_DOUBLE_EQ(done.max_displacement_m(), 0.5);
    EXPECT_DOUBLE_EQ(done.mean_iterations(), 6.0);
    EXPECT_FALSE(done.has_failure());
    EXPECT_TRUE(done.has_lon_deg());
    EXPECT_FALSE(done.has_x_m());
    const v1::DatasetReport::Source& failed = report.sources(1);
    EXPECT_EQ(failed.status(), "failed");
    EXPECT_FALSE(failed.has_max_displacement_m());
    EXPECT_EQ(failed.failure(), "residual 1e-3 after 500 iterations");
}

TEST(DatasetReport, AStatusThatIsNotKnownIsCounted) {
    io::GreensDataset dataset = small_dataset();
    dataset.sources[1].status = 7;

    const v1::DatasetReport report = reported(dataset);

    EXPECT_EQ(report.sources(1).status(), "unknown");
    EXPECT_EQ(report.status_counts().unknown(), 1U);
}

TEST(DatasetReport, HasDimsAndProvenance) {
    const v1::DatasetReport report = reported(small_dataset());

    EXPECT_EQ(report.dims().source(), 2U);
    EXPECT_EQ(report.dims().epoch(), 1U);
    EXPECT_EQ(report.dims().station(), 2U);
    EXPECT_EQ(report.dims().component(), 3U);
    EXPECT_EQ(report.dims().step(), 3U);
    EXPECT_EQ(report.provenance().dof(), 99U);
    EXPECT_EQ(report.provenance().specification().fields().at("name").string_value(), "tiny");
}

TEST(DatasetReport, PlacesOfAModelWithoutProjectionAreInMetres) {
    io::GreensDataset dataset = small_dataset();
    dataset.projected = false;

    const v1::DatasetReport report = reported(dataset);

    EXPECT_TRUE(report.sources(0).has_x_m());
    EXPECT_FALSE(report.sources(0).has_lon_deg());
    EXPECT_TRUE(report.stations(0).has_snapped_y_m());
    EXPECT_FALSE(report.stations(0).has_snapped_lat_deg());
}

TEST(DatasetReport, SaysHowItWasSolvedAndWhatIsToBeKnown) {
    io::GreensDataset dataset = small_dataset();
    dataset.element = "p2";
    dataset.gravity = "buoyancy";
    dataset.predicted_error = "about 1 %";
    dataset.warnings = {"region: too small"};
    dataset.specification_json =
        R"({"region": {"size_east_m": 4e5, "size_north_m": 3e5, "depth_m": 2e5},)"
        R"( "mesh": {"size_at_fault_m": 3e3, "size_far_m": 4e4}})";

    const v1::DatasetReport report = reported(dataset);

    EXPECT_EQ(report.element(), "p2");
    EXPECT_EQ(report.gravity(), "buoyancy");
    EXPECT_EQ(report.predicted_error(), "about 1 %");
    ASSERT_EQ(report.warnings_size(), 1);
    EXPECT_EQ(report.model().size_north_m(), 3e5);
    EXPECT_EQ(report.model().size_far_m(), 4e4);
    EXPECT_FALSE(reported(small_dataset()).has_model());
}

TEST(DatasetReport, NamesTheGroupsOfFields) {
    EXPECT_EQ(reported(small_dataset()).fields_size(), 0);
    ASSERT_EQ(reported(small_dataset(), {"surface", "volume"}).fields_size(), 2);
    EXPECT_EQ(reported(small_dataset(), {"surface", "volume"}).fields(1), "volume");
}

TEST(DatasetReport, AnEmptyDatasetIsFine) {
    const v1::DatasetReport report = reported({});

    EXPECT_EQ(report.dims().source(), 0U);
    EXPECT_FALSE(report.has_mean_iterations());
    EXPECT_FALSE(report.provenance().has_specification());
}

}  // namespace
}  // namespace kaname::compute::dataset_report_test
