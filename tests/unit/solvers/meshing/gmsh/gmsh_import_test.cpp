// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/gmsh/gmsh_import.hpp"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/mesh/quality.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/gmsh_writer.hpp"

namespace kaname::meshing::gmsh_import_test {
namespace {

/// A box of 4 x 4 x 4 cells with a vertical fault at x = 2 that strikes along y and a level one at
/// z = 1, far from it; crust above z = 2.
mesh::TetMesh box() {
    test::BoxMesh box;
    box.cells = {4, 4, 4};
    box.high = {4.0, 4.0, 4.0};
    box.faults = {{0, 2, {0, 1, 2}, {0, 3, 4}, true}, {2, 1, {0, 0, 0}, {1, 2, 0}, true}};
    box.material = [](const Vec3& x) { return x.z < 2.0 ? 1 : 0; };
    mesh::TetMesh mesh = box.build();
    mesh.faults = {"strand", "sill"};
    for (mesh::FaultFace& face : mesh.fault_faces) {
        face.fault = mesh.xyz[face.vertices[0]].z < 1.5 ? 1 : 0;
    }
    return mesh;
}

GmshRoles roles() {
    GmshRoles roles;
    roles.materials = {"crust", "mantle"};
    roles.faults = {{"sill", "f[0]"}, {"strand", "f[1]", 0.0}};
    roles.boundaries = {{"bottom", "b[0]"}};
    roles.top = "top";
    roles.length_unit = "m";
    return roles;
}

GmshImport import_box(const GmshRoles& roles, const test::GmshStyle& style = {},
                      const mesh::TetMesh& mesh = box()) {
    return import_gmsh(
        mesh::parse_gmsh(test::write_gmsh(mesh, {"crust", "mantle"}, style), "box.msh"), roles);
}

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "no error";
}

Vec3 area(const mesh::TetMesh& mesh, std::int32_t fault) {
    Vec3 sum;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        if (face.fault == fault) {
            const auto& [a, b, c] = face.vertices;
            sum += 0.5 * cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
        }
    }
    return sum;
}

TEST(ImportGmsh, RolesAndOrientationDoNotDependOnTheFile) {
    for (const bool second_order : {false, true}) {
        test::GmshStyle style;
        style.second_order = second_order;
        style.turn_tets = style.turn_triangles = true;

        const GmshImport file = import_box(roles(), style);

        const mesh::TetMesh& mesh = file.mesh;
        mesh::check_mesh(mesh, 2);
        EXPECT_EQ(mesh.xyz, box().xyz);
        EXPECT_EQ(mesh.tets.size(), box().tets.size());
        EXPECT_EQ(std::ranges::count(mesh.material, 1), 192);
        EXPECT_EQ(mesh.faults, (std::vector<std::string>{"sill", "strand"}));
        EXPECT_LT(norm(area(mesh, 0) - Vec3{0.0, 0.0, 2.0}), 1e-12);  // up
        EXPECT_LT(norm(area(mesh, 1) - Vec3{4.0, 0.0, 0.0}), 1e-12);  // right of north
        EXPECT_EQ(mesh.surfaces,
                  (std::vector<std::string>{"bottom", "east", "north", "south", "top", "west"}));
        EXPECT_EQ(mesh.top.index, 4);
        for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
            const auto& [a, b, c] = face.vertices;
            const Vec3 n = cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
            EXPECT_EQ(n.z > 0.0, face.side == mesh.top);
        }
        EXPECT_TRUE(file.notes.empty()) << file.notes[0];
    }
}

TEST(ImportGmsh, OtherStrikeTurnsAVerticalFault) {
    GmshRoles south = roles();
    south.faults[1].strike_rad = 170.0 * kDegree;

    EXPECT_LT(norm(area(import_box(south).mesh, 1) - Vec3{-4.0, 0.0, 0.0}), 1e-12);
}

