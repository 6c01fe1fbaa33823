// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/seismic_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/gmsh_writer.hpp"
#include "tests/support/loh1_box.hpp"
#include "tests/support/step_shapes.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"

namespace kaname::jobs::seismic_mesh_test {
namespace {

using test::loh1_box;

aderdg::WaveParams params() {
    aderdg::WaveParams params;
    params.end_s = 10.0;
    params.interval_s = 0.1;
    return params;
}

std::vector<Violation> broken_by(const std::function<void()>& call) {
    try {
        call();
    } catch (const ValidationError& error) {
        return error.violations();
    }
    return {};
}

std::string refusal_of(const SeismicMeshRequest& request) {
    const auto broken = broken_by([&] { SeismicMeshPlan plan(request); });
    return broken.empty() ? "" : broken.front().field + " " + broken.front().message;
}

double share_of(const SeismicMesh& made, int material) {
    double part = 0.0, all = 0.0;
    for (std::size_t tet = 0; tet < made.model.mesh.tets.size(); ++tet) {
        const double here = mesh::volume_of(mesh::corners_of(made.model.mesh, tet));
        all += here;
        part += made.model.mesh.material[tet] == material ? here : 0.0;
    }
    return part / all;
}

TEST(SeismicMesh, ConformsToALevelLayer) {
    // 1,130 m are no multiple of any cube that the depth is divided into.
    for (const double bottom_m : {1000.0, 1130.0}) {
        SeismicMeshRequest request = loh1_box(8e3, 6e3, 1.0);
        std::get<LayeredBox>(request.model).layers.layers[0].bottom_depth_m = bottom_m;
        const SeismicMesh made = SeismicMeshPlan(request).build();
        const mesh::TetMesh& mesh = made.model.mesh;

        EXPECT_EQ(made.materials, (std::vector<std::string>{"layer", "half-space"}));
        EXPECT_NEAR(made.model.solids[1].vs_m_per_s(), 3464.0, 1e-9);
        EXPECT_NEAR(share_of(made, 0), bottom_m / 6e3, 1e-12);
        for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
            for (const Vec3& x : mesh::corners_of(mesh, tet)) {
                EXPECT_TRUE(mesh.material[tet] == 0 ? x.z >= -bottom_m : x.z <= -bottom_m);
            }
        }
        EXPECT_TRUE(made.notes.empty()) << made.notes[0];
    }
}

TEST(SeismicMesh, ThinLevelLayersHaveSmallElementsOrAreTold) {
    SeismicMeshRequest request = loh1_box(4e3, 6e3, 1.0);
    auto& bottom_m = std::get<LayeredBox>(request.model).layers.layers[0].bottom_depth_m;
    bottom_m = 150.0;  // a fifth of the size that waves ask for
    const SeismicMesh kept = SeismicMeshPlan(request).build();
    EXPECT_NEAR(share_of(kept, 0), 0.15 / 6.0, 1e-12);
    EXPECT_TRUE(kept.notes.empty()) << kept.notes[0];
    EXPECT_GT(test::measure_steps(kept.model).min_dihedral_deg, 12.0);

    bottom_m = 60.0;
    const SeismicMesh lost = SeismicMeshPlan(request).build();
    EXPECT_EQ(share_of(lost, 0), 0.0);
    ASSERT_EQ(lost.notes.size(), 1u);
    EXPECT_EQ(lost.notes[0],
              "volume 'layer-0' loses 100 % of its 0.96 km3 to its neighbours, where "
              "it is thinner than 0.3 of its elements");
}

TEST(SeismicMesh, ElementsHaveTheSizeOfTheirWavelengthAndGoodShapes) {
    const SeismicMesh made = SeismicMeshPlan(loh1_box(12e3, 8e3, 2.0)).build();
    const test::StepShapes shapes = test::measure_steps(made.model);

    EXPECT_NEAR(made.resolution.wanted, 2.0, 1e-3);
    EXPECT_GT(made.resolution.worst.per_wavelength, made.resolution.wanted / 1.25);
    EXPECT_LT(made.resolution.mean, 1.6 * made.resolution.wanted);
    EXPECT_GT(shapes.min_dihedral_deg, 20.0);
    EXPECT_GT(shapes.least_insphere_per_edge, 0.12);
    EXPECT_GT(shapes.least_s, 0.25 * shapes.median_s);
}

TEST(SeismicMesh, EstimateIsWhatBuildMakes) {
    for (const double frequency_hz : {1.0, 2.0}) {
        const SeismicMeshRequest request = loh1_box(12e3, 8e3, frequency_hz);
        const SeismicMeshPlan plan(request);
        const auto estimate = plan.estimate(params());
        const SeismicMesh made = plan.build();
        const aderdg::Clusters clusters = aderdg::find_clusters(made.model, params());

        const auto tets = static_cast<double>(made.model.mesh.tets.size());
        EXPECT_NEAR(static_cast<double>(estimate.count.tets) / tets, 1.0, 0.3);
        EXPECT_NEAR(updates_per_s(estimate.clusters) / updates_per_s(clusters), 1.0, 0.4);
        EXPECT_NEAR(std::log2(estimate.clusters.step_s / clusters.step_s), 0.0, 1.0);
    }
}

TEST(SeismicMesh, HigherOrdersNeedFewerElements) {
    SeismicMeshRequest request = loh1_box(12e3, 8e3, 1.0);
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (int order = 3; order <= aderdg::kMostOrder; ++order) {
        request.order = order;
        const std::int64_t tets = SeismicMeshPlan(request).estimate(params()).count.tets;
        EXPECT_LT(tets, before) << order;
        before = tets;
    }
}

TEST(SeismicMesh, ElementsAreSmallAtFinePoints) {
    SeismicMeshRequest request = loh1_box(8e3, 6e3, 1.0);
    request.fine_size_m = 100.0;
    request.fine_at = {{500.0, -700.0, -2000.0}};
    const SeismicMesh made = SeismicMeshPlan(request).build();

    double nearest = std::numeric_limits<double>::infinity(), size_m = 0.0;
    for (std::size_t tet = 0; tet < made.model.mesh.tets.size(); ++tet) {
        const mesh::Corners at = mesh::corners_of(made.model.mesh, tet);
        if (const double away = norm(mesh::centroid_of(at) - request.fine_at[0]); away < nearest) {
            nearest = away;
            size_m = mesh::regular_edge_m(mesh::volume_of(at));
        }
    }
    EXPECT_LT(size_m, 150.0);
    EXPECT_GT(size_m, 50.0);
}

/// y and z [mm] of the middles of a side's triangles.
std::set<std::pair<long, long>> middles_on(const mesh::TetMesh& mesh, mesh::SurfaceId side) {
    std::set<std::pair<long, long>> middles;
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (face.side == side) {
            const auto& [a, b, c] = face.vertices;
            const Vec3 sum = mesh.xyz[a] + mesh.xyz[b] + mesh.xyz[c];
            middles.emplace(std::lround(1e3 / 3.0 * sum.y), std::lround(1e3 / 3.0 * sum.z));
        }
    }
    return middles;
}

