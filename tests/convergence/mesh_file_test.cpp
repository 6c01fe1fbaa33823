// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/mesh_file.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "solvers/base/files.hpp"
#include "solvers/p2/dof_map.hpp"
#include "tests/convergence/dataset_fixture.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/gmsh_writer.hpp"
#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::convergence::mesh_file_test {
namespace {

using jobs::MeshFileFaults;

/// Jobs whose mesh is a Gmsh file.
class MeshFile : public Dataset {
protected:
    /// Slip at every node of a fault, as a table of vectors.
    std::string write_slip(const char* name, const mesh::TetMesh& mesh, std::int32_t fault,
                           const std::function<Vec3(const Vec3&)>& slip_at) const {
        const p2::DofMap dofs(mesh);
        std::string text = "x_m,y_m,z_m,slip_east_m,slip_north_m,slip_up_m\n";
        std::vector<bool> written(dofs.node_xyz.size(), false);
        const auto add = [&](std::int32_t node) {
            if (written[node]) {
                return;
            }
            written[node] = true;
            const Vec3& x = dofs.node_xyz[node];
            const Vec3 slip = slip_at(x);
            char row[200];
            std::snprintf(row, sizeof row, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", x.x, x.y, x.z,
                          slip.x, slip.y, slip.z);
            text += row;
        };
        for (const mesh::FaultFace& face : mesh.fault_faces) {
            for (int k = 0; k < 3 && face.fault == fault; ++k) {
                add(face.vertices[k]);
                add(dofs.edge_node(face.vertices[k], face.vertices[(k + 1) % 3]));
            }
        }
        write_file(path(name), text);
        return path(name);
    }
    void write_model(const mesh::TetMesh& mesh, const std::vector<std::string>& materials,
                     const test::GmshStyle& style) const {
        write_file(path("model.msh"), test::write_gmsh(mesh, materials, style));
    }
    /// Fixed sides and bottom, as in `job_`.
    [[nodiscard]] MeshFileFaults fixed_box() const {
        MeshFileFaults mesh_file;
        mesh_file.top = "top";
        mesh_file.path = path("model.msh");
        for (const char* side : {"west", "east", "south", "north", "bottom"}) {
            mesh_file.boundaries.push_back({side, "boundaries", false, {true, true, true}});
        }
        return mesh_file;
    }
    static double difference(const GreensDataset& a, const GreensDataset& b) {
        double most = 0.0;
        double largest = 0.0;
        for (std::size_t k = 0; k < a.greens.size(); ++k) {
            most = std::max(most, std::abs(a.greens[k] - b.greens[k]));
            largest = std::max(largest, std::abs(a.greens[k]));
        }
        return most / largest;
    }
};

struct Case {
    const char* name;
    double top_depth_m, dip_deg;
    test::GmshStyle style;
};

class SameTets : public MeshFile, public testing::WithParamInterface<Case> {};

TEST_P(SameTets, GiveTheSolutionOfTheProjectsOwnMesh) {
    job_.region = {135.0, kLat_deg, 160e3, 160e3, 80e3, 0.0};
    job_.structure.materials.push_back({"mantle", 6e10, 6e10, 0.0, 6e18});
    job_.structure.layers = {{0, 20e3}, {1, std::nullopt}};
    jobs::PlaneGeometry plane;
    plane.centre_lon_deg = 135.2;
    plane.centre_lat_deg = kLat_deg;
    plane.top_depth_m = GetParam().top_depth_m;
    plane.strike_deg = 25.0;
    plane.dip_deg = GetParam().dip_deg;
    plane.length_m = 24e3;
    plane.width_m = 12e3;
    job_.patches = test::unit_slip(2, 1);
    job_.fault = plane;
    job_.mesh.size_at_fault_m = 6e3;
    job_.mesh.size_far_m = 50e3;
    job_.time.step_s = 2e7;
    job_.time.end_s = 6e7;
    job_.solver.tolerance = 1e-12;
    job_.stations = {{"near", 135.25, kLat_deg, std::nullopt, "stations[0]"},
                     {"far", 134.8, 33.7, -300.0, "stations[1]"},
                     {"deep", 135.3, 34.1, 3e3, "stations[2]"}};
    const GreensDataset own = run();

    const mesh::TetMesh mesh = io::read_mesh(path("mesh.h5"));
    write_model(mesh, {"rock", "mantle"}, GetParam().style);
    MeshFileFaults mesh_file = fixed_box();
    mesh_file.surfaces = {{"fault", "fault", 25.0}};
    const GreensJob plane_job = job_;
    const jobs::JobGeometry geometry(plane_job);
    const p2::DofMap dofs(mesh);
    const auto split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    const auto unit_slip = geometry.slip().on({mesh, dofs, split});
    for (const std::string& source : geometry.slip().ids()) {
        const std::string name = "s" + std::to_string(mesh_file.sources.size());
        const std::vector<Vec3> slip = unit_slip->slip_of(source);
        std::map<std::array<double, 3>, Vec3> at;
        for (std::size_t k = 0; k < slip.size(); ++k) {
            const Vec3& x = dofs.node_xyz[split.split[k].node];
            at[{x.x, x.y, x.z}] = slip[k];
        }
        const std::string file = write_slip((name + ".csv").c_str(), mesh, 0, [&](const Vec3& x) {
            const auto found = at.find({x.x, x.y, x.z});  // none where the fault cannot slip
            return found == at.end() ? Vec3{} : found->second;
        });
        mesh_file.sources.push_back({name, {{"fault", file, 0.0, "fault.mesh.sources"}}, "key"});
    }
    job_.structure.materials[0].name = "rock";
    job_.structure.layers.clear();
    job_.fault = mesh_file;
    job_ = test::built(job_);
    const jobs::Preflight found = stages().preflight(job_);
    const GreensDataset imported = run();

    EXPECT_TRUE(found.violations.empty()) << found.violations[0].message;
    EXPECT_EQ(found.dof, own.dof);
    EXPECT_EQ(imported.dof, own.dof);
    ASSERT_EQ(imported.sources.size(), 4u);
    EXPECT_EQ(summary_.sources_done, 4);
    EXPECT_LT(difference(own, imported), 1e-9);
    EXPECT_FALSE(imported.unit_slip);
    // Vertices of the mesh lie on the plane to about a metre, which turns the mean of its faces.
    // The middle of the slip at the nodes is not quite the patch's, and true north turns with it.
    constexpr double kApart_deg = 1e-2;
    EXPECT_NEAR(imported.sources[1].dip_deg, plane.dip_deg, kApart_deg);
    EXPECT_NEAR(imported.sources[1].rake_deg, 90.0, kApart_deg);
    EXPECT_NEAR(imported.sources[0].lon_deg, own.sources[0].lon_deg, kApart_deg);
    EXPECT_NEAR(imported.sources[0].strike_deg, own.sources[0].strike_deg, kApart_deg);
}

test::GmshStyle style(int version, bool binary, bool second_order, bool turned) {
    test::GmshStyle result;
    result.version = version;
    result.binary = binary;
    result.second_order = second_order;
    result.turn_tets = result.turn_triangles = turned;
    return result;
}

INSTANTIATE_TEST_SUITE_P(MeshFile, SameTets,
                         testing::Values(Case{"Buried", 4e3, 45.0, style(2, false, false, true)},
                                         Case{"BreaksTheSurface", 0.0, 60.0,
                                              style(4, true, true, false)},
                                         Case{"Vertical", 5e3, 90.0, style(4, false, false, true)}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(MeshFile, TwoFaultsInOneMeshAddUp) {
    test::BoxMesh box;
    box.cells = {6, 6, 4};
    box.low = {-30e3, -30e3, -20e3};
    box.high = {30e3, 30e3, 0.0};
    // The first breaks the surface, the second is level and buried.
    box.faults = {{0, 2, {0, 2, 2}, {0, 4, 4}, true}, {2, 2, {3, 2, 0}, {5, 4, 0}, true}};
    mesh::TetMesh mesh = box.build();
    mesh.faults = {"strand", "sill"};
    for (mesh::FaultFace& face : mesh.fault_faces) {
        face.fault = mesh.xyz[face.vertices[0]].x > -5e3 ? 1 : 0;
    }
    write_model(mesh, {"rock"}, style(4, false, false, true));
    const auto tent = [](double x, double half) { return std::max(0.0, 1.0 - std::abs(x) / half); };
    const std::string on_strand = write_slip("strand.csv", mesh, 0, [&](const Vec3& x) {
        return Vec3{0.0, tent(x.y, 10e3) * tent(x.z, 10e3), 0.0};
    });
    const std::string on_sill = write_slip("sill.csv", mesh, 1, [&](const Vec3& x) {
        return Vec3{0.0, 0.0, tent(x.x - 10e3, 10e3) * tent(x.y, 10e3)};
    });
    MeshFileFaults mesh_file = fixed_box();
    mesh_file.surfaces = {{"sill", "fault"}, {"strand", "fault", 0.0}};
    mesh_file.sources = {
        {"strand", {{"strand", on_strand, 0.0, "a"}}, "1"},
        {"sill", {{"sill", on_sill, 0.0, "b"}}, "2"},
        {"both", {{"sill", on_sill, 0.0, "c"}, {"strand", on_strand, 0.0, "d"}}, "3"}};
    job_.region.projected = false;
    job_.structure.materials[0].name = "rock";
    job_.structure.layers.clear();
    job_.fault = mesh_file;
    job_.solver.tolerance = 1e-12;
    job_.stations.resize(3);
    for (int k = 0; k < 3; ++k) {  // on both sides of the strand's trace, and above the sill
        job_.stations[k].id = std::string(1, static_cast<char>('A' + k));
        job_.stations[k].x_m = k == 0 ? -10.2e3 : k == 1 ? -9.8e3 : 10e3;
    }

    const jobs::Preflight found = stages().preflight(job_);
    const GreensDataset data = run();

    ASSERT_TRUE(found.violations.empty()) << found.violations[0].message;
    ASSERT_EQ(summary_.sources_done, 3);
    EXPECT_FALSE(data.projected);
    EXPECT_EQ(data.stations[1].x_m, -9.8e3);
    EXPECT_EQ(data.stations[1].snapped_x_m, -9.8e3);
    for (std::size_t station = 0; station < 3; ++station) {
        const Vec3 strand = value(data, 0, 0, station);
        const Vec3 sill = value(data, 1, 0, station);
        EXPECT_LT(norm(value(data, 2, 0, station) - (strand + sill)), 1e-9);
    }
    // The east side is the plus side of a strand that strikes to the north: it moves to the north,
    // by half of the slip of 1 m.
    EXPECT_NEAR(value(data, 0, 0, 1).y, 0.5, 0.1);
    EXPECT_NEAR(value(data, 0, 0, 0).y, -0.5, 0.1);
    EXPECT_GT(value(data, 1, 0, 2).z, 0.1);  // the sill opens: the ground above it rises
    EXPECT_NEAR(data.sources[0].strike_deg, 0.0, 1e-9);
    EXPECT_NEAR(data.sources[0].x_m, -10e3, 1e-6);
}

}  // namespace
}  // namespace kaname::convergence::mesh_file_test

#endif
