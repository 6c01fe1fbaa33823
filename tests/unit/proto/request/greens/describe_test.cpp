// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/greens_kind.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::describe_test {
namespace {

using namespace examples;

class Describe : public ::testing::Test {
protected:
    Description of(const std::string& from = "", const std::string& to = "") const {
        return of_text(from.empty() ? kPlaneYaml : with(kPlaneYaml, from, to));
    }
    Description of_text(const std::string& yaml) const {
        return describe(load_batch_file(folder_.write("spec.yaml", yaml)));
    }
    const Folder folder_;
};

TEST_F(Describe, SaysWhatADatasetCanBeFoundBy) {
    const Description found = of();
    EXPECT_EQ(found.physics, "viscoelastic");
    EXPECT_EQ(found.faults, std::vector<std::string>{"plane"});
    EXPECT_EQ(found.stations, std::vector<std::string>{"G001"});
    ASSERT_TRUE(found.place);
    // A vertical fault along 135 E of 16.1 km about 33 N, and the station to its north-east.
    EXPECT_NEAR(found.place->west_deg, 135, 1e-6);
    EXPECT_NEAR(found.place->east_deg, 135.2, 1e-6);
    EXPECT_NEAR(found.place->south_deg, 33 - 8.05 / 111.19, 1e-3);
    EXPECT_NEAR(found.place->north_deg, 33.1, 1e-6);
    EXPECT_EQ(found.structure_sha256.size(), 64U);
}

TEST_F(Describe, WhatRelaxesAfterTheSlipIsViscoelastic) {
    EXPECT_EQ(of(", viscosity_pa_s: 1e19", "").physics, "elastic");
    EXPECT_EQ(
        of("time: {step_days: 30, end_years: 2, epochs_years: [0, 1, 2]}", "time: {}").physics,
        "elastic");
}

TEST_F(Describe, StructuresAreKnownByThemselvesAlone) {
    const std::string hash = of().structure_sha256;
    EXPECT_EQ(of("lon_deg: 135.2", "lon_deg: 135.3").structure_sha256, hash);
    EXPECT_EQ(of("end_years: 2", "end_years: 3").structure_sha256, hash);
    EXPECT_EQ(of("viscosity_pa_s: 1e19", "viscosity_pa_s: 1.0e+19").structure_sha256, hash);
    EXPECT_NE(of("viscosity_pa_s: 1e19", "viscosity_pa_s: 2e19").structure_sha256, hash);
}

TEST_F(Describe, StationsOfFilesCountAsThoseOfTheList) {
    (void)folder_.write("gnss.csv", "station,lon_deg,lat_deg\n0002,136,33\n0001,134,32\n");
    const Description found = of("stations:\n", "stations:\n  files: [gnss.csv]\n");
    EXPECT_EQ(found.stations, (std::vector<std::string>{"0001", "0002", "G001"}));
    EXPECT_NEAR(found.place->west_deg, 134, 1e-6);
    EXPECT_NEAR(found.place->south_deg, 32, 1e-6);
}

TEST_F(Describe, PlacesLieAcrossTheDateLine) {
    std::string yaml = with(kPlaneYaml, "centre_lon_deg: 135, centre_lat_deg: 33, size",
                            "centre_lon_deg: 180, centre_lat_deg: 33, size");
    yaml = with(with(yaml, "    centre_lon_deg: 135\n", "    centre_lon_deg: 180\n"),
                "lon_deg: 135.2", "lon_deg: -179.8");
    const Description found = of_text(yaml);
    ASSERT_TRUE(found.place);
    EXPECT_NEAR(found.place->east_deg - found.place->west_deg, 0.2, 1e-6);
}

}  // namespace
}  // namespace kaname::request::describe_test
