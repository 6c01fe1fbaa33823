// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/earth/material_rules.hpp"
#include "tests/support/box_mesh.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"

namespace kaname::jobs::quality_text_test {
namespace {

const std::vector<earth::Material> kMaterials = {{"rock", 3e10, 3e10}};

/// 4 x 4 x 4 cells of 1 km below level ground: lid and body meet at z = -2 km, a fault 1 km deeper.
mesh::TetMesh box() {
    test::BoxMesh box;
    box.cells = {4, 4, 4};
    box.low = {-2e3, -2e3, -4e3};
    box.high = {2e3, 2e3, 0.0};
    box.faults = {{2, 1, {1, 1, 0}, {3, 3, 0}, true}};
    mesh::TetMesh mesh = box.build();
    mesh.faults = {"deep"};
    mesh.volumes = {"lid", "body"};
    for (const auto& tet : mesh.tets) {
        double z = 0.0;
        for (const std::int32_t vertex : tet) {
            z += 0.25 * mesh.xyz[vertex].z;
        }
        mesh.volume.push_back(z > -2e3 ? 0 : 1);
    }
    return mesh;
}

/// A request for the mesh of box(), but with the interface 100 m lower.
cleaving::VolumeMeshParams request() {
    cleaving::VolumeMeshParams request;
    request.box = {4e3, 4e3, 4e3, 0.0};
    auto model = std::make_shared<earth::VolumeModel>();
    model->size_u_m = model->size_v_m = model->depth_m = 4e3;
    model->surfaces.push_back({"ground", earth::HeightField(0.0)});
    model->surfaces.push_back({"base of the lid", earth::HeightField(-2100.0)});
    model->volumes = {{"lid", -1, 1, earth::constant_rule(0), 0.0},
                      {"body", -1, -1, earth::constant_rule(0), 0.0}};
    model->materials = kMaterials;
    request.model = model;
    request.sizes.far_m = 1e3;
    cleaving::FaultRequest fault;
    fault.name = "deep";
    fault.plane = {{0.0, 0.0, -3e3}, {0.0, 0.0, 1.0}};
    request.faults.push_back(fault);
    return request;
}

void expect_line(const std::string& text, const std::string& line) {
    EXPECT_NE(text.find(line + "\n"), std::string::npos) << line << "\nis not in\n" << text;
}

TEST(QualityText, TellsOfAMeshOfVolumesWhatItsModelSays) {
    const cleaving::VolumeMeshParams asked = request();
    const mesh::TetMesh mesh = box();

    const MeshReport report = report_mesh(mesh, mesh::FaceSet(mesh), &asked);
    const std::string text = quality_text(report, kMaterials);

    expect_line(text, "mesh: 125 vertices, 384 tets, 8 fault faces, edges 1 to 1.73 km");
    expect_line(text, "second order: 729 nodes, 2187 unknowns");
    expect_line(text,
                "100.00 % of tets within a factor of two of the size asked for; sizes 1.12 to 1.12 "
                "km");
    expect_line(text, "dihedral angles: 45.00 to 90.00 degrees; 99.9 % of tets above 45.00");
    expect_line(text, "watertight, no hanging nodes");
    expect_line(text, "volume of rock: 64 km3");
    expect_line(text, "volume 'lid': 32 km3, of the model's 33.6 km3 (-4.76 %)");
    expect_line(text, "volume 'body': 32 km3, of the model's 30.4 km3 (+5.26 %)");
    expect_line(text,
                "fault 'deep': 8 faces, 4 km2 in 1 piece, depth 3.00 to 3.00 km, rim 8 km, 9 nodes "
                "can slip");
    expect_line(text,
                "distance of 72 interface faces to the model, in local sizes: mean 0.044, 99 % "
                "below 0.100, max 0.100");
    EXPECT_NE(text.find("  surface 'base of the lid': mean 0.100, p99 0.100, max 0.100 at x "),
              std::string::npos);
    expect_line(text,
                "  fault 'deep': mean 0.000, p99 0.000, max 0.000 at x -0.3 y -0.7 z -3.0 km, 0 m");
}

TEST(QualityText, TellsOfAnyMeshWhatItIs) {
    mesh::TetMesh mesh = box();
    mesh.boundary_faces.pop_back();

    const std::string text = quality_text(report_mesh(mesh, mesh::FaceSet(mesh)), kMaterials);

    expect_line(text,
                "NOT watertight: 1 open faces, 0 of more than two tets, 0 between tets that "
                "overlap, 0 vertices in no tet");
    expect_line(text, "volume 'lid': 32 km3");
    EXPECT_EQ(text.find("factor of two"), std::string::npos);
    EXPECT_EQ(text.find("interface"), std::string::npos);
}

TEST(MeshReportJson, HoldsTheSameFigures) {
    const cleaving::VolumeMeshParams asked = request();
    const mesh::TetMesh mesh = box();

    const std::string json =
        mesh_report_json(report_mesh(mesh, mesh::FaceSet(mesh), &asked), kMaterials);

    for (const char* piece :
         {"\"elements\": 384", "\"dof\": 2187", "\"watertight\": true",
          "\"fault_top_depth_m\": 3000", "\"name\": \"lid\", \"mesh_m3\": 32000000000",
          "\"interfaces\": {\"faces\": 72", "\"within_two_of_size\": 1"}) {
        EXPECT_NE(json.find(piece), std::string::npos) << piece << "\nis not in\n" << json;
    }
}

TEST(QualityText, WarnsOfVolumesThatTheMeshHasLost) {
    MeshReport report;
    report.quality.tets = 1;
    // A tenth of the sand is lost far away.
    report.volumes = {{"lid", 1e9, 1.05e9, 1e9, 1.05e9},
                      {"crust", 9.6e9, 1e10, 0.6e9, 1e9},
                      {"sand", 0.6e9, 1e9, 1e8, 1e8},
                      {"clay", 0.0, 1e6, 0.0, 1e6}};

    const std::vector<std::string> warnings = mesh_warnings(quality_text(report, kMaterials));

    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_EQ(
        warnings[0].find("volume 'crust' has lost 40 % of its 1 km3 within 100 km of the fault"),
        0u)
        << warnings[0];
    EXPECT_EQ(warnings[1].find("volume 'clay' is not in the mesh"), 0u) << warnings[1];
}

TEST(QualityText, WarnsOfRoughInterfacesAndSaysWhere) {
    MeshReport report;
    report.quality.tets = 1;
    cleaving::InterfaceError& error = report.interfaces.emplace();
    error.all = {1000, 0.1, 0.3, 0.5};
    error.suited = {600, 0.01, 0.06, 0.2};
    error.surfaces.resize(2);
    error.surfaces[0].name = "moho";
    error.surfaces[0].p99 = 0.4;
    error.surfaces[1].name = "slab-top";
    error.surfaces[1].p99 = 0.2;

    const std::vector<std::string> warnings = mesh_warnings(quality_text(report, kMaterials));
    error.all.p99 = 0.2;
    const std::vector<std::string> none = mesh_warnings(quality_text(report, kMaterials));

    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].find("interfaces are up to 0.30 of an element off (99 % of their faces; "
                               "surfaces 'moho'): 40 % of them"),
              0u)
        << warnings[0];
    EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace kaname::jobs::quality_text_test
