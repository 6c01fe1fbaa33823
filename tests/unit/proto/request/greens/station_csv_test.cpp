// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/stations.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::station_csv_test {
namespace {

using namespace examples;

std::vector<RequestStation> read(const std::string& text) {
    const Folder folder;
    return read_station_csv(folder.write("s.csv", text));
}

/// The error's lines with the folder taken off.
std::string error_in(const std::string& text) {
    const Folder folder;
    const std::string path = folder.write("s.csv", text);
    std::string error = error_of([&] { return read_station_csv(path); });
    for (std::size_t at = 0; (at = error.find(folder.path() + "/")) != std::string::npos;) {
        error.erase(at, folder.path().size() + 1);
    }
    return error;
}

TEST(StationCsv, FindsColumnsByNameInAnyOrder) {
    const std::vector<RequestStation> stations =
        read("lat_deg,note,station,lon_deg,depth_m\n33.5,x,G001,134.5,\n33.6,y,G002,-135.5,1200\n");

    ASSERT_EQ(stations.size(), 2u);
    EXPECT_EQ(stations[0].id, "G001");
    EXPECT_EQ(stations[0].lon_deg, 134.5);
    EXPECT_EQ(stations[0].lat_deg, 33.5);
    EXPECT_FALSE(stations[0].depth_m.has_value());
    EXPECT_EQ(stations[1].lon_deg, -135.5);
    EXPECT_EQ(stations[1].depth_m, 1200.0);
    EXPECT_NE(stations[1].field.find("s.csv:3"), std::string::npos);
}

TEST(StationCsv, WaterDepthIsNoDepth) {
    const auto stations = read("station,lon_deg,lat_deg,water_depth_m\nA,1,2,3000\n");

    EXPECT_FALSE(stations[0].depth_m.has_value());
}

TEST(StationCsv, DepthMayBeInKilometresButNeedsAUnit) {
    EXPECT_EQ(read("station,lon_deg,lat_deg,depth_km\nA,1,2,3\n")[0].depth_m, 3000.0);
    EXPECT_EQ(error_in("station,lon_deg,lat_deg,depth\nA,1,2,3\n"),
              "s.csv:1: column depth has no unit; name it depth_m or depth_km");
    EXPECT_EQ(error_in("station,lon_deg,lat_deg,depth_m,depth_km\nA,1,2,3,4\n"),
              "s.csv:1: column depth_km repeats depth_m");
}

TEST(StationCsv, ToleratesCommentsBlankLinesMarksAndWindowsLines) {
    const auto stations = read(
        "\xEF\xBB\xBF# GNSS\r\n\r\nstation , lon_deg,lat_deg\r\n# more\r\n \"A, \"\"x\"\"\" , 1 "
        ",2\r\n"
        "B,3,4");

    ASSERT_EQ(stations.size(), 2u);
    EXPECT_EQ(stations[0].id, "A, \"x\"");
    EXPECT_EQ(stations[0].lon_deg, 1.0);
    EXPECT_EQ(stations[1].lat_deg, 4.0);
}

TEST(StationCsv, NamesMissingColumns) {
    EXPECT_EQ(error_in("place,east,lat_deg\nA,1,2\n"),
              "s.csv:1: header must name the column station (or id, site, point, name), got "
              "'place, east, lat_deg'\n"
              "s.csv:1: header must name the column lon_deg, got 'place, east, lat_deg'");
}

TEST(StationCsv, ColumnsMayHaveTheNamesThatPeopleUse) {
    const auto stations = read("latitude,lon,name\n2,1,A\n");

    EXPECT_EQ(stations.at(0).id, "A");
    EXPECT_EQ(stations[0].lon_deg, 1.0);
    EXPECT_EQ(stations[0].lat_deg, 2.0);
    EXPECT_EQ(error_in("id,lon,lon_deg,lat\nA,1,1,2\n"), "s.csv:1: column lon_deg repeats lon");
}

TEST(StationCsv, NamesTheSeparatorThatIsNoComma) {
    EXPECT_EQ(error_in("station;lon_deg;lat_deg\nA;1;2\n"),
              "s.csv:1: columns must be separated by ',', got ';'");
    EXPECT_EQ(error_in("station\tlon_deg\tlat_deg\nA\t1\t2\n"),
              "s.csv:1: columns must be separated by ',', got a tab");
    EXPECT_EQ(error_in("station lon_deg lat_deg\nA 1 2\n"),
              "s.csv:1: columns must be separated by ',', got blanks");
}

TEST(StationCsv, NumbersAreShownAsTheyWereTyped) {
    EXPECT_EQ(error_in("station,lon,lat,depth_km\nA,1,2,9000\nB,1,136,\nC,\"1,5\",2,\n"),
              "s.csv:2: depth_km must be in -10..6371, got 9000\n"
              "s.csv:3: lat must be in -90..90, got 136; are longitude and latitude exchanged?\n"
              "s.csv:4: lon must be a number, got '1,5'; decimals are written with a point");
}

TEST(StationCsv, CollectsEveryBadRow) {
    EXPECT_EQ(error_in("station,lon_deg,lat_deg\n"
                       "A,1\n"
                       "B,east,2\n"
                       "C,1,95\n"
                       "D,1,2,3\n"
                       ",1,2\n"
                       "E,nan,2\n"
                       "E,1,2\n"
                       "\"F,1,2\n"),
              "s.csv:2: row has 2 cells, the header has 3\n"
              "s.csv:3: lon_deg must be a number, got 'east'\n"
              "s.csv:4: lat_deg must be in -90..90, got 95; are longitude and latitude "
              "exchanged?\n"
              "s.csv:5: row has 4 cells, the header has 3; decimals are written with a point\n"
              "s.csv:6: station must have 1 to 64 characters, got ''\n"
              "s.csv:7: lon_deg must be a number, got 'nan'\n"
              "s.csv:8: station must be unique, got 'E' as in line 7\n"
              "s.csv:9: quote is left open");
}

TEST(StationCsv, RefusesControlCharacters) {
    EXPECT_EQ(error_in("station,lon_deg,lat_deg\nA\x1b[2J,1,2\n"),
              "s.csv:2: station must have no control characters, got 'A\\u001b[2J'");
}

TEST(StationCsv, RefusesDepthsAboveTheSeaLevel) {
    EXPECT_EQ(error_in("station,lon_deg,lat_deg,depth_m\nA,1,2,-30000\n"),
              "s.csv:2: depth_m must be in -10000..6371000, got -30000");
}

TEST(StationCsv, ReportsFiftyRowsAndCountsTheRest) {
    std::string text = "station,lon_deg,lat_deg\n";
    for (int row = 0; row < 60; ++row) {
        text += "S" + std::to_string(row) + ",x,1\n";
    }

    const std::string error = error_in(text);

    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 50);
    EXPECT_TRUE(error.ends_with("s.csv: has 10 more errors like these")) << error;
}

TEST(StationCsv, RefusesAFileWithoutStationsOrText) {
    EXPECT_EQ(error_in("station,lon_deg,lat_deg\n"),
              "s.csv:1: must have a row for each station, has a header alone");
    EXPECT_EQ(error_in(""), "file 's.csv' is empty");
    EXPECT_EQ(error_in(std::string("a\0b", 3)), "file 's.csv' is not text in UTF-8");
}

}  // namespace
}  // namespace kaname::request::station_csv_test
