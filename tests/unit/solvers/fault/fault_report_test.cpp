// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/fault_report.hpp"

#include <gtest/gtest.h>

#include "tests/support/box_mesh.hpp"

namespace kaname::fault::fault_report_test {
namespace {

/// 4 x 4 x 4 unit cells under z = 0, a wall on x = 2 for 1 <= y < 3 from z = -3 up to `top` cells
/// above the bottom.
test::BoxMesh wall(int top) {
    return {.cells = {4, 4, 4},
            .low = {0.0, 0.0, -4.0},
            .high = {4.0, 4.0, 0.0},
            .faults = {{.axis = 0, .index = 2, .low = {0, 1, 1}, .high = {0, 3, top}}}};
}

TEST(ReportFaults, MeasuresABuriedRectangle) {
    const FaultReport fault = report_faults(wall(3).build()).at(0);

    EXPECT_EQ(fault.name, "fault");
    EXPECT_EQ(fault.faces, 8);
    EXPECT_DOUBLE_EQ(fault.area_m2, 4.0);
    EXPECT_DOUBLE_EQ(fault.top_depth_m, 1.0);
    EXPECT_DOUBLE_EQ(fault.bottom_depth_m, 3.0);
    EXPECT_EQ(fault.pieces, 1);
    EXPECT_DOUBLE_EQ(fault.rim_m, 8.0);
    EXPECT_EQ(fault.split_nodes, 9);
    EXPECT_EQ(fault.rim_nodes, 16);
    EXPECT_EQ(fault.orphan_nodes, 0);
    EXPECT_EQ(fault.stuck_faces, 0);
}

TEST(ReportFaults, RimDoesNotCountTheOutcrop) {
    const FaultReport fault = report_faults(wall(4).build()).at(0);

    EXPECT_DOUBLE_EQ(fault.top_depth_m, 0.0);
    EXPECT_DOUBLE_EQ(fault.rim_m, 2.0 + 3.0 + 3.0);
    EXPECT_EQ(fault.rim_nodes, 5 + 6 + 6);
    EXPECT_EQ(fault.split_nodes + fault.rim_nodes, 5 * 7);
}

TEST(ReportFaults, CountsPiecesFacesThatNeverSlipAndFaultsWithoutFaces) {
    test::BoxMesh box = wall(2);
    box.faults[0].high = {0, 2, 2};
    box.faults.push_back({.axis = 0, .index = 2, .low = {0, 2, 2}, .high = {0, 3, 3}});
    mesh::TetMesh mesh = box.build();
    mesh.faults = {"none", "two"};
    for (mesh::FaultFace& face : mesh.fault_faces) {
        face.fault = 1;
    }

    const auto faults = report_faults(mesh);

    EXPECT_EQ(faults[0].faces, 0);
    EXPECT_EQ(faults[0].pieces, 0);
    EXPECT_EQ(faults[1].faces, 4);
    EXPECT_EQ(faults[1].pieces, 2) << "two squares that share a corner";
    EXPECT_EQ(faults[1].split_nodes, 2) << "the middle of either diagonal";
    EXPECT_EQ(faults[1].stuck_faces, 0);

    mesh.fault_faces.resize(1);
    EXPECT_EQ(report_faults(mesh)[1].stuck_faces, 1);
}

TEST(ReportFaults, NamesNodesInsideThatCannotSlip) {
    mesh::TetMesh mesh = wall(3).build();
    const auto vertex = [](int i, int j, int k) { return i + 5 * (j + 5 * k); };
    // A tet that joins both sides across the edge from the fault's middle to its border.
    mesh.tets.push_back({vertex(2, 2, 2), vertex(2, 3, 2), vertex(3, 3, 2), vertex(1, 2, 2)});
    mesh.material.push_back(0);

    const FaultReport fault = report_faults(mesh).at(0);

    EXPECT_EQ(fault.orphan_nodes, 2) << "the middle, and the middle of that edge";
    ASSERT_TRUE(fault.orphan);
    EXPECT_DOUBLE_EQ(fault.orphan->x, 2.0);
    EXPECT_EQ(fault.split_nodes, 7);
}

TEST(ReportFaults, NamesFacesThatAreApartFromTheRest) {
    test::BoxMesh box{.cells = {4, 12, 12}, .low = {0.0, 0.0, -12.0}, .high = {4.0, 12.0, 0.0}};
    box.faults = {{.axis = 0, .index = 2, .low = {0, 1, 1}, .high = {0, 9, 9}}};
    EXPECT_EQ(report_faults(box.build()).at(0).stray_faces, 0);
    box.faults.push_back({.axis = 0, .index = 2, .low = {0, 10, 10}, .high = {0, 11, 11}});

    const FaultReport fault = report_faults(box.build()).at(0);

    EXPECT_EQ(fault.pieces, 2);
    EXPECT_EQ(fault.stray_faces, 2) << "beside 128";
    ASSERT_TRUE(fault.stray);
    EXPECT_GE(fault.stray->y, 10.0);
}

}  // namespace
}  // namespace kaname::fault::fault_report_test
