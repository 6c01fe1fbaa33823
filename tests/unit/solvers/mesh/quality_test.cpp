// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/quality.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/p2/dof_map.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::mesh::quality_test {
namespace {

/// Two tets on one shared face, which is the fault.
TetMesh two_tets() {
    TetMesh mesh;
    mesh.xyz = {{0, 0, 0}, {1000, 0, 0}, {0, 1000, 0}, {0, 0, 1000}, {0, 0, -1000}};
    mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    mesh.material = {0, 1};
    mesh.fault_faces = {{{0, 1, 2}}};
    mesh.boundary_faces = {{{0, 1, 3}, Side::South}, {{0, 3, 2}, Side::West},
                           {{1, 2, 3}, Side::Top},   {{0, 4, 1}, Side::South},
                           {{0, 2, 4}, Side::West},  {{2, 1, 4}, Side::Bottom}};
    return mesh;
}

void expect_fault(const TetMesh& mesh, const std::string& field, const std::string& text) {
    try {
        check_mesh(mesh, 2);
        ADD_FAILURE() << "accepted; expected " << field << ": " << text;
    } catch (const ValidationError& error) {
        for (const auto& violation : error.violations()) {
            if (violation.field.rfind(field, 0) == 0 &&
                violation.message.find(text) != std::string::npos) {
                return;
            }
        }
        ADD_FAILURE() << "expected " << field << ": " << text << "\ngot " << error.what();
    }
}

TEST(CheckMesh, AcceptsASoundMesh) {
    EXPECT_NO_THROW(check_mesh(two_tets(), 2));
}

TEST(CheckMesh, ReturnsFacesThatServeTheReport) {
    auto mesh = two_tets();
    const FaceSet faces = check_mesh(mesh, 2);
    mesh.boundary_faces.pop_back();

    EXPECT_EQ(faces.size(), 7);
    EXPECT_EQ(measure_quality(mesh, faces).connectivity.open_faces, 1);
}

TEST(CheckMesh, FindsAnInvertedTetAndNamesItsCorners) {
    auto mesh = two_tets();
    std::swap(mesh.tets[1][1], mesh.tets[1][2]);

    expect_fault(mesh, "tets[1]", "(0, 0, -1000) m");
}

TEST(CheckMesh, FindsAFlatTet) {
    auto mesh = two_tets();
    mesh.xyz[3].z = 0.0;

    expect_fault(mesh, "tets[0]", "volume must be > 0, is 0 m^3");
}

TEST(CheckMesh, FindsVertexIdsOutOfRange) {
    auto tet = two_tets();
    tet.tets[1][3] = 5;
    auto fault = two_tets();
    fault.fault_faces[0].vertices[2] = -1;
    auto boundary = two_tets();
    boundary.boundary_faces[3].vertices[0] = 99;

    expect_fault(tet, "tets[1]", "0..4");
    expect_fault(fault, "fault_faces[0]", "0..4");
    expect_fault(boundary, "boundary_faces[3]", "0..4");
}

TEST(CheckMesh, FindsAFaceOfThreeTets) {
    auto mesh = two_tets();
    mesh.xyz.push_back({200, 200, 2000});
    mesh.tets.push_back({0, 1, 2, 5});
    mesh.material.push_back(0);

    expect_fault(mesh, "faces", "more than two tets at (333.333333, 333.333333, 0) m");
}

TEST(CheckMesh, FindsAFreeFaceThatIsNoBoundary) {
    auto mesh = two_tets();
    mesh.boundary_faces.erase(mesh.boundary_faces.begin() + 2);

    expect_fault(mesh, "faces", "hanging node or hole) at (333.333333, 333.333333, 333.333333) m");
}

TEST(CheckMesh, FindsABoundaryFaceInside) {
    auto mesh = two_tets();
    mesh.boundary_faces.push_back({{0, 1, 2}, Side::Top});

    expect_fault(mesh, "boundary_faces[6]", "not the face of exactly one tet");
}

TEST(CheckMesh, FindsAVertexInNoTet) {
    auto mesh = two_tets();
    mesh.xyz.push_back({1, 2, 3});

    expect_fault(mesh, "xyz[5]", "(1, 2, 3) m");
}

TEST(CheckMesh, FindsAFaultFaceOnTheBoundary) {
    auto mesh = two_tets();
    mesh.fault_faces.push_back({{0, 1, 3}});

    expect_fault(mesh, "fault_faces[1]", "not the face of two tets");
}

TEST(CheckMesh, FindsAFaultFaceNamedTwice) {
    auto mesh = two_tets();
    mesh.fault_faces.push_back({{1, 2, 0}});

    expect_fault(mesh, "fault_faces[1]", "named twice");
}

TEST(CheckMesh, FaultsThatTouchMayHaveAFaceInCommon) {
    auto mesh = two_tets();
    mesh.faults = {"one", "other"};
    mesh.fault_faces.push_back({{1, 2, 0}, 1});

    EXPECT_NO_THROW(check_mesh(mesh, 2));
}

TEST(CheckMesh, FindsNonFiniteCoordinates) {
    auto mesh = two_tets();
    mesh.xyz[4].y = std::numeric_limits<double>::quiet_NaN();

    expect_fault(mesh, "xyz[4]", "finite");
}

TEST(CheckMesh, FindsMaterialsOutOfRangeOrMissing) {
    auto wrong = two_tets();
    wrong.material[1] = 2;
    auto missing = two_tets();
    missing.material.pop_back();

    expect_fault(wrong, "material[1]", "0..1, is 2");
    expect_fault(missing, "material", "one entry per tet (2), has 1");
}

TEST(CheckMesh, FindsVolumesOutOfRangeOrMissing) {
    auto wrong = two_tets();
    wrong.volume = {0, 1};
    wrong.volumes = {"crust"};
    auto missing = two_tets();
    missing.volume = {0};
    missing.volumes = {"crust"};

    expect_fault(wrong, "volume[1]", "0..0, is 1");
    expect_fault(missing, "volume", "one entry per tet (2), has 1");
}

TEST(CheckMesh, FindsTetsThatOverlap) {
    auto mesh = two_tets();
    mesh.xyz[4].z = 2000.0;  // above the shared face as the other tet
    std::swap(mesh.tets[1][1], mesh.tets[1][2]);

    expect_fault(mesh, "faces", "on the same side of it at (333.333333, 333.333333, 0) m");
    EXPECT_EQ(measure_quality(mesh).connectivity.folded_faces, 1);
}

TEST(CheckMesh, ListsTenPlacesAndCountsTheRest) {
    auto mesh = two_tets();
    mesh.xyz.resize(5 + 13, Vec3{7, 7, 7});

    try {
        check_mesh(mesh, 2);
        FAIL();
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 11u);
        EXPECT_EQ(error.violations().back().message.rfind("3 more", 0), 0u);
    }
}