TEST(ImportGmsh, ListsWrongNamesWithThoseOfTheFile) {
    GmshRoles wrong = roles();
    wrong.materials = {"crust", "asthenosphere"};
    wrong.faults[0].name = "silll";
    wrong.boundaries[0].name = "strand";
    wrong.top = "free surface";

    const std::string error = error_of([&] { (void)import_box(wrong); });

    const std::string has =
        "'; the file has 'bottom', 'east', 'north', 'sill', 'south', 'strand', 'top', 'west'";
    EXPECT_EQ(error,
              "structure.materials: must have one for the physical volume 'mantle' of mesh.file, "
              "has 'crust', 'asthenosphere'\n"
              "f[0]: must name a physical surface of mesh.file, got 'silll" +
                  has + "\nmesh.top: must name a physical surface of mesh.file, got 'free surface" +
                  has + "\nb[0]: must not name a fault, got 'strand'");
}

TEST(ImportGmsh, NotesWhatIsNotUsed) {
    GmshRoles fewer = roles();
    fewer.materials.push_back("slab");
    fewer.faults.erase(fewer.faults.begin());
    mesh::TetMesh open = box();
    std::erase_if(open.boundary_faces,
                  [](const mesh::BoundaryFace& face) { return face.side == mesh::Side::West; });

    const GmshImport file = import_box(fewer, {}, open);

    ASSERT_EQ(file.notes.size(), 3u);
    EXPECT_NE(file.notes[0].find("'slab' is the name of no physical volume"), std::string::npos);
    EXPECT_NE(file.notes[1].find("outer faces belong to no physical surface and are free, one of "
                                 "them at (0.000, "),
              std::string::npos);
    EXPECT_TRUE(file.notes[1].ends_with(": 32 faces"));
    EXPECT_NE(file.notes[2].find("'sill' is no fault of the request and has 4 triangles"),
              std::string::npos);
    EXPECT_EQ(file.mesh.surfaces.back(), "(unnamed)");
    mesh::check_mesh(file.mesh, 3);
}

TEST(ImportGmsh, VerticalFaultNeedsAStrike) {
    GmshRoles without = roles();
    without.faults[1].strike_rad.reset();

    EXPECT_NE(error_of([&] {
                  (void)import_box(without);
              }).find("f[1]: 'strand' is vertical within a degree near (2.000, "),
              std::string::npos);
    GmshRoles along_x = roles();
    along_x.faults[1].strike_rad = 90.0 * kDegree;
    EXPECT_NE(error_of([&] { (void)import_box(along_x); }).find("dip to its right"),
              std::string::npos);
}

TEST(ImportGmsh, SurfaceThatIsNoSetOfElementFacesIsNamedWithItsPlace) {
    mesh::GmshMesh file =
        mesh::parse_gmsh(test::write_gmsh(box(), {"crust", "mantle"}, {}), "box.msh");
    const auto strand = std::ranges::find(file.triangle_group, 200);
    file.triangles[strand - file.triangle_group.begin()] = {0, 6, 30};  // across elements

    const std::string error = error_of([&] { (void)import_gmsh(file, roles()); });

    EXPECT_EQ(error.find("mesh.file: physical surface 'strand': the triangle at (0.333, 0.667, "
                         "0.333) m is no face of the tetrahedra"),
              0u)
        << error;
}

TEST(ImportGmsh, FaultOnTheOutsideAndBoundaryInsideAreRefused) {
    GmshRoles fault_outside = roles();
    fault_outside.faults[0].name = "west";
    GmshRoles boundary_inside = roles();
    boundary_inside.faults.pop_back();
    boundary_inside.boundaries.push_back({"strand", "b[1]"});

    EXPECT_NE(error_of([&] {
                  (void)import_box(fault_outside);
              }).find("lies on the outside of the mesh, but a fault must lie inside"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  (void)import_box(boundary_inside);
              }).find("'strand': the triangle at (2.000, 1.667, 2.333) m lies inside the mesh"),
              std::string::npos);
}

