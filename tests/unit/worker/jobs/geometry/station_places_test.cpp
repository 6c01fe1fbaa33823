// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "worker/jobs/geometry/job_geometry.hpp"

namespace kaname::jobs::station_places_test {
namespace {

const GeoBox kSlip = {33.9, 35.9, 34.1, 36.1};

std::vector<std::string> told(const std::vector<GivenStation>& stations) {
    return place_warnings(stations, kSlip);
}

TEST(StationPlaces, AStationThatWouldBeNearIfExchangedIsNamed) {
    EXPECT_EQ(
        told({{"NEAR", {36.05, 34.2}}, {"OTHER", {34.5, 36.2}}}),
        std::vector<std::string>{
            "station 'NEAR' is 259 km from the slip; with longitude and latitude exchanged it "
            "would be 9 km from it"});
}

TEST(StationPlaces, ANetworkThatReachesAsFarIsLeftInPeace) {
    EXPECT_EQ(told({{"A", {36.05, 34.2}}, {"B", {34.5, 36.2}}, {"C", {36.2, 37.0}}}).size(), 0u);
    EXPECT_EQ(told({{"A", {34.1, 36.0}}, {"B", {34.5, 36.2}}}).size(), 0u);
    EXPECT_EQ(told({}).size(), 0u);
}

TEST(StationPlaces, SlipThatNoStationIsNearIsTold) {
    EXPECT_EQ(
        told({{"A", {100.0, 36.0}}, {"B", {101.0, 36.0}}}),
        std::vector<std::string>{"stations: none lies within 1500 km of the slip; the nearest, "
                                 "'A', is 5802 km from it"});
}

TEST(StationPlaces, AWholeTableThatIsExchangedIsToldOnce) {
    const GeoBox crete = {24.0, 34.5, 26.0, 35.5};
    std::vector<GivenStation> stations;
    for (int k = 0; k < 5; ++k) {
        stations.push_back({"S" + std::to_string(k), {35.0 + 0.1 * k, 24.5}});
    }
    const std::vector<std::string> found = place_warnings(stations, crete);

    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].find("stations: 5 of 5 ('S0', 'S1', 'S2', ...) are "), 0u) << found[0];
    EXPECT_NE(found[0].find("with longitude and latitude exchanged all of them would be within 0 "
                            "km of it"),
              std::string::npos)
        << found[0];
}

}  // namespace
}  // namespace kaname::jobs::station_places_test