TEST(MeasureQuality, GivesTheAnglesOfTheCornerAndRegularTet) {
    TetMesh regular;
    regular.xyz = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    regular.tets = {{0, 1, 2, 3}};
    regular.material = {0};
    auto corner = two_tets();

    const auto even = measure_quality(regular);
    const auto right = measure_quality(corner);

    const double degree = 180 / std::numbers::pi;
    EXPECT_NEAR(even.min_dihedral_deg, std::acos(1.0 / 3) * degree, 1e-10);
    EXPECT_NEAR(even.max_dihedral_deg, std::acos(1.0 / 3) * degree, 1e-10);
    EXPECT_NEAR(even.max_edge_m, std::sqrt(8.0), 1e-12);
    EXPECT_NEAR(right.min_dihedral_deg, std::acos(1 / std::sqrt(3.0)) * degree, 1e-10);
    EXPECT_NEAR(right.max_dihedral_deg, 90.0, 1e-10);
    EXPECT_EQ(right.dihedral_histogram[5], 6);
    EXPECT_EQ(std::accumulate(right.dihedral_histogram.begin(), right.dihedral_histogram.end(),
                              std::int64_t{0}),
              12);
}

TEST(MeasureQuality, CountsVolumesEdgesAndTheWorst) {
    auto mesh = two_tets();
    mesh.xyz[4].z = -100.0;

    const auto report = measure_quality(mesh);

    EXPECT_EQ(report.vertices, 5);
    EXPECT_EQ(report.tets, 2);
    EXPECT_EQ(report.fault_faces, 1);
    EXPECT_NEAR(report.volume_per_material.at(0), 1e9 / 6, 1e-3);
    EXPECT_NEAR(report.volume_per_material.at(1), 1e8 / 6, 1e-3);
    EXPECT_DOUBLE_EQ(report.min_edge_m, 100.0);
    EXPECT_DOUBLE_EQ(report.max_edge_m, std::sqrt(2.0) * 1000.0);
    ASSERT_EQ(report.worst.size(), 2u);
    EXPECT_EQ(report.worst[0].tet, 1);
    EXPECT_DOUBLE_EQ(report.worst[0].centroid.z, -25.0);
    EXPECT_EQ(report.p001_min_dihedral_deg, report.min_dihedral_deg);
}