TEST(SeismicMesh, SidesDoWhatIsAskedFor) {
    SeismicMeshRequest request = loh1_box(8e3, 6e3, 1.0);
    EXPECT_EQ(
        SeismicMeshPlan(request).build().model.surfaces,
        (std::vector<aderdg::Boundary>{aderdg::Boundary::Absorbing, aderdg::Boundary::Absorbing,
                                       aderdg::Boundary::Absorbing, aderdg::Boundary::Absorbing,
                                       aderdg::Boundary::Absorbing, aderdg::Boundary::Free}));

    request.sides[0] = aderdg::Boundary::Periodic;
    EXPECT_EQ(refusal_of(request), "sides.east must be periodic where the opposite side is");
    request.sides[1] = aderdg::Boundary::Periodic;
    const aderdg::WaveModel model = SeismicMeshPlan(request).build().model;
    ASSERT_EQ(model.periodic.size(), 1u);
    EXPECT_EQ(model.periodic[0],
              std::pair(mesh::SurfaceId(mesh::Side::West), mesh::SurfaceId(mesh::Side::East)));
    // Triangle by triangle.
    EXPECT_EQ(middles_on(model.mesh, mesh::Side::West), middles_on(model.mesh, mesh::Side::East));
}

TEST(SeismicMesh, RefusesTooManyElementsBeforeItMakesThem) {
    SeismicMeshRequest request = loh1_box(8e3, 6e3, 1.0);
    request.max_elements = 1000;
    for (const auto& broken :
         {broken_by([&] { (void)SeismicMeshPlan(request).estimate(params()); }),
          broken_by([&] { (void)SeismicMeshPlan(request).build(); })}) {
        ASSERT_EQ(broken.size(), 1u);
        EXPECT_EQ(broken[0].field, "max_elements");
        EXPECT_NE(broken[0].message.find("at most 1e+03 are possible"), std::string::npos)
            << broken[0].message;
    }
}

