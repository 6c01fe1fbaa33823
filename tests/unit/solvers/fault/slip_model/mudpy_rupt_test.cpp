// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::mudpy_rupt_test {
namespace {

const std::string kHeader =
    "# No,lon,lat,z(km),strike,dip,rise,dura,ss-slip(m),ds-slip(m),ss_len(m),ds_len(m),"
    "rupt_time(s),rigidity(Pa)\n";
const std::string kRow =
    "1\t-125.2371\t46.4190\t10.8050\t353.00\t10.00\t0.5\t8.00\t3.0000e+00\t4.0000e+00\t"
    "16926.90\t12000.00\t20.50\t3.5e+10\n";

TEST(MudpyRupt, RowsAreCentresWithComponentsOfSlip) {
    const SlipModel model = read_text("cascadia.rupt", kHeader + kRow);

    EXPECT_EQ(model.format, SlipFormat::MudpyRupt);
    EXPECT_TRUE(model.geographic);
    ASSERT_EQ(model.patches.size(), 1u);
    const SlipPatch& patch = model.patches[0];
    EXPECT_EQ(patch.lon_deg, -125.2371);
    EXPECT_EQ(patch.lat_deg, 46.419);
    EXPECT_EQ(patch.depth_m, 10805.0);
    EXPECT_EQ(patch.strike_deg, 353.0);
    EXPECT_EQ(patch.dip_deg, 10.0);
    EXPECT_DOUBLE_EQ(patch.slip_m, 5.0);
    EXPECT_NEAR(patch.rake_deg, 53.130, 1e-3);  // left-lateral 3, reverse 4
    EXPECT_EQ(patch.length_m, 16926.9);
    EXPECT_EQ(patch.width_m, 12000.0);
    EXPECT_EQ(patch.rise_time_s, 8.0);
    EXPECT_EQ(patch.rupture_time_s, 20.5);
    EXPECT_NEAR(*patch.moment_nm, 3.5e10 * 16926.9 * 12000.0 * 5.0, 1e10);
}

TEST(MudpyRupt, VelocityMayFollowAndOtherColumnsMayNot) {
    std::string with_velocity = kRow;
    with_velocity.insert(with_velocity.size() - 1, "\t2.8");

    EXPECT_EQ(read_text("a.rupt", kHeader + with_velocity).patches.size(), 1u);
    EXPECT_NE(refusal("a.rupt", kHeader + "1 2 3\n").find("a.rupt:2: columns: 3, must be 14 or 15"),
              std::string::npos);
    EXPECT_NE(refusal("a.rupt", kHeader + kRow + kRow).find("subfault 1 stands twice"),
              std::string::npos);
}

TEST(ReadSlipModel, WhatAFormatDoesNotAskForIsRefused) {
    ReadOptions unit;
    unit.length_unit = LengthUnit::Kilometre;
    ReadOptions rake;
    rake.rake_deg = 90.0;

    EXPECT_EQ(refusal("a.rupt", kHeader + kRow, unit),
              "a.rupt: length_unit: belongs to format relax_flt alone, the file is mudpy_rupt");
    EXPECT_EQ(refusal("a.rupt", kHeader + kRow, rake),
              "a.rupt: rake_deg: belongs to format csi_gmt alone, the file is mudpy_rupt");
}

}  // namespace
}  // namespace kaname::slip_model::mudpy_rupt_test
