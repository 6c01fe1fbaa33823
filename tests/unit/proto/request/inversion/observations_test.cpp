// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/inversion/observations.hpp"

#include <cmath>

#include "tests/unit/proto/request/inversion/example_inversion.hpp"

namespace kaname::request::observations_test {
namespace {

using namespace examples;

/// A set and its table, read.
struct Set {
    explicit Set(const std::string& kind = "gnss") { message.set_kind(kind); }

    ObservationTable read(const std::string& text) {
        const Folder folder;
        message.mutable_file()->set_path(folder.write("o.csv", text));
        return read_observations(message, "data[0]", synthetic);
    }
    std::string error(const std::string& text) {
        std::string error = error_of([&] { return read(text); });
        const std::string folder = std::filesystem::path(message.file().path()).parent_path();
        for (std::size_t at = 0; (at = error.find(folder + "/")) != std::string::npos;) {
            error.erase(at, folder.size() + 1);
        }
        return error;
    }
    v1::Observations message;
    bool synthetic = false;
};

TEST(Observations, ReadsTheHeadersOfPublishedTables) {
    // Offsets without errors, by number.
    Set land;
    land.message.set_sigma_east_m(0.01);
    land.message.set_sigma_north_m(0.01);
    land.message.set_sigma_up_m(0.03);
    const ObservationTable offsets =
        land.read("id,lat_deg,lon_deg,east_m,north_m,up_m\n5,36.2,138.1,0.183,0.0339,0.0026\n");
    ASSERT_EQ(offsets.rows.size(), 3u);
    EXPECT_FALSE(offsets.velocity);
    EXPECT_EQ(offsets.rows[0].station, "5");
    EXPECT_EQ(*offsets.rows[0].lon_deg, 138.1);
    EXPECT_EQ(offsets.rows[1].component, "north");
    EXPECT_EQ(offsets.rows[1].value, 0.0339);
    EXPECT_EQ(offsets.rows[2].sigma, 0.03);
    EXPECT_EQ(offsets.rows[2].up, 1.0);
    EXPECT_EQ(offsets.rows[2].east, 0.0);

    // Sites on the sea floor, with a column that means nothing here.
    Set floor("gnss_acoustic");
    floor.message.set_sigma_east_m(0.2);
    floor.message.set_sigma_north_m(0.2);
    EXPECT_EQ(floor
                  .read("site,lat_deg,lon_deg,east_m,north_m,up_m,days_after_mainshock\n"
                        "FUKU,37.1,142.0,4.4,-1.6,0.8,18\n")
                  .rows.size(),
              2u);

    // Velocities with the unit in the names of their errors too.
    const ObservationTable japan = Set().read(
        "station,lon_deg,lat_deg,east_mm_per_yr,north_mm_per_yr,east_sigma_mm_per_yr,"
        "north_sigma_mm_per_yr\nXIAM_GPS,118.08,24.45,24.695,-8.45,1.1,1\n");
    EXPECT_TRUE(japan.velocity);
    EXPECT_NEAR(japan.rows[0].value, 0.024695, 1e-15);
    EXPECT_NEAR(japan.rows[0].sigma, 0.0011, 1e-15);

    // Without a unit, errors are in their values'; north before east.
    const ObservationTable greece = Set().read(
        "station,lat_deg,lon_deg,height_m,north_mm_per_yr,north_sigma,east_mm_per_yr,"
        "east_sigma,up_mm_per_yr,up_sigma\nagni,35.1,25.7,40.5,-25.88,1.00,-17.68,2.00,"
        "-0.23,3.00\n");
    EXPECT_EQ(greece.components, (std::vector<std::string>{"east", "north", "up"}));
    EXPECT_NEAR(greece.rows[0].value, -0.01768, 1e-15);
    EXPECT_NEAR(greece.rows[0].sigma, 0.002, 1e-15);
    EXPECT_NEAR(greece.rows[1].sigma, 0.001, 1e-15);
}

TEST(Observations, ErrorsMayBeNamedEitherWay) {
    for (const char* name : {"east_sigma_mm", "east_mm_sigma", "sigma_east_mm"}) {
        const auto table = Set().read(std::string("station,east_cm,") + name + "\nA,2,5\n");
        ASSERT_EQ(table.rows.size(), 1u) << name;
        EXPECT_NEAR(table.rows[0].sigma, 0.005, 1e-15) << name;
        EXPECT_NEAR(table.rows[0].value, 0.02, 1e-15) << name;
        EXPECT_FALSE(table.placed);
        EXPECT_FALSE(table.rows[0].lon_deg.has_value());
    }
    Set pressure("ocean_bottom_pressure");
    EXPECT_NEAR(pressure.read("point,up_cm,sigma\nP1,2,5\n").rows[0].sigma, 0.05, 1e-15);
}

TEST(Observations, ColumnsWithoutAUnitTakeTheSets) {
    Set set;
    set.message.set_sigma_east_m(0.001);
    EXPECT_EQ(set.error("station,east\nA,2\n"),
              "data[0].unit: must be given, column east has no unit: m, cm, mm, m_per_year, "
              "cm_per_year or mm_per_year");
    set.message.set_unit("mm_per_year");
    const ObservationTable table = set.read("station,east\nA,2\n");
    EXPECT_NEAR(table.rows[0].value, 0.002, 1e-15);
    EXPECT_TRUE(table.velocity);
}

TEST(Observations, DisplacementsAndVelocitiesDoNotMix) {
    EXPECT_EQ(Set().error("station,east_m,north_mm_per_year,east_sigma,north_sigma\nA,1,1,1,1\n"),
              "o.csv:1: columns must be displacements or velocities, not both, got east_m and "
              "north_mm_per_year");
    EXPECT_EQ(Set().error("station,east_m,east_sigma_mm_per_year\nA,1,1\n"),
              "o.csv:1: columns must be displacements or velocities, not both, got east_m and "
              "east_sigma_mm_per_year");
    Set set;
    set.message.set_quantity("velocity");
    EXPECT_EQ(set.error("station,east_m,east_sigma\nA,1,1\n"),
              "data[0].quantity: must be displacement, as the unit of column east_m says, got "
              "'velocity'");
}

TEST(Observations, BlankCellsWereNotObserved) {
    const ObservationTable table =
        Set().read("station,east_m,north_m,east_sigma,north_sigma\nA,1,,1,\nB,,,,\nC,2,3,1,1\n");

    ASSERT_EQ(table.rows.size(), 3u);
    EXPECT_EQ(table.rows[0].station, "A");
    EXPECT_EQ(table.rows[1].station, "C");
    EXPECT_EQ(table.station_ids(), (std::vector<std::string>{"A", "C"}));
    EXPECT_EQ(Set().error("station,east_m,east_sigma\nA,,1\n"), "o.csv:2: file has no observation");
}

TEST(Observations, ErrorsOfDataMustBeThereAndPositive) {
    EXPECT_EQ(Set().error("station,east_m\nA,1\n"),
              "data[0].sigma_east_m: must be given, the file has no column east_sigma");
    EXPECT_EQ(Set().error("station,east_m,east_sigma\nagpa,1,0.00\nB,1,-2\nC,1,\n"),
              "o.csv:2: east_sigma of station 'agpa' must be > 0, got 0; blank it takes the set's "
              "sigma_east_m\n"
              "o.csv:3: east_sigma of station 'B' must be > 0, got -2; blank it takes the set's "
              "sigma_east_m\n"
              "o.csv:4: east_sigma must be given, or sigma_east_m of the set for rows without one");
    Set set;
    set.message.set_sigma_east_m(0.5);
    EXPECT_EQ(set.read("station,east_m,east_sigma\nA,1,\n").rows[0].sigma, 0.5);
}

TEST(Observations, RowsAreCheckedOneByOne) {
    EXPECT_EQ(
        Set().error("station,lon_deg,lat_deg,east_m,east_sigma\n"
                    ",140,38,1,1\nB,400,38,1,1\nC,140,-91,1,1\nD,140,38,x,1\nE,140,38,1e999,1\n"
                    "F,140,38,1\n\"G,140,38,1,1\n"),
        "o.csv:2: station must have 1 to 64 characters, got ''\n"
        "o.csv:3: lon_deg must be in -180..360, got 400\n"
        "o.csv:4: lat_deg must be in -90..90, got -91\n"
        "o.csv:5: east_m must be a finite number, got 'x'; leave blank what was not observed\n"
        "o.csv:6: east_m must be a finite number, got '1e999'; leave blank what was not "
        "observed\n"
        "o.csv:7: row has 4 cells, the header has 5\n"
        "o.csv:8: quote is left open");
}

TEST(Observations, AStationIsThereOnceAtAnEpoch) {
    EXPECT_EQ(Set().error("station,east_m,east_sigma\nXIAM,1,1\nB,1,1\nXIAM,2,1\n"),
              "o.csv:4: station must be unique at an epoch, got 'XIAM' as in line 2; keep one of "
              "the lines, or put their mean weighted by 1/sigma^2 in their place");
    const ObservationTable series =
        Set().read("station,epoch_years,east_m,east_sigma\nA,1,1,1\nA,2,2,1\n");
    EXPECT_EQ(series.rows[1].epoch_s, 2 * 31557600.0);
}

TEST(Observations, EpochsOfRowsComeBeforeThoseOfTheSet) {
    Set set;
    set.message.set_epoch_s(100.0);
    set.message.set_since_s(10.0);
    const ObservationTable table =
        set.read("station,epoch_days,since_days,east_m,east_sigma\nA,2,1,1,1\nB,,,1,1\n");

    EXPECT_EQ(table.rows[0].epoch_s, 172800.0);
    EXPECT_EQ(*table.rows[0].since_s, 86400.0);
    EXPECT_EQ(table.rows[1].epoch_s, 100.0);
    EXPECT_EQ(*table.rows[1].since_s, 10.0);
    EXPECT_EQ(set.error("station,epoch_s,since_s,east_m,east_sigma\nA,5,5,1,1\n"),
              "o.csv:2: since must be before the epoch, 5 s, got 5 s");
    EXPECT_EQ(Set().error("station,epoch_s,since_s,east_m_per_yr,east_sigma\nA,5,1,1,1\n"),
              "o.csv:2: since must be left out of velocities, got 1 s");
}

TEST(Observations, HeadersSayWhatIsMissing) {
    EXPECT_EQ(Set().error("lon_deg,lat_deg,east_m,east_sigma\n140,38,1,1\n"),
              "o.csv:1: header must name the column station (or id, site, point, name), got "
              "'lon_deg, lat_deg, east_m, east_sigma'");
    EXPECT_EQ(Set().error("station,lon_deg,east_m,east_sigma\nA,140,1,1\n"),
              "o.csv:1: header must name lon_deg and lat_deg, or none of them, got lon_deg alone");
    EXPECT_EQ(Set().error("station,e_mm\nA,140\n"),
              "o.csv:1: header must name a column of east, north or up with its unit, such as "
              "east_mm, got 'station, e_mm'");
    EXPECT_EQ(Set().error("station,east_m,east_mm,east_sigma\nA,1,1,1\n"),
              "o.csv:1: column east_mm repeats east_m");
    Set set;
    set.message.add_components("up");
    EXPECT_EQ(set.error("station,east_m,east_sigma\nA,1,1\n"),
              "data[0].components: must have columns in the file, got up without one");
}

TEST(Observations, OnlyTheComponentsThatAreAskedForAreRead) {
    Set set;
    set.message.add_components("north");
    set.message.add_components("east");
    const ObservationTable table =
        set.read("station,east_m,north_m,up_m,east_sigma,north_sigma\nA,1,2,3,1,1\n");

    EXPECT_EQ(table.components, (std::vector<std::string>{"east", "north"}));
    EXPECT_EQ(table.rows.size(), 2u);
}

TEST(Observations, SatellitesLookAlongAUnitVectorOrTwoAngles) {
    Set insar("insar");
    const ObservationTable vectors = insar.read(
        "lon_deg,lat_deg,los_cm,sigma,look_east,look_north,look_up\n"
        "140,38,5,1,-0.6,0,0.805\n");
    EXPECT_NEAR(std::hypot(vectors.rows[0].east, vectors.rows[0].up), 1.0, 1e-12);
    EXPECT_NEAR(vectors.rows[0].sigma, 0.01, 1e-15);
    EXPECT_EQ(vectors.rows[0].station, "");
    EXPECT_EQ(vectors.station_ids().size(), 1u);
    // Northwards, looking east: the satellite stands in the west.
    const ObservationTable angles = insar.read(
        "lon_deg,lat_deg,los_m,sigma,incidence_deg,heading_deg\n140,38,1,1,30,0\n141,38,1,1,30,"
        "90\n");
    EXPECT_NEAR(angles.rows[0].east, -0.5, 1e-12);
    EXPECT_NEAR(angles.rows[0].north, 0.0, 1e-12);
    EXPECT_NEAR(angles.rows[0].up, std::sqrt(0.75), 1e-12);
    EXPECT_NEAR(angles.rows[1].north, 0.5, 1e-12);

    EXPECT_EQ(insar.error("lon_deg,lat_deg,los_m,sigma,look_east,look_north,look_up\n"
                          "140,38,1,1,0.6,0,0.9\n140,38,1,1,0.6,0,-0.8\n"),
              "o.csv:2: look_east, look_north, look_up must be a unit vector from the ground to "
              "the satellite, got 0.6, 0, 0.9 of length 1.082\n"
              "o.csv:3: look_east, look_north, look_up must be a unit vector from the ground to "
              "the satellite, got 0.6, 0, -0.8 of length 1");
    const std::string in_angles = "lon_deg,lat_deg,los_m,sigma,incidence_deg,heading_deg\n";
    EXPECT_EQ(insar.error(in_angles + "140,38,1,1,0.58,192\n141,38,1,1,0.65,192\n"),
              "o.csv:3: incidence_deg must be in degrees, got at most 0.65 in all rows; are these "
              "radians?");
    EXPECT_NEAR(insar.read(in_angles + "140,38,1,1,0,192\n").rows[0].up, 1.0, 1e-12);
    EXPECT_EQ(insar.error("los_m,sigma\n1,1\n"),
              "o.csv:1: header must name the columns lon_deg and lat_deg, or station, got 'los_m, "
              "sigma'\n"
              "o.csv:1: header must name look_east, look_north and look_up (from the ground to the "
              "satellite), or incidence_deg and heading_deg");
}

TEST(Observations, WarnsOfNumbersThatSeemToBeInAnotherUnit) {
    const auto warning = [](const std::string& text) {
        const auto table = Set().read(text);
        return table.warnings.empty() ? "" : table.warnings.at(0);
    };
    EXPECT_EQ(warning("station,east_m,east_sigma\nA,183,1\nB,200,1\nC,-150,1\n"),
              "data[0]: half of the values of o.csv are larger than 100 m; are these millimetres? "
              "Their columns or unit must say so");
    EXPECT_EQ(warning("station,east_m_per_yr,east_sigma\nA,18,1\n"),
              "data[0]: half of the values of o.csv are larger than 1 m/year; are these "
              "millimetres? Their columns or unit must say so");
    EXPECT_EQ(warning("station,east_mm,east_sigma\nA,0.0001,1\n"),
              "data[0]: half of the values of o.csv are smaller than 1e-06 m; is their unit larger "
              "than their columns or unit say?");
    EXPECT_EQ(warning("station,east_m,east_sigma\nA,24,1\n"), "");
    EXPECT_NE(
        warning("station,east_m,east_sigma,up_inch\nA,24,1,1\n").find("up_inch is passed over"),
        std::string::npos);
}

TEST(Observations, PlacesAreEnoughWhereValuesWillBeSynthetic) {
    Set set;
    set.message.set_sigma_east_m(0.01);
    set.message.set_sigma_north_m(0.01);
    set.message.add_components("east");
    set.message.add_components("north");
    const std::string text = "station,lon_deg,lat_deg\nA,135,33\nB,136,33\n";
    EXPECT_NE(set.error(text).find("header must name a column of"), std::string::npos);

    set.synthetic = true;
    const ObservationTable table = set.read(text);

    ASSERT_EQ(table.rows.size(), 4U);
    EXPECT_EQ(table.rows[3].station, "B");
    EXPECT_EQ(table.rows[3].component, "north");
    EXPECT_EQ(table.rows[3].value, 0.0);
    EXPECT_EQ(table.rows[3].sigma, 0.01);
    EXPECT_TRUE(table.warnings.empty());
}

}  // namespace
}  // namespace kaname::request::observations_test
