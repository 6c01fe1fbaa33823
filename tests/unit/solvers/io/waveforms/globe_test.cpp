// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/globe.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/base/units.hpp"
#include "tests/unit/solvers/io/waveforms/small_trace.hpp"
#include "tests/unit/solvers/io/xml_facts.hpp"

namespace kaname::io::globe_test {
namespace {

#ifdef KANAME_HAVE_PROJ

TEST(GlobePath, IsTheGeodesicOfWgs84) {
    // Flinders Peak to Buninyong, the worked example of Vincenty's formulae in the GDA94 manual;
    // its ellipsoid, GRS80, differs from WGS84 by a tenth of a millimetre.
    const earth::Projection flinders(
        {144.0 + 25.0 / 60.0 + 29.52440 / 3600.0, -(37.0 + 57.0 / 60.0 + 3.72030 / 3600.0)});
    const earth::Projection buninyong(
        {143.0 + 55.0 / 60.0 + 35.38390 / 3600.0, -(37.0 + 39.0 / 60.0 + 10.15610 / 3600.0)});

    const EventPath path = path_between(flinders, buninyong);

    EXPECT_NEAR(path.distance_m, 54972.271, 0.002);
    EXPECT_NEAR(path.azimuth_deg, 306.0 + 52.0 / 60.0 + 5.37 / 3600.0, 1e-5);
    EXPECT_NEAR(path.back_azimuth_deg, 127.0 + 10.0 / 60.0 + 25.07 / 3600.0, 1e-5);
    EXPECT_NEAR(path.arc_deg, 54972.271 / kEarthRadius_m / kDegree, 2e-4);
}

#endif

TEST(GlobePath, TurnsTheModelsAxesToEastAndNorth) {
    // The frame is turned by 90 degrees: x points south, y east.
    std::vector<float> x = {1.0F, 0.0F}, y = {0.0F, 1.0F};

    turn_to_north(90.0, x, y);

    EXPECT_NEAR(x[0], 0.0F, 1e-7F);
    EXPECT_NEAR(y[0], -1.0F, 1e-7F);
    EXPECT_NEAR(x[1], 1.0F, 1e-7F);
    EXPECT_NEAR(y[1], 0.0F, 1e-7F);
}

TEST(StationXml, IsOfStationsWithAPlaceAlone) {
    const std::vector<Trace> traces{small_trace()};

    expect_error([&] { write_station_xml("none.xml", traces, "test"); }, ErrorCode::InvalidArgument,
                 {"KN.ABC.00.HXZ", "place", "orientation"});
    expect_error([] { write_station_xml("none.xml", {}, "test"); }, ErrorCode::InvalidArgument,
                 {"none.xml", "got none"});
}

TEST(StationXml, HasEachChannelOnceWithItsPlace) {
    std::vector<Trace> traces(3, small_trace());
    traces[2].channel = "HXN";
    for (Trace& trace : traces) {
        trace.station_place = {-41.25, 184.5, 12.5};
        trace.orientation = {0.0, -90.0};
    }
    const TemporaryFolder folder;
    const std::string path = folder.path() / "stations.xml";

    write_station_xml(path, traces, "a & b");

    const std::string xml = read_file_if_any(path);
    expect_well_formed(xml.substr(0, xml.find(" xmlns")) + xml.substr(xml.find(">\n  <Source>")));
    EXPECT_EQ(count(xml,
                    "<Channel code=\"HXZ\" locationCode=\"00\" "
                    "startDate=\"2023-11-14T22:13:20.000000Z\">"),
              1U);
    EXPECT_EQ(count(xml, "<Channel "), 2U);
    EXPECT_EQ(count(xml, "<Longitude>-175.5000000</Longitude>"), 3U) << "a station, two channels";
    EXPECT_EQ(count(xml, "<SampleRate>4</SampleRate>"), 2U);
    EXPECT_EQ(count(xml, "<Module>a &amp; b</Module>"), 1U);
}

}  // namespace
}  // namespace kaname::io::globe_test
