// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::csi_gmt_test {
namespace {

// 0.1 degrees of latitude (11.1 km) towards north along the equator, dipping 45 degrees east:
// 0.09 degrees of longitude are 10.0188 km.
const std::string kCorners =
    "0.00 0.05 2.0\n0.00 -0.05 2.0\n0.09 -0.05 12.01875\n0.09 0.05 12.01875\n";

TEST(CsiGmt, RectangleHasStrikeWithTheDipToItsRight) {
    const SlipModel model = read_text("a.gmt", "> -Z5.0  #  3.0 -4.0 0.5\n" + kCorners);

    ASSERT_EQ(model.patches.size(), 1u);
    const SlipPatch& patch = model.patches[0];
    EXPECT_NEAR(patch.strike_deg, 0.0, 1e-9);
    EXPECT_NEAR(patch.dip_deg, 45.0, 1e-3);
    EXPECT_NEAR(patch.lon_deg, 0.045, 1e-12);
    EXPECT_NEAR(patch.lat_deg, 0.0, 1e-12);
    EXPECT_NEAR(patch.depth_m, 7009.375, 1e-6);
    EXPECT_NEAR(patch.length_m, 11057.4, 0.1);  // 0.1 degrees of the meridian at the equator
    EXPECT_NEAR(patch.width_m, 14168.7, 0.1);
}

TEST(CsiGmt, ComponentsAreLeftLateralReverseAndOpening) {
    const SlipModel model = read_text("a.gmt", "> -Z5.0  #  3.0 -4.0 0.5\n" + kCorners);

    EXPECT_NEAR(model.patches[0].slip_m, 5.0, 1e-12);
    EXPECT_NEAR(model.patches[0].rake_deg, -53.13010235, 1e-8);  // left-lateral and normal
    EXPECT_EQ(model.patches[0].opening_m, 0.5);
    EXPECT_TRUE(model.warnings.empty());
}

TEST(CsiGmt, OrderOfTheCornersDoesNotMatter) {
    const std::string other =
        "0.09 -0.05 12.01875\n0.00 -0.05 2.0\n0.00 0.05 2.0\n0.09 0.05 12.01875\n";
    const SlipModel model = read_text("a.gmt", "> -Z5.0 # 0 5 0\n" + other);

    EXPECT_NEAR(model.patches[0].strike_deg, 0.0, 1e-9);
    EXPECT_NEAR(model.patches[0].dip_deg, 45.0, 1e-3);
    EXPECT_NEAR(model.patches[0].length_m, 11057.4, 0.1);
}

TEST(CsiGmt, IndexGroupBeforeTheSlipIsNoSlip) {
    const SlipModel model = read_text("a.gmt", "> -Z2.0 # 7 8 9  # 0.0 2.0 0.0\n" + kCorners);

    EXPECT_EQ(model.patches[0].slip_m, 2.0);
    EXPECT_EQ(model.patches[0].rake_deg, 90.0);
}

TEST(CsiGmt, SizeAloneNeedsARake) {
    ReadOptions thrust;
    thrust.rake_deg = 90.0;

    EXPECT_EQ(read_text("a.gmt", "> -Z2.5\n" + kCorners, thrust).patches[0].rake_deg, 90.0);
    EXPECT_EQ(refusal("a.gmt", "> -Z2.5\n" + kCorners),
              "a.gmt:1: rake: the file holds the size of slip only; state rake_deg (or write the "
              "components behind #)");
    EXPECT_EQ(refusal("a.gmt", "> -Z2.5 # 0 2.5 0\n" + kCorners, thrust),
              "a.gmt:1: rake_deg is stated, but the file holds components of slip");
}

TEST(CsiGmt, ValuesThatAreNotSlipAreToldOf) {
    const SlipModel model = read_text("a.gmt", "> -Z0.7 # 0 2.0 0\n" + kCorners);

    ASSERT_EQ(model.warnings.size(), 1u);
    EXPECT_EQ(model.patches[0].slip_m, 2.0);
}

TEST(CsiGmt, VerticalPatchHasAStrikeBelow180) {
    const SlipModel model =
        read_text("a.gmt", "> -Z1 # 1 0 0\n0 0.05 0\n0 -0.05 0\n0 -0.05 9\n0 0.05 9\n");

    EXPECT_EQ(model.patches[0].strike_deg, 0.0);
    EXPECT_EQ(model.patches[0].dip_deg, 90.0);
    EXPECT_EQ(model.patches[0].rake_deg, 0.0);
}

TEST(CsiGmt, FaultsAreNamedWithLineAndRule) {
    const std::string head = "> -Z1 # 1 0 0\n";

    EXPECT_EQ(
        refusal("a.gmt", head + "0 0 1\n0 1 1\n1 1 2\n> -Z1 # 1 0 0\n"),
        "a.gmt:1: corners: fewer than 4 follow; patches must be rectangles (triangles are not "
        "read)");
    EXPECT_EQ(refusal("a.gmt", head + kCorners + "0 0 5\n"),
              "a.gmt:6: corners: more than 4 of one patch, or a line before the first '>'");
    EXPECT_EQ(refusal("a.gmt", "> 5\n" + kCorners),
              "a.gmt:1: a segment must start with '> -Z<slip in metres>'");
    EXPECT_EQ(refusal("a.gmt", head + "0 95 1\n"),
              "a.gmt:2: lat: '95', must be from -89.9 to 89.9 degrees");
    EXPECT_NE(refusal("a.gmt", head + "0 0 1\n0 0.1 1\n0.1 0.3 5\n0.1 0.0 5\n")
                  .find("a.gmt:1: corners: must go round a rectangle"),
              std::string::npos);
    EXPECT_EQ(refusal("a.gmt", head + "0 0 1\n0 0 1\n0.1 0 5\n0.1 0 5\n"),
              "a.gmt:1: corners: two of them are at one place");
    EXPECT_NE(refusal("a.gmt", head + "0 0 5\n0 0.081394 8\n0 0.054263 17\n0 -0.027131 14\n")
                  .find("an edge must be level"),
              std::string::npos);
}

}  // namespace
}  // namespace kaname::slip_model::csi_gmt_test
