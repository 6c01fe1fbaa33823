// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::srcmod_fsp_test {
namespace {

std::string header(const std::string& point, const std::string& top,
                   const std::string& columns = "LAT LON X==EW Y==NS Z SLIP RAKE") {
    return "% Event : Made up 2001/01/01 [test]\n"
           "% Loc : LAT = 37.5 LON = 26.5 DEP = 10.0\n"
           "% Size : LEN = 10 km WID = 5 km Mw = 6.0 Mo = 1.26e+18 Nm\n"
           "% Mech : STRK = 90 DIP = 30 RAKE = -90 Htop = " +
           top +
           " km\n"
           "% Invs : Nx = 2 Nz = 1 Fmin = 999.0 Hz\n"
           "% Invs : Dx = 5 km Dz = 5 km\n"
           "% Invs : Ntw = 1 Nsg = 1 (# of time-windows,# of fault segments)\n" +
           point + "% " + columns + "\n";
}
const std::string kCentre = "% Coordinates are given for center of each subfault or segment: |'|\n";
const std::string kTopCentre =
    "% Coordinates are given for top-center of each subfault or segment: |'|\n";
const std::string kRows = "37.5 26.4 -5 0 4.0 0.5 -80\n37.5 26.5 0 0 4.0 1.5 -100\n";

TEST(SrcmodFsp, TwoSegmentsOfAntofagastaAsInTheFile) {
    const SlipModel model = read_slip_model(real_file("antofagasta1995_usgs.fsp"));

    EXPECT_EQ(model.format, SlipFormat::SrcmodFsp);
    EXPECT_EQ(model.name, "NEAR COAST OF NORTHERN CHILE  1995/07/30 [Hayes (NEIC,2014)]");
    ASSERT_EQ(model.segments.size(), 2u);
    EXPECT_EQ(model.segments[0].dip_deg, 22.0);
    EXPECT_EQ(model.segments[1].dip_deg, 18.0);
    ASSERT_EQ(model.patches.size(), 105u + 90u);
    const SlipPatch& first = model.patches[0];
    EXPECT_EQ(first.lat_deg, -24.8280);
    EXPECT_EQ(first.lon_deg, -70.5695);
    EXPECT_NEAR(first.depth_m, 32253.9, 1e-9);  // the header: coordinates of the centre
    EXPECT_EQ(first.length_m, 15000.0);
    EXPECT_EQ(first.width_m, 10000.0);
    EXPECT_EQ(first.strike_deg, 6.0);
    EXPECT_EQ(first.dip_deg, 22.0);
    EXPECT_EQ(first.rake_deg, 125.8916);
    EXPECT_EQ(first.slip_m, 0.0774);
    EXPECT_EQ(first.rupture_time_s, 68.0);
    EXPECT_EQ(first.rise_time_s, 3.6);
    EXPECT_EQ(first.moment_nm, 7.84e17);
    const SlipPatch& shallow = model.patches[106];
    EXPECT_EQ(shallow.id, "2/2");
    EXPECT_EQ(shallow.segment, 1);
    EXPECT_EQ(shallow.slip_m, 1.4761);
    EXPECT_EQ(shallow.dip_deg, 18.0);
    ASSERT_TRUE(model.hypocentre);
    EXPECT_EQ(model.hypocentre->lat_deg, -23.36);
    EXPECT_EQ(model.hypocentre->depth_m, 36000.0);
    EXPECT_EQ(model.published_mw, 8.15);
    EXPECT_EQ(model.published_moment_nm, 2.1948157e21);
    EXPECT_TRUE(model.warnings.empty());
}

TEST(SrcmodFsp, VelocityStructureGivesTheShearModulus) {
    const SlipModel model = read_slip_model(real_file("antofagasta1995_usgs.fsp"));

    ASSERT_TRUE(model.rigidity);
    ASSERT_EQ(model.rigidity->rows.size(), 7u);
    // 7.32 km: 3.90 km/s, 3.05 g/cm^3
    EXPECT_NEAR(model.rigidity->mu_pa(9000.0), 3050.0 * 3900.0 * 3900.0, 1.0);
    EXPECT_NEAR(model.rigidity->mu_pa(9820.0), 3380.0 * 4470.0 * 4470.0, 1.0);
    EXPECT_NEAR(model.rigidity->mu_pa(-100.0), 1020.0 * 10.0 * 10.0, 1e-6);  // sea water
}

TEST(SrcmodFsp, TopCentresOfSamosMoveDownDipToTheCentres) {
    const SlipModel model = read_slip_model(real_file("samos2020_okuwaki.fsp"));

    ASSERT_EQ(model.patches.size(), 147u);
    const SlipPatch& first = model.patches[0];
    // Row 37.8393 26.2567 ... 23.9761: half of 5 km down a plane of strike 96, dip 53, which is
    // 1.5045 km towards azimuth 186 (1.4963 km south, 0.1573 km west) and 1.9966 km deeper.
    EXPECT_NEAR(first.depth_m, 25972.7, 0.1);
    EXPECT_NEAR((37.8393 - first.lat_deg) * 110.99e3, 1496.3, 1.0);
    EXPECT_NEAR((26.2567 - first.lon_deg) * 88.02e3, 157.3, 0.5);
    EXPECT_EQ(first.slip_m, 0.244);
    EXPECT_EQ(first.strike_deg, 67.982);  // the row's own plane turns the slip
    EXPECT_EQ(first.dip_deg, 67.957);
    EXPECT_EQ(first.rake_deg, -160.676);
    EXPECT_EQ(model.segments[0].strike_deg, 96.0);
    EXPECT_EQ(model.segments[0].dip_deg, 53.0);
}

TEST(SrcmodFsp, StructureWithValuesUnderWrongLabelsIsNotUsed) {
    const SlipModel model = read_slip_model(real_file("samos2020_okuwaki.fsp"));

    // Its third layer would have 11.87 g/cm^3: the columns are not those the header names.
    EXPECT_FALSE(model.rigidity);
    const auto of_structure = [](const std::string& text) {
        return text.find("velocity structure") != text.npos;
    };
    EXPECT_EQ(std::count_if(model.warnings.begin(), model.warnings.end(), of_structure), 1);
    EXPECT_NE(model.warnings.back().find("planes of their own"), std::string::npos);
}

TEST(SrcmodFsp, WithoutTheSentenceTheUpperEdgeTellsThePoint) {
    // Dip 30, 5 km: the centre lies 1.25 km below the upper edge.
    const SlipModel top = read_text("a.fsp", header("", "4.00") + kRows);
    const SlipModel centre = read_text("a.fsp", header("", "2.75") + kRows);

    EXPECT_NEAR(top.patches[0].depth_m, 5250.0, 1e-6);
    EXPECT_NEAR(centre.patches[0].depth_m, 4000.0, 1e-6);
    EXPECT_NE(refusal("a.fsp", header("", "1.0") + kRows).find("does not tell"), std::string::npos);
}

TEST(SrcmodFsp, HeaderThatContradictsItsUpperEdgeIsToldOf) {
    const SlipModel model = read_text("a.fsp", header(kCentre, "4.00") + kRows);

    EXPECT_NEAR(model.patches[0].depth_m, 4000.0, 1e-6);
    ASSERT_EQ(model.warnings.size(), 1u);
    EXPECT_NE(model.warnings[0].find("fits top centres"), std::string::npos);
}

TEST(SrcmodFsp, RakeOfTheHeaderHoldsWhereRowsHaveNone) {
    const SlipModel model =
        read_text("a.fsp", header(kTopCentre, "4.0", "LAT LON X==EW Y==NS Z SLIP") +
                               "37.5 26.4 -5 0 4.0 0.5\n37.5 26.5 0 0 4.0 1.5\n");

    EXPECT_EQ(model.patches[1].rake_deg, -90.0);
    EXPECT_EQ(model.patches[1].slip_m, 1.5);
}

TEST(SrcmodFsp, SlipInTimeWindowsIsASeriesOfRates) {
    std::string text = header(kCentre, "2.75", "LAT LON X==EW Y==NS Z SLIP RAKE TRUP TW1 TW2");
    const std::string rows =
        "37.5 26.4 -5 0 4.0 0.5 -80 2 0.2 0.3\n37.5 26.5 0 0 4.0 1.5 -100 3 0 1.5\n";
    const auto windows = [&](const std::string& line) {
        std::string with = text;
        return with.insert(with.find("% Invs : Dx"), line) + rows;
    };
    const SlipModel model = read_text("a.fsp", windows("% Invs : LEN = 2 s SHF = 1 s\n"));

    EXPECT_TRUE(model.warnings.empty());
    const SlipPatch& patch = model.patches[0];
    EXPECT_EQ(patch.rupture_time_s, 2.0);
    ASSERT_EQ(patch.rates.size(), 1u);
    const SlipRate& rate = patch.rates[0];
    EXPECT_DOUBLE_EQ(rate.slip_m, 0.5);
    EXPECT_EQ(rate.rake_deg, -80.0);
    EXPECT_DOUBLE_EQ(rate.interval_s, 0.1);
    // Triangles of 0.2 m and, a second later, 0.3 m: both peak at their slip per second.
    ASSERT_EQ(rate.rate_m_per_s.size(), 30u);
    EXPECT_EQ(rate.rate_m_per_s[0], 0.0);
    EXPECT_NEAR(rate.rate_m_per_s[10], 0.2, 1e-12);
    EXPECT_NEAR(rate.rate_m_per_s[15], 0.25, 1e-12);
    EXPECT_NEAR(rate.rate_m_per_s[20], 0.3, 1e-12);

    EXPECT_NE(refusal("a.fsp", windows("")).find("LEN of the time windows is missing"),
              std::string::npos);
    EXPECT_NE(refusal("a.fsp", windows("% Invs : LEN = 2 s SHF = -1 s\n"))
                  .find("LEN and SHF of the time windows must be >= 0 s"),
              std::string::npos);
    text.replace(text.find("SLIP RAKE TRUP"), 14, "SLIP RAKE RISE");
    const SlipModel other = read_text(
        "a.fsp", text.insert(text.find("% Invs : Dx"), "% Invs : LEN = 2 s SHF = 1 s\n") +
                     "37.5 26.4 -5 0 4.0 0.5 -80 2 0.1 0.3\n37.5 26.5 0 0 4.0 1.5 -100 3 0 1.5\n");
    ASSERT_EQ(other.warnings.size(), 1u);
    EXPECT_NE(other.warnings[0].find("in 1 rows; SLIP is used"), std::string::npos);
}

TEST(SrcmodFsp, RakesOfTimeWindowsGiveThePatchItsDirection) {
    const std::string invs = "% Invs : LEN = 2 s SHF = 1 s\n";
    const auto file = [&](const std::string& invs_line, const std::string& rows) {
        std::string text =
            header(kCentre, "2.75", "LAT LON X==EW Y==NS Z SLIP TW1 rakeTW1 TW2 rakeTW2");
        return text.insert(text.find("% Invs : Dx"), invs_line) + rows;
    };
    // 0.3 m along 0 and 0.4 m along 90 degrees are 0.5 m along atan2(4, 3).
    const std::string rows =
        "37.5 26.4 -5 0 4.0 0.5 0.3 0 0.4 90\n37.5 26.5 0 0 4.0 1.0 0.5 135 0.5 135\n";
    const SlipModel model = read_text("a.fsp", file(invs, rows));

    EXPECT_NEAR(model.patches[0].rake_deg, std::atan2(4.0, 3.0) / kDegree, 1e-9);
    EXPECT_NEAR(model.patches[1].rake_deg, 135.0, 1e-9);
    EXPECT_EQ(model.patches[0].slip_m, 0.5);
    EXPECT_TRUE(model.warnings.empty());
    ASSERT_EQ(model.patches[0].rates.size(), 2u);
    EXPECT_NEAR(model.patches[0].rates[1].slip_m, 0.4, 1e-12);
    EXPECT_EQ(model.patches[0].rates[1].rake_deg, 90.0);
    ASSERT_EQ(model.patches[1].rates.size(), 1u);
    EXPECT_NEAR(model.patches[1].rates[0].slip_m, 1.0, 1e-12);

    // Where times are not known the slip is.
    const SlipModel still = read_text("a.fsp", file("% Invs : LEN = 2 s SHF = 0 s\n", rows));
    EXPECT_NEAR(still.patches[0].rake_deg, std::atan2(4.0, 3.0) / kDegree, 1e-9);
    EXPECT_TRUE(still.patches[0].rates.empty());
    ASSERT_EQ(still.warnings.size(), 1u);
    EXPECT_NE(still.warnings[0].find("the time of each is unknown"), std::string::npos);
}

TEST(SrcmodFsp, TimeWindowsWithoutRakesTakeTheHeadersAndSaySo) {
    std::string text = header(kCentre, "2.75", "LAT LON X==EW Y==NS Z SLIP TW1 TW2");
    text.insert(text.find("% Invs : Dx"), "% Invs : LEN = 2 s SHF = 1 s\n");
    const SlipModel model =
        read_text("a.fsp", text + "37.5 26.4 -5 0 4.0 0.5 0.2 0.3\n37.5 26.5 0 0 4.0 1.5 0 1.5\n");

    EXPECT_EQ(model.patches[0].rake_deg, -90.0);
    ASSERT_EQ(model.warnings.size(), 1u);
    EXPECT_NE(model.warnings[0].find("the header's, -90 degrees, is used in 2 rows"),
              std::string::npos);
}

TEST(SrcmodFsp, ColumnsAnnouncedAsRowsAreReadWhereTheGridAgrees) {
    // The USGS writes Nx behind Nsbfs.
    std::string text = header(kCentre, "2.75");
    text.replace(text.find("Nx = 2 Nz = 1"), 13, "Nx = 1 Nz = 2");
    text.insert(text.find("% Coordinates"), "% Nsbfs = 1 subfaults\n");
    const SlipModel model = read_text("a.fsp", text + kRows);

    EXPECT_EQ(model.patches.size(), 2u);
    ASSERT_EQ(model.warnings.size(), 1u);
    EXPECT_EQ(model.warnings[0],
              "segment 1: Nsbfs announces 1 rows, 2 are read: as many as its Nx and Nz, or its "
              "sizes, announce");
}

TEST(SrcmodFsp, WordsBetweenTheNumbersAreLeftOutAndCounted) {
    const SlipModel model = read_text("a.fsp", header(kTopCentre, "4.0") +
                                                   "37.5 26.4 -5 0 4.0 0.5 x -80\n"
                                                   "37.5 26.5 0 0 4.0 1.5 x -100\n");

    EXPECT_EQ(model.patches[1].rake_deg, -100.0);
    ASSERT_EQ(model.warnings.size(), 1u);
    EXPECT_EQ(model.warnings[0],
              "words between the numbers of 2 rows are left out, first 'x' in line 10");
    EXPECT_EQ(refusal("a.fsp", header(kTopCentre, "4.0") + "37.5 26.4 -5 0 4.0 x -80\n"),
              "a.fsp:10: SLIP: 'x', must be a finite number");
}

TEST(SrcmodFsp, StructureIsFoundUnderNamesWithUnderscores) {
    std::string text = header(kCentre, "2.75");
    text.insert(text.find("% Coordinates"),
                "% DEPTH P_VEL S_VEL DENS QP QS\n% [km] [km/s] [km/s] [g/cm^3]\n"
                "% 0.0 5.2 3.0 2.5 600 300\n");
    const SlipModel model = read_text("a.fsp", text + kRows);

    ASSERT_TRUE(model.rigidity);
    EXPECT_NEAR(model.rigidity->mu_pa(0.0), 2500.0 * 9e6, 1.0);
}

TEST(SrcmodFsp, FaultsAreNamedWithLineAndRule) {
    const std::string good = header(kTopCentre, "4.0");

    EXPECT_EQ(refusal("a.fsp", good + "37.5 26.4 -5 0 4.0 0.5 -80\n"),
              "a.fsp: Nsbfs: segment 1 holds 1 rows, the header announces 2");
    EXPECT_EQ(refusal("a.fsp", good + "37.5 26.4 -5 0 4.0 nan -80\n"),
              "a.fsp:10: SLIP: 'nan', must be a finite number");
    EXPECT_EQ(refusal("a.fsp", good + "37.5 26.4 -5 0 4.0 0.5\n"),
              "a.fsp:10: columns: 6, must be 7 as line 9 names them");
    EXPECT_EQ(refusal("a.fsp", good + "37.5 26.4 -5 0 4.0 250 -80\n"),
              "a.fsp:10: slip: '250', m must be from 0 to 100 m (opposite slip has rake + 180; are "
              "the units right?)");
    EXPECT_EQ(refusal("a.fsp", good + "97.5 26.4 -5 0 4.0 2 -80\n"),
              "a.fsp:10: latitude: '97.5', must be from -90 to 90 degrees");
    EXPECT_EQ(refusal("a.fsp", "37.5 26.4 -5 0 4.0 2 -80\n"),
              "a.fsp:1: columns: no line '% LAT LON ... Z SLIP ...' stands above this row");
    EXPECT_EQ(refusal("a.fsp", good), "a.fsp: holds no patch");
    EXPECT_EQ(refusal("a.fsp", "% Mech : STRK = north DIP = 20\n"),
              "a.fsp:1: STRK: 'north', must be a finite number");
}

}  // namespace
}  // namespace kaname::slip_model::srcmod_fsp_test
