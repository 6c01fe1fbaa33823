// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "proto/request/greens/load.hpp"
#include "proto/request/greens/slip_places.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::swapped_test {
namespace {

/// A region of 200 km about 38 E 36 N: as places, its coordinates are valid either way round.
v1::GreensBatch batch_at(double lon_deg, double lat_deg) {
    v1::GreensBatch batch;
    batch.mutable_region()->set_centre_lon_deg(lon_deg);
    batch.mutable_region()->set_centre_lat_deg(lat_deg);
    batch.mutable_region()->set_size_east_m(200e3);
    batch.mutable_region()->set_size_north_m(200e3);
    return batch;
}

void put_plane(v1::GreensBatch& batch, double lon_deg, double lat_deg) {
    batch.mutable_fault()->mutable_plane()->set_centre_lon_deg(lon_deg);
    batch.mutable_fault()->mutable_plane()->set_centre_lat_deg(lat_deg);
}

RequestStation station(const std::string& field, double lon_deg, double lat_deg) {
    return {"S", lon_deg, lat_deg, std::nullopt, field};
}

std::string lines_of(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations) {
        text += violation.field + ": " + violation.message + "\n";
    }
    return text;
}

TEST(SwappedPlaces, AFaultThatIsInsideOnlyWhenSwappedIsTold) {
    v1::GreensBatch batch = batch_at(58.0, 36.0);
    put_plane(batch, 36.1, 58.2);

    EXPECT_EQ(lines_of(swapped_places(batch, {station("stations.list[0]", 58.2, 36.1)})),
              "fault.plane.centre_lon_deg: must not have longitude and latitude swapped, got "
              "lon_deg 36.1, lat_deg 58.2, which is 2944 km from the region's centre, and inside "
              "the region when swapped\n");
}

TEST(SwappedPlaces, StationsOfAFileAreToldByTheirLines) {
    v1::GreensBatch batch = batch_at(58.0, 36.0);
    put_plane(batch, 58.0, 36.0);

    const auto broken =
        swapped_places(batch, {station("s.csv:2", 36.1, 58.2), station("s.csv:3", 58.2, 36.1)});

    ASSERT_EQ(broken.size(), 1u);
    EXPECT_EQ(broken[0].field, "s.csv:2");
}

TEST(SwappedPlaces, WhereAllDisagreeTheRegionIsBlamedOnce) {
    v1::GreensBatch batch = batch_at(36.0, 58.0);
    put_plane(batch, 58.0, 36.0);

    const auto broken = swapped_places(
        batch, {station("stations.list[0]", 58.2, 36.1), station("stations.list[1]", 58.3, 36.1)});

    ASSERT_EQ(broken.size(), 1u);
    EXPECT_EQ(broken[0].field, "region.centre_lon_deg");
}

TEST(SwappedPlaces, WhatIsMerelyOutsideIsNotBlamed) {
    v1::GreensBatch batch = batch_at(58.0, 36.0);
    put_plane(batch, 58.0, 36.0);

    EXPECT_TRUE(
        swapped_places(batch, {station("a", 61.0, 36.0), station("b", -120.0, 40.0)}).empty());
    // Inside either way, as it is near the diagonal.
    EXPECT_TRUE(swapped_places(batch_at(36.0, 36.2), {station("a", 36.2, 36.0)}).empty());
}

TEST(SwappedPlaces, LoadingASpecificationAsksForThem) {
    using examples::with;
    const examples::Folder folder;
    std::string yaml = with(examples::kPlaneYaml, "centre_lon_deg: 135, centre_lat_deg: 33, size",
                            "centre_lon_deg: 58, centre_lat_deg: 36, size");
    yaml = with(yaml, "centre_lon_deg: 135\n    centre_lat_deg: 33\n",
                "centre_lon_deg: 58\n    centre_lat_deg: 36\n");
    yaml = with(yaml, "lon_deg: 135.2, lat_deg: 33.1", "lon_deg: 36.1, lat_deg: 58.2");
    const std::string path = folder.write("spec.yaml", yaml);

    const std::string error = examples::error_of([&] { return load_batch_file(path); });

    EXPECT_EQ(error.rfind("stations.list[0]: must not have longitude and latitude swapped", 0), 0u)
        << error;
}

TEST(SwappedPlaces, StationsThatARegionIsChosenForAreToldByTheSlip) {
    SlipPlaces slip;
    slip.add({58.0, 36.0}, 0.0);

    EXPECT_EQ(lines_of(swapped_stations(
                  slip, {station("s.csv:2", 36.1, 58.2), station("s.csv:3", 58.2, 36.1),
                         station("s.csv:4", 90.0, 10.0)})),
              "s.csv:2: must not have longitude and latitude swapped, got lon_deg 36.1, lat_deg "
              "58.2, which is 2944 km from the slip, and 21 km when swapped\n");
}

}  // namespace
}  // namespace kaname::request::swapped_test