/// 20 x 20 x 20 cells, 48,000 tets in several blocks.
TetMesh large_box() {
    test::BoxMesh box;
    box.cells = {20, 20, 20};
    box.high = {20e3, 20e3, 20e3};
    box.move = [](const Vec3& x) {
        return x + Vec3{200.0 * std::sin(x.y / 3e3), 0.0, 150.0 * std::sin(x.x / 2e3)};
    };
    box.material = [](const Vec3& x) { return x.z < 10e3 ? 1 : 0; };
    TetMesh mesh = box.build();
    mesh.volumes = {"a", "none", "b"};
    for (const std::int32_t material : mesh.material) {
        mesh.volume.push_back(2 * material);
    }
    return mesh;
}

TEST(MeasureQuality, CountsNodesOfSecondOrder) {
    const TetMesh mesh = large_box();

    EXPECT_EQ(measure_quality(mesh).nodes, p2::DofMap(mesh).n_nodes());
    EXPECT_EQ(measure_quality(two_tets()).dof(), 3 * (5 + 9));
}

TEST(MeasureQuality, SumsVolumesOfTheStructure) {
    const auto report = measure_quality(large_box());

    ASSERT_EQ(report.volume_per_volume.size(), 3U);
    EXPECT_EQ(report.volume_per_volume[1], 0.0);
    EXPECT_DOUBLE_EQ(report.volume_per_volume[0], report.volume_per_material[0]);
    EXPECT_DOUBLE_EQ(report.volume_per_volume[2], report.volume_per_material[1]);
    EXPECT_TRUE(measure_quality(two_tets()).volume_per_volume.empty());
}

TEST(MeasureQuality, ComparesSizesWithWhatWasAskedFor) {
    TetMesh mesh = two_tets();
    mesh.xyz[4].z = -1000.0 / 64;  // size a quarter of the other's
    const double size = 1000.0 * std::cbrt(std::numbers::sqrt2);

    const auto report =
        measure_quality(mesh, [&](const Vec3& x) { return x.z > 0.0 ? size / 1.9 : size; });

    ASSERT_TRUE(report.sizes);
    EXPECT_NEAR(report.sizes->max_m, size, 1e-9);
    EXPECT_NEAR(report.sizes->min_m, size / 4, 1e-9);
    EXPECT_DOUBLE_EQ(report.sizes->within_two, 0.5);
    EXPECT_EQ(report.sizes->histogram[6], 1);  // 1.9 in sqrt(2) .. 2
    EXPECT_EQ(report.sizes->histogram[0] + report.sizes->histogram[1], 1);
    EXPECT_FALSE(measure_quality(mesh).sizes);
}

TEST(MeasureQuality, TellsWhatIsNotWatertight) {
    TetMesh mesh = two_tets();
    EXPECT_TRUE(measure_quality(mesh).connectivity.watertight());
    mesh.boundary_faces.pop_back();
    mesh.xyz.push_back({1, 2, 3});
    mesh.xyz.push_back({100, 100, 500});
    mesh.tets.push_back({0, 1, 2, 6});
    mesh.material.push_back(0);

    const auto found = measure_quality(mesh).connectivity;

    EXPECT_EQ(found.open_faces, 1 + 3);
    EXPECT_EQ(found.crowded_faces, 1);
    EXPECT_EQ(found.unused_vertices, 1);
    EXPECT_FALSE(found.watertight());
}

TEST(MeasureQuality, NamesTheWidestElement) {
    auto mesh = two_tets();
    mesh.xyz[4] = {300.0, 300.0, -10.0};

    const auto report = measure_quality(mesh);

    ASSERT_TRUE(report.widest);
    EXPECT_EQ(report.widest->tet, 1);
    EXPECT_EQ(report.widest->max_dihedral_deg, report.max_dihedral_deg);
    EXPECT_GT(report.max_dihedral_deg, 170.0);
}

}  // namespace
}  // namespace kaname::mesh::quality_test
