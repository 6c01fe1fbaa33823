// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::usgs_param_test {
namespace {

const std::string kHead =
    "#Total number of fault_segments=     1\n"
    "#Fault_segment =   1 nx(Along-strike)=   2 Dx= 10.00km ny(downdip)=   1 Dy= 10.00km\n"
    "#Boundary of Fault_segment     1. EQ in cell 1,1. Lon: 0.0   Lat: 0.0\n"
    "#Lon.  Lat.  Depth\n";
// A vertical plane towards north at the equator, 2 x 1 patches, one point source each.
const std::string kOutline =
    "0 0 5\n0 0.0904371 5\n0 0.0904371 5\n0 0 5\n0 0 5\n"
    "#Lat. Lon. depth slip rake strike dip t_rup t_ris t_fal mo\n";
const std::string kRows =
    "0.0       0 5 250 0 0 90 1 2 3 1e26\n0.0904371 0 5  50 0 0 90 1 2 3 1e25\n";

TEST(UsgsParam, FirstRowOfWhartonIsCentimetresAndDyneCentimetres) {
    const SlipModel model = read_slip_model(real_file("wharton2016_usgs.param"));

    ASSERT_EQ(model.patches.size(), 225u);
    const SlipPatch& first = model.patches[0];
    EXPECT_NEAR(first.slip_m, 0.3086721, 1e-12);      // 30.867210 cm
    EXPECT_NEAR(*first.moment_nm, 8.359976e16, 1e4);  // 8.359976e+23 dyne cm
    EXPECT_EQ(first.rake_deg, 369.9845);              // as it stands there
    EXPECT_EQ(first.strike_deg, 5.0);
    EXPECT_EQ(first.dip_deg, 79.0);
    EXPECT_EQ(first.length_m, 10000.0);
    EXPECT_EQ(first.width_m, 5000.0);
    EXPECT_EQ(first.rupture_time_s, 110.4);
    EXPECT_NEAR(*first.rise_time_s, 4.4 + 8.8, 1e-12);  // rise and fall
}

class BothForms : public testing::TestWithParam<const char*> {};

TEST_P(BothForms, ParamAndFspOfOneEventAgreePatchByPatch) {
    // The .param's rows are point sources a third (Wharton) or a fifth (Antofagasta) of a patch
    // away from the centres of the .fsp; the outline in its header tells the offset.
    const std::string stem = std::string(GetParam()) + "_usgs";
    const SlipModel param = read_slip_model(real_file(stem + ".param"));
    const SlipModel fsp = read_slip_model(real_file(stem + ".fsp"));

    ASSERT_EQ(param.patches.size(), fsp.patches.size());
    ASSERT_EQ(param.segments.size(), fsp.segments.size());
    for (std::size_t i = 0; i < fsp.patches.size(); ++i) {
        const SlipPatch& a = param.patches[i];
        const SlipPatch& b = fsp.patches[i];
        // Both files round positions to 1e-4 degrees; the .fsp shifts all rows by one number of
        // degrees of longitude, here it is one number of metres (20 m apart over 2 degrees).
        EXPECT_NEAR(a.lat_deg, b.lat_deg, 1.6e-4) << b.id;
        EXPECT_NEAR(a.lon_deg, b.lon_deg, 2.5e-4) << b.id;
        EXPECT_NEAR(a.depth_m, b.depth_m, 0.2) << b.id;
        EXPECT_NEAR(a.slip_m, b.slip_m, 5.1e-5) << b.id;
        EXPECT_NEAR(a.rake_deg, b.rake_deg, 5.1e-5) << b.id;
        EXPECT_EQ(a.strike_deg, b.strike_deg);
        EXPECT_EQ(a.dip_deg, b.dip_deg);
        EXPECT_EQ(a.segment, b.segment);
        EXPECT_EQ(a.id, b.id);
        EXPECT_EQ(a.length_m, b.length_m);
        EXPECT_EQ(a.width_m, b.width_m);
    }
}

INSTANTIATE_TEST_SUITE_P(Usgs, BothForms, testing::Values("antofagasta1995", "wharton2016"));

TEST(UsgsParam, RowsAtTheMiddleOfTheOutlineAreCentres) {
    const SlipModel model = read_text("a.param", kHead + kOutline + kRows);

    EXPECT_NEAR(model.patches[0].lat_deg, 0.0, 1e-9);
    EXPECT_NEAR(model.patches[0].depth_m, 5000.0, 1e-6);
    EXPECT_EQ(model.patches[0].slip_m, 2.5);
}

TEST(UsgsParam, BlanksBeforeTheEqualsSignsAreFine) {
    std::string text = kHead + kOutline + kRows;
    for (const char* key : {"Dx=", "Dy=", "nx(Along-strike)=", "fault_segments="}) {
        const std::string name(key);
        text.replace(text.find(name), name.size(), name.substr(0, name.size() - 1) + " =");
    }

    EXPECT_EQ(read_text("a.param", text).patches.size(), 2u);
}

TEST(UsgsParam, FaultsAreNamedWithLineAndRule) {
    const std::string row = "0.0904371 0 5  50 0 0 90 1 2 3 1e25\n";

    EXPECT_EQ(refusal("a.param", kHead + kOutline + row), "a.param: ends before its last row");
    EXPECT_EQ(refusal("a.param", kHead + kOutline + kRows + row),
              "a.param:13: rows: more than the headers announce");
    EXPECT_EQ(refusal("a.param", kHead + kOutline + row + "0 0 5 inf 0 0 90 1 2 3 1e25\n"),
              "a.param:12: slip: 'inf', must be a finite number");
    EXPECT_EQ(refusal("a.param", kHead + kOutline + row + "0 0 5 50 0 0 90 1 2 3\n"),
              "a.param:12: columns: 10, must be 11; the header announces 2 x 1 rows");
    EXPECT_EQ(refusal("a.param",
                      "#Total number of fault_segments= 1\n#Fault_segment = 1 "
                      "nx(Along-strike)= -2 Dx= 10.00km ny(downdip)= 1 Dy= 10.00km\n"),
              "a.param:2: nx: '-2', must be a whole number from 1 to 200000");
    EXPECT_EQ(refusal("a.param",
                      "#Total number of fault_segments= 1\n#Fault_segment = 1 "
                      "nx(Along-strike)= 2 Dx= 10.00m ny(downdip)= 1 Dy= 10.00km\n"),
              "a.param:2: Dx=: '10.00m', must be in km, as 15.00km");
    // Rows a whole patch from the outline.
    EXPECT_NE(refusal("a.param", kHead + kOutline + "0.1 0 5 250 0 0 90 1 2 3 1e26\n" +
                                     "0.1904371 0 5 50 0 0 90 1 2 3 1e25\n")
                  .find("a.param:2: outline: its centre must lie"),
              std::string::npos);
}

}  // namespace
}  // namespace kaname::slip_model::usgs_param_test