TEST(ImportGmsh, VolumesThatShareNoNodesAreNotJoined) {
    mesh::GmshMesh file =
        mesh::parse_gmsh(test::write_gmsh(box(), {"crust", "mantle"}, {}), "box.msh");
    // The mantle gets nodes of its own.
    const auto n = static_cast<std::int32_t>(file.xyz.size());
    file.xyz.insert(file.xyz.end(), file.xyz.begin(), file.xyz.begin() + n);
    for (std::size_t tet = 0; tet < file.tets.size(); ++tet) {
        for (std::int32_t& node : file.tets[tet]) {
            node += file.tet_group[tet] == 2 ? n : 0;
        }
    }
    GmshRoles plain = roles();
    plain.faults.erase(plain.faults.begin());
    plain.boundaries.clear();

    EXPECT_NE(error_of([&] {
                  (void)import_gmsh(file, plain);
              }).find("two outer faces lie on each other at ("),
              std::string::npos);
}

TEST(ImportGmsh, BentEdgesAreStraightenedOrRefused) {
    test::GmshStyle bent;
    bent.second_order = true;
    bent.bend = [](const Vec3& x) { return Vec3{x.x, x.y, x.z + 0.002 * x.x * (4.0 - x.x)}; };
    test::GmshStyle curved = bent;
    curved.bend = [](const Vec3& x) { return Vec3{x.x, x.y, x.z + 0.01 * x.x * (4.0 - x.x)}; };

    const GmshImport file = import_box(roles(), bent);

    ASSERT_EQ(file.notes.size(), 1u);
    EXPECT_NE(file.notes[0].find("curved edges were made straight; the largest bend was 0.008 of"),
              std::string::npos)
        << file.notes[0];
    EXPECT_NE(error_of([&] { (void)import_box(roles(), curved); })
                  .find("second-order tetrahedra must be straight: the node in the middle of the "
                        "edge at ("),
              std::string::npos);
}

TEST(ImportGmsh, TetWithoutAPhysicalVolumeIsNamedWithItsPlace) {
    mesh::GmshMesh file =
        mesh::parse_gmsh(test::write_gmsh(box(), {"crust", "mantle"}, {}), "box.msh");
    file.tet_group[7] = 0;

    EXPECT_NE(error_of([&] {
                  (void)import_gmsh(file, roles());
              }).find("but 1 of 384 belong to none, one of them at (1."),
              std::string::npos);
}

TEST(ImportGmsh, AsksForTheUnitWhereMetresWouldBeSmall) {
    GmshRoles unsaid = roles();
    unsaid.length_unit.clear();
    GmshRoles kilometres = roles();
    kilometres.length_unit = "km";
    mesh::TetMesh large = box();
    for (Vec3& x : large.xyz) {
        x = 4e3 * x;
    }

    EXPECT_EQ(error_of([&] { (void)import_box(unsaid); }),
              "mesh.length_unit: must be given, km or m: the file's coordinates span 4 x 4 x 4, "
              "which is small for metres and usual for kilometres");
    EXPECT_NEAR(import_box(unsaid, {}, large).mesh.xyz[124].x, 16e3, 1e-9);
    const mesh::TetMesh metres = import_box(roles()).mesh;
    const mesh::TetMesh scaled = import_box(kilometres).mesh;
    ASSERT_EQ(metres.xyz.size(), scaled.xyz.size());
    for (std::size_t v = 0; v < metres.xyz.size(); ++v) {
        EXPECT_NEAR(norm(scaled.xyz[v] - 1e3 * metres.xyz[v]), 0.0, 1e-9);
    }
    EXPECT_EQ(error_of([&] { (void)import_box(kilometres, {}, large); }), "no error");
    for (Vec3& x : large.xyz) {
        x = 10.0 * x;
    }
    EXPECT_EQ(error_of([&] { (void)import_box(kilometres, {}, large); }),
              "mesh.length_unit: must be another one: the file's coordinates span 160000 x 160000 "
              "x 160000 km, wider than the Earth");
}

}  // namespace
}  // namespace kaname::meshing::gmsh_import_test
