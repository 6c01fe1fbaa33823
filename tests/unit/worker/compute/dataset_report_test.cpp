// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/dataset_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kaname::compute {
namespace {

using nlohmann::json;

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

TEST(DatasetReport, CountsStatesAndPassesOverNan) {
    const json report = json::parse(dataset_report(small_dataset()));

    EXPECT_EQ(report["status_counts"], (json{{"done", 1}, {"failed", 1}, {"missing", 0}}));
    EXPECT_EQ(report["max_displacement_m"]["east"], 0.3);
    EXPECT_EQ(report["max_displacement_m"]["north"], 0.2);
    EXPECT_EQ(report["max_displacement_m"]["up"], 0.4);
    EXPECT_DOUBLE_EQ(report["max_displacement_m"]["vector"], 0.5);
    EXPECT_DOUBLE_EQ(report["mean_iterations"], 27.0 / 4.0);
}

TEST(DatasetReport, MovedSidesAreNotPerMetreOfSlip) {
    io::GreensDataset dataset = small_dataset();
    dataset.sources[1].status = 1;
    dataset.sources[1].component = "boundary";
    dataset.sources[1].depth_m = std::numeric_limits<double>::quiet_NaN();
    std::fill(dataset.greens.begin() + 6, dataset.greens.end(), 7.0);

    const json report = json::parse(dataset_report(dataset));

    EXPECT_DOUBLE_EQ(report["max_displacement_m"]["vector"], 0.5);
    EXPECT_DOUBLE_EQ(report["sources"][1]["max_displacement_m"], std::hypot(7.0, 7.0, 7.0));
    EXPECT_TRUE(report["sources"][1]["depth_m"].is_null());
}

TEST(DatasetReport, DescribesEachSource) {
    const json report = json::parse(dataset_report(small_dataset()));

    const json& done = report["sources"][0];
    EXPECT_EQ(done["status"], "done");
    EXPECT_DOUBLE_EQ(done["max_displacement_m"], 0.5);
    EXPECT_DOUBLE_EQ(done["mean_iterations"], 6.0);
    EXPECT_FALSE(done.contains("failure"));
    const json& failed = report["sources"][1];
    EXPECT_EQ(failed["status"], "failed");
    EXPECT_TRUE(failed["max_displacement_m"].is_null());
    EXPECT_EQ(failed["failure"], "residual 1e-3 after 500 iterations");
}

TEST(DatasetReport, HasDimsAndProvenance) {
    const json report = json::parse(dataset_report(small_dataset()));

    EXPECT_EQ(report["dims"],
              (json{{"source", 2}, {"epoch", 1}, {"station", 2}, {"component", 3}, {"step", 3}}));
    EXPECT_EQ(report["provenance"]["dof"], 99);
    EXPECT_EQ(report["provenance"]["specification"]["name"], "tiny");
}

TEST(DatasetReport, NamesTheGroupsOfFields) {
    EXPECT_EQ(json::parse(dataset_report(small_dataset()))["fields"], json::array());
    EXPECT_EQ(json::parse(dataset_report(small_dataset(), {"surface", "volume"}))["fields"],
              (json::array({"surface", "volume"})));
    EXPECT_EQ(xdmf_report({"a.xdmf"}), "{\"written\":[\"a.xdmf\"]}");
}

TEST(DatasetReport, AnEmptyDatasetIsFine) {
    const json report = json::parse(dataset_report({}));

    EXPECT_EQ(report["dims"]["source"], 0);
    EXPECT_TRUE(report["mean_iterations"].is_null());
    EXPECT_TRUE(report["provenance"]["specification"].is_null());
}

}  // namespace
}  // namespace kaname::compute
