// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::relax_flt_test {
namespace {

const std::string kHeader = "# nb slip(cm)  x1(km)  x2  x3 length(km) width strike dip   rake\n";
const std::string kRow = "001 200.0 10.0 20.0 3.0 25.0 20.0 90.0 30.0 153.0\n";

TEST(RelaxFlt, CornerAtTheStartOfStrikeBecomesTheCentre) {
    const SlipModel model = read_text("a.flt", kHeader + kRow);

    EXPECT_FALSE(model.geographic);
    const SlipPatch& patch = model.patches[0];
    EXPECT_EQ(patch.slip_m, 2.0);  // 200 cm
    // Strike 90: half the length goes east, the dip's horizontal part 10 km cos 30 south.
    EXPECT_NEAR(patch.east_m, 20000.0 + 12500.0, 1e-6);
    EXPECT_NEAR(patch.north_m, 10000.0 - 8660.254, 1e-3);
    EXPECT_NEAR(patch.depth_m, 3000.0 + 5000.0, 1e-6);
    EXPECT_EQ(patch.length_m, 25000.0);
    EXPECT_EQ(patch.width_m, 20000.0);
    EXPECT_EQ(patch.rake_deg, 153.0);
}

TEST(RelaxFlt, CentreStaysWhereItIsSaidSo) {
    ReadOptions options;
    options.flt_point = PatchPoint::Centre;

    const SlipModel model = read_text("a.flt", kHeader + kRow, options);

    EXPECT_EQ(model.patches[0].east_m, 20000.0);
    EXPECT_EQ(model.patches[0].north_m, 10000.0);
    EXPECT_EQ(model.patches[0].depth_m, 3000.0);
}

TEST(RelaxFlt, UnitsComeFromTheHeaderOrFromTheCaller) {
    ReadOptions metres;
    metres.length_unit = LengthUnit::Metre;
    metres.slip_unit = SlipUnit::Metre;
    const std::string row = "1 2.0 10e3 20e3 3e3 25e3 20e3 90.0 30.0 153.0\n";

    const SlipPatch patch = read_text("a.flt", row, metres).patches[0];

    EXPECT_EQ(patch.slip_m, 2.0);
    EXPECT_EQ(patch.length_m, 25000.0);
    EXPECT_EQ(refusal("a.flt", row),
              "a.flt:1: length_unit: the file's header names no unit; state length_unit");
    EXPECT_EQ(refusal("a.flt", kHeader + kRow, metres),
              "a.flt:2: length_unit: the option and the file's header name different units");
}

TEST(RelaxFlt, FaultsAreNamedWithLineAndRule) {
    EXPECT_EQ(refusal("a.flt", kHeader + "1 2 3\n"),
              "a.flt:2: columns: 3, must be 10: n slip x1 x2 x3 length width strike dip rake");
    EXPECT_EQ(refusal("a.flt", kHeader + "1 2 1 1 1 -25 20 90 30 0\n"),
              "a.flt:2: length: '-25000', m must be > 0 and at most 2000 km");
    EXPECT_EQ(refusal("a.flt", kHeader + "1 2 1 1 1 25 20 90 120 0\n"),
              "a.flt:2: dip: '120', must be from 0 to 90 degrees (a plane that dips the other way "
              "has strike + 180)");
    EXPECT_EQ(refusal("a.flt", kHeader + "1 0 1 1 1 25 20 90 20 0\n"),
              "a.flt: slip is zero on every patch");
}

}  // namespace
}  // namespace kaname::slip_model::relax_flt_test