TEST(SeismicMesh, SaysAllThatIsWrongWithARequest) {
    SeismicMeshRequest request = loh1_box(8e3, 6e3, 0.0);
    request.order = 8;
    request.growth = -1.0;
    auto& box = std::get<LayeredBox>(request.model);
    box.depth_m = 0.0;
    box.layers.materials[1].density_kg_m3 = 0.0;
    box.layers.layers = {{0, 2000.0}, {1, 1000.0}, {2, std::nullopt}};

    std::vector<std::string> said;
    for (const Violation& one : broken_by([&] { SeismicMeshPlan plan(request); })) {
        said.push_back(one.field + " " + one.message);
    }
    EXPECT_EQ(said,
              (std::vector<std::string>{
                  "max_frequency_hz must be finite and > 0, got 0", "order must be 2 to 7, got 8",
                  "growth must be finite and > 0, got -1", "depth_m must be finite and > 0, got 0",
                  "materials 'half-space'.density_kg_m3 must be > 0, got 0",
                  "layers[1].bottom_depth_m must be deeper than 2000, got 1000",
                  "layers[2].material must be one of the materials, got 2"}));
}

/// A box of 4 x 4 x 4 cells of 500 m, the upper half slow.
SeismicMeshRequest mesh_of_ones_own(const std::filesystem::path& path) {
    test::BoxMesh box;
    box.cells = {4, 4, 4};
    box.low = {0.0, 0.0, -2000.0};
    box.high = {2000.0, 2000.0, 0.0};
    box.material = [](const Vec3& x) { return x.z > -1000.0 ? 0 : 1; };
    std::ofstream(path) << test::write_gmsh(box.build(), {"slow", "fast"}, {});
    MeshOfOnesOwn own;
    own.path = path.string();
    own.length_unit = "m";
    own.top = "top";
    own.materials = {test::rock("slow", 3000.0, 1500.0, 2500.0),
                     test::rock("fast", 6000.0, 3464.0, 2700.0)};
    own.boundaries = {{"west", aderdg::Boundary::Free}};
    SeismicMeshRequest request;
    request.model = own;
    request.max_frequency_hz = 0.8;
    return request;
}

TEST(SeismicMesh, ReadsAMeshOfOnesOwn) {
    TemporaryFolder folder;
    const SeismicMeshPlan plan(mesh_of_ones_own(folder.path() / "box.msh"));
    const SeismicMesh made = plan.build();

    EXPECT_EQ(made.model.mesh.tets.size(), 384u);
    EXPECT_EQ(plan.estimate(params()).count.tets, 384);
    EXPECT_NEAR(share_of(made, 0), 0.5, 1e-12);
    for (std::size_t k = 0; k < made.model.surfaces.size(); ++k) {
        const std::string& name = made.model.mesh.surfaces[k];
        EXPECT_EQ(made.model.surfaces[k] == aderdg::Boundary::Free, name == "top" || name == "west")
            << name;
    }
    // The diagonal of a cell, 866 m, where 0.8 Hz have 1875 m.
    EXPECT_NEAR(made.resolution.worst.per_wavelength, 1875.0 / (500.0 * std::sqrt(3.0)), 1e-9);
    EXPECT_TRUE(made.notes.empty());
}

TEST(SeismicMesh, RefusesAFrequencyThatAMeshOfOnesOwnDoesNotResolve) {
    TemporaryFolder folder;
    SeismicMeshRequest request = mesh_of_ones_own(folder.path() / "box.msh");
    request.max_frequency_hz = 1.6;  // 1.08 elements per wavelength
    const SeismicMesh coarse = SeismicMeshPlan(request).build();
    ASSERT_EQ(coarse.notes.size(), 1u);
    EXPECT_NE(coarse.notes[0].find("50 % of the volume has less than 2 elements per wavelength, "
                                   "at worst 1.08 at ("),
              std::string::npos)
        << coarse.notes[0];

    request.max_frequency_hz = 2.0;
    const auto broken = broken_by([&] { (void)SeismicMeshPlan(request).build(); });
    ASSERT_EQ(broken.size(), 1u);
    EXPECT_EQ(broken[0].field, "max_frequency_hz");
    EXPECT_NE(broken[0].message.find("must have at least 1 elements per wavelength everywhere, got "
                                     "0.866 at ("),
              std::string::npos)
        << broken[0].message;
    EXPECT_NE(broken[0].message.find("has 2 up to 0.866 Hz"), std::string::npos)
        << broken[0].message;
}

