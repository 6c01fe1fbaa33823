// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/gmsh_writer.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/fault_model.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/geometry/mesh_boundaries.hpp"

namespace kaname::jobs::mesh_file_fault_test {
namespace {

/// A box of 40 x 40 x 20 km with a hill on it and a vertical fault that breaks the surface.
class MeshFileJob : public testing::Test {
protected:
    MeshFileJob() {
        test::BoxMesh box;
        box.cells = {4, 4, 4};
        box.low = {-20e3, -20e3, -20e3};
        box.high = {20e3, 20e3, 0.0};
        box.faults = {{0, 2, {0, 1, 2}, {0, 3, 4}, true}};
        box.move = [](const Vec3& x) {  // 1 km high along y = 0
            return Vec3{x.x, x.y, x.z + 1e3 * (1.0 - std::abs(x.y) / 20e3) * (1.0 + x.z / 20e3)};
        };
        mesh_ = box.build();
        write_mesh();
        write_slip(1.0, 0.0);
        MeshFileFaults mesh_file;
        mesh_file.top = "top";
        mesh_file.path = path("model.msh");
        mesh_file.surfaces = {{"fault", "fault.mesh.surfaces[0]", 0.0}};
        mesh_file.sources = {{"s", {{"", path("slip.csv"), 0.0, "slip[0]"}}, "key"}};
        mesh_file.boundaries = {{"bottom", "b[0]", false, {true, true, true}}};
        job_.fault = mesh_file;
        job_.region.projected = false;
        job_.structure.materials = {{"rock", 3e10, 3e10, 0.0, std::nullopt}};
        job_.stations.resize(1);
        job_.stations[0].id = "S";
        job_.stations[0].field = "stations.list[0]";
        job_.stations[0].x_m = 3e3;
    }
    [[nodiscard]] std::string path(const char* name) const {
        return (folder_.path() / name).string();
    }
    void write_mesh() const {
        write_file(path("model.msh"), test::write_gmsh(mesh_, {"rock"}, {}));
    }
    /// Slip `top` in the middle of the trace, `rim` all along the bottom.
    void write_slip(double top, double rim) const {
        std::string text = "x_m,y_m,z_m,strike_slip_m,dip_slip_m\n";
        for (const double y : {-10e3, 0.0, 10e3}) {
            text += "0," + std::to_string(y) + ",1000," + std::to_string(y == 0.0 ? top : 0.0) +
                    ",0\n0," + std::to_string(y) + (y == 0.0 ? ",-9500," : ",-9750,") +
                    std::to_string(rim) + ",0\n";
        }
        write_file(path("slip.csv"), text);
    }
    MeshFileFaults& mesh_file() { return std::get<MeshFileFaults>(job_.fault); }
    [[nodiscard]] Survey check() const {
        Survey survey;
        JobGeometry(job_).survey(survey);
        return survey;
    }
    /// The one violation as "field: message".
    [[nodiscard]] std::string violation() const {
        const Survey found = check();
        EXPECT_EQ(found.violations.size(), 1u);
        return found.violations.empty()
                   ? ""
                   : found.violations[0].field + ": " + found.violations[0].message;
    }