/// A layer over a half-space under level ground.
EarthBox part_of_the_earth() {
    EarthBox box;
    box.centre = {138.0, 36.0};
    box.size_east_m = 12e3;
    box.size_north_m = 8e3;
    box.depth_m = 6e3;
    box.azimuth_rad = 0.5;
    box.volumes.materials = {test::rock("layer", 4000.0, 2000.0, 2600.0),
                             test::rock("half-space", 6000.0, 3464.0, 2700.0)};
    earth::SurfaceDefinition bottom;
    bottom.name = "bottom";
    bottom.field = "surfaces[0]";
    bottom.depth_m = 1000.0;
    box.volumes.surfaces = {bottom};
    earth::VolumeDefinition layer, rest;
    layer.name = "layer";
    layer.field = "volumes[0]";
    layer.bottom = "bottom";
    layer.material = 0;
    rest.name = "rest";
    rest.field = "volumes[1]";
    rest.material = 1;
    box.volumes.volumes = {layer, rest};
    return box;
}

TEST(SeismicMesh, APartOfTheEarthIsTurnedAndHasItsSlowestMaterialsSizes) {
    SeismicMeshRequest request;
    request.model = part_of_the_earth();
    request.max_frequency_hz = 1.0;
    const SeismicMesh made = SeismicMeshPlan(request).build();

    EXPECT_NEAR(share_of(made, 0), 1.0 / 6.0, 1e-12);
    EXPECT_GT(made.resolution.worst.per_wavelength, made.resolution.wanted / 1.25);
    // The north-east corner, x = 6 km, y = 4 km before it is turned clockwise.
    const double c = std::cos(0.5), s = std::sin(0.5);
    const Vec3 corner{6e3 * c + 4e3 * s, -6e3 * s + 4e3 * c, 0.0};
    EXPECT_TRUE(std::ranges::any_of(made.model.mesh.xyz,
                                    [&](const Vec3& x) { return norm(x - corner) < 1e-6; }));
}

/// A hill of 500 m above the centre, and the ground falling away from it to 500 m below sea level.
double hill_m(double east_m, double north_m) {
    return 1000.0 * std::exp(-(east_m * east_m + north_m * north_m) / (2.0 * 2000.0 * 2000.0)) -
           500.0;
}

TEST(SeismicMesh, FollowsTheRelief) {
    TemporaryFolder folder;
    EarthBox box = part_of_the_earth();
    const std::filesystem::path path = folder.path() / "hill.csv";
    const earth::Projection projection(box.centre);
    std::ofstream file(path);
    file << std::setprecision(12) << "lon_deg,lat_deg,depth_km\n";
    for (int j = -75; j <= 75; ++j) {
        for (int i = -75; i <= 75; ++i) {
            const earth::LonLat at{box.centre.lon_deg + 0.002 * i, box.centre.lat_deg + 0.002 * j};
            const earth::MapPoint map = projection.forward(at);
            file << at.lon_deg << ',' << at.lat_deg << ',' << -1e-3 * hill_m(map.x_m, map.y_m)
                 << '\n';
        }
    }
    file.close();
    earth::SurfaceDefinition hill;
    hill.name = box.volumes.free_surface = "hill";
    hill.field = "surfaces[1]";
    hill.path = path.string();
    box.volumes.surfaces.push_back(hill);
    SeismicMeshRequest request;
    request.model = box;
    request.max_frequency_hz = 1.0;
    const SeismicMesh made = SeismicMeshPlan(request).build();
    const mesh::TetMesh& mesh = made.model.mesh;

    const GroundFaces ground = find_ground(mesh);
    EXPECT_GT(ground.tets.size(), 300u);
    double worst_m = 0.0;
    for (const auto& face : ground.vertices) {
        for (const std::int32_t vertex : face) {
            const Vec3& x = mesh.xyz[vertex];
            worst_m = std::max(worst_m, std::abs(x.z - hill_m(x.x, x.y)));
        }
    }
    EXPECT_LT(worst_m, 5.0);
    EXPECT_GT(test::measure_steps(made.model).min_dihedral_deg, 8.0);
    // On top of the hill, a little above the facets.
    const std::vector<WantedPlace> wanted{{{0.0, 0.0, 500.0}, "TOP", "receivers[0]"}};
    EXPECT_LT(find_places(mesh, wanted, 60.0).moved_m[0], 60.0);
}

}  // namespace
}  // namespace kaname::jobs::seismic_mesh_test