    TemporaryFolder folder_;
    mesh::TetMesh mesh_;
    GreensJob job_ = test::bare_job();
};

TEST_F(MeshFileJob, SoundJobIsMeasured) {
    const Survey found = check();

    ASSERT_TRUE(found.violations.empty()) << found.violations[0].message;
    EXPECT_EQ(found.tets, 384);
    EXPECT_EQ(found.vertices, 125);
    EXPECT_EQ(found.nodes, 729);
    EXPECT_TRUE(found.warnings.empty()) << found.warnings[0];
}

TEST_F(MeshFileJob, SlipOnABuriedRimIsNamedWithItsPlace) {
    write_slip(1.0, 0.25);

    EXPECT_EQ(violation().find("slip[0]: source 's': slip must vanish on the buried rim of the "
                               "fault, but it is 0.250000 m at (0.000, "),
              0u)
        << violation();
}

TEST_F(MeshFileJob, StationsStandOnTheTopWhereverItIs) {
    const JobGeometry geometry(job_);
    mesh::TetMesh mesh = geometry.build_mesh([](double, const char*) {});

    const TopHeight top(mesh);
    EXPECT_NEAR(*top.at(3e3, 0.0), 1000.0, 1e-9);
    EXPECT_NEAR(*top.at(-7e3, 15e3), 250.0, 1e-9);
    EXPECT_FALSE(top.at(20.1e3, 0.0));
    EXPECT_NEAR(geometry.fault().stations_in(mesh).at(0).z, 1000.0, 1e-9);
}

TEST_F(MeshFileJob, StationsBesideTheMeshAreNamed) {
    job_.stations[0].x_m = 21e3;
    EXPECT_EQ(violation(),
              "stations.list[0]: station 'S' must lie below the surface 'top' of the mesh, got x = "
              "21000 m, y = 0 m in the model");
    job_.stations[0].x_m = 3e3;
    job_.stations[0].depth_m = 25e3;
    EXPECT_EQ(violation(),
              "stations.list[0]: station 'S' must lie inside the mesh, which is 5000 m away");
    job_.stations[0].depth_m = -12e3;
    EXPECT_EQ(violation(),
              "stations.list[0]: station 'S' must be at most 10000 m above the model's surface, "
              "got 11000");
}

TEST_F(MeshFileJob, ConditionsMustHoldTheModel) {
    mesh_file().boundaries = {{"bottom", "b[0]", true}};
    EXPECT_NE(violation().find("boundaries: nothing resists translation east of the model"),
              std::string::npos);
    mesh_file().boundaries = {
        {"bottom", "b[0]", true}, {"west", "b[1]", true}, {"south", "b[2]", true}};
    EXPECT_TRUE(check().violations.empty());
    mesh_file().boundaries = {{"top", "b[0]", true}};
    EXPECT_EQ(violation().find("b[0]: roller must be on a surface that faces one grid axis, but "
                               "at ("),
              0u)
        << violation();
}

TEST_F(MeshFileJob, RollersHoldTheComponentAcrossTheirSurface) {
    mesh_file().boundaries = {{"west", "b[0]", true},
                              {"bottom", "b[1]", false, {false, true, false}}};
    const JobGeometry geometry(job_);
    const mesh::TetMesh mesh = geometry.build_mesh([](double, const char*) {});

    const auto conditions =
        boundary_conditions(job_, geometry, mesh, p2::DofMap(mesh), LaneDrive{});

    ASSERT_EQ(conditions.size(), 2u);
    EXPECT_EQ(mesh.surfaces.at(conditions[0].side.index), "west");
    EXPECT_EQ(conditions[0].component, 0);
    EXPECT_EQ(mesh.surfaces.at(conditions[1].side.index), "bottom");
    EXPECT_EQ(conditions[1].component, 1);
}

TEST_F(MeshFileJob, FaultsMayTouchAndOneThatBranchesIsRefusedWithItsPlace) {
    // A second fault from the middle of the first one to the east.
    test::BoxMesh box;
    box.cells = {4, 4, 4};
    box.low = {-20e3, -20e3, -20e3};
    box.high = {20e3, 20e3, 0.0};
    box.faults = {{0, 2, {0, 1, 2}, {0, 3, 4}, true}, {1, 2, {2, 0, 2}, {3, 0, 4}, true}};
    mesh_ = box.build();
    mesh_.faults = {"fault", "branch"};
    for (mesh::FaultFace& face : mesh_.fault_faces) {
        const auto on_branch = [&](std::int32_t v) { return mesh_.xyz[v].x > 1.0; };
        face.fault = std::ranges::any_of(face.vertices, on_branch) ? 1 : 0;
    }
    write_mesh();
    mesh_file().surfaces.push_back({"branch", "fault.mesh.surfaces[1]", 90.0});
    mesh_file().sources[0].tables[0].surface = "fault";

    EXPECT_TRUE(check().violations.empty());

    for (mesh::FaultFace& face : mesh_.fault_faces) {
        face.fault = 0;
    }
    mesh_.faults = {"fault"};
    write_mesh();
    mesh_file().surfaces.pop_back();
    EXPECT_EQ(violation(),
              "mesh.file: physical surface 'fault': 3 triangles share the edge at (0.000, 0.000, "
              "-7500.000) m, must be at most two: where a surface branches, make each branch a "
              "physical surface of its own");
}

TEST_F(MeshFileJob, NamesOfTheFileAreChecked) {
    mesh_file().top = "ground";

    EXPECT_EQ(violation(),
              "mesh.top: must name a physical surface of mesh.file, got 'ground'; the file has "
              "'bottom', 'east', 'fault', 'north', 'south', 'top', 'west'");
    write_file(path("model.msh"), "no mesh");
    EXPECT_EQ(violation(), "mesh.file: " + path("model.msh") +
                               ", line 1: must be the name of a section ($Nodes, ...), got 'no "
                               "mesh'");
}

TEST_F(MeshFileJob, TablesThatDoNotReachTheFaultAreWarnedOf) {
    write_file(path("slip.csv"),
               "x_m,y_m,z_m,slip_east_m,slip_north_m,slip_up_m\n"
               "0,-5000,1000,0,0,0\n0,5000,1000,0,0,0\n0,0,1000,0.5,0.5,0\n0,0,-5000,0,0,0\n");

    const Survey found = check();

    EXPECT_TRUE(found.violations.empty());
    ASSERT_EQ(found.warnings.size(), 2u);
    EXPECT_NE(found.warnings[0].find("nodes of 'fault' are out of the table's reach, up to "),
              std::string::npos);
    EXPECT_NE(found.warnings[1].find("slip has a part across 'fault' of up to 0.5 m"),
              std::string::npos)
        << found.warnings[1];
}

TEST_F(MeshFileJob, TheRockAtItsFaultSaysWhetherItRelaxes) {
    EXPECT_FALSE(check().slips_in_viscous_rock);
    job_.structure.materials[0].viscosity_pa_s = 3e18;
    EXPECT_TRUE(check().slips_in_viscous_rock);
}

TEST_F(MeshFileJob, ATableWithoutSlipIsRefused) {
    write_slip(0.0, 0.0);

    EXPECT_EQ(violation(),
              "slip[0]: source 's': must slip somewhere: its tables give 0 at every node of the "
              "mesh's faults that can slip");
}

TEST_F(MeshFileJob, ATableInCentimetresIsRefusedByItsRow) {
    write_slip(250.0, 0.0);

    EXPECT_NE(violation().find("slip.csv:4: slip must be at most 100 m, got 250 m: are these "
                               "centimetres or millimetres?"),
              std::string::npos)
        << violation();
}

TEST_F(MeshFileJob, PointsOfATableOnALineAreToldOfTheTable) {
    write_file(path("slip.csv"),
               "x_m,y_m,z_m,strike_slip_m,dip_slip_m\n0,-1e3,0,1,0\n0,0,0,1,0\n0,1e3,0,1,0\n");

    EXPECT_EQ(violation(),
              "slip[0]: source 's' on 'fault': the table as seen across the fault: points must not "
              "all lie on one line (rows counted from 0)");
}

}  // namespace
}  // namespace kaname::jobs::mesh_file_fault_test
