// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iomanip>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/units.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/gmsh_writer.hpp"
#include "tests/support/loh1_box.hpp"
#include "tests/support/step_shapes.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"
#include "worker/jobs/ader_dg/wave_resolution.hpp"

namespace kaname::jobs::seismic_faults_test {
namespace {

constexpr double kSize_m = 1000.0;

SeismicFault plane(const std::string& name, const FaultPlane& at) {
    return {name, "faults['" + name + "']", at, kSize_m};
}

/// A half-space with faults.
SeismicMeshRequest half_space(std::vector<SeismicFault> faults) {
    LayeredBox box{20e3, 20e3, 12e3, {}};
    box.layers.materials = {test::rock("rock", 6000.0, 3464.0, 2670.0)};
    box.layers.layers = {{0, std::nullopt}};
    SeismicMeshRequest request;
    request.model = box;
    request.max_frequency_hz = 0.4;
    request.faults = std::move(faults);
    return request;
}

Vec3 normal_of(const FaultPlane& plane) {
    const double strike = plane.strike_deg * kDegree, dip = plane.dip_deg * kDegree;
    return {std::sin(dip) * std::cos(strike), -std::sin(dip) * std::sin(strike), std::cos(dip)};
}

struct FaultFacts {
    double area_m2 = 0.0;
    double least_cosine = 1.0;  ///< of a face's normal and that of the plane
    double farthest_m = 0.0;    ///< of a vertex from the plane
    double mean_edge_m = 0.0;   ///< of tets with a face on the fault
    double inside_m = 1e9;      ///< of the vertex that is least far inside of the rectangle
};

FaultFacts facts_of(const mesh::TetMesh& mesh, int fault, const FaultPlane& plane) {
    const Vec3 normal = normal_of(plane);
    const double strike = plane.strike_deg * kDegree;
    const Vec3 along{std::sin(strike), std::cos(strike), 0.0};
    const Vec3 down = cross(along, normal);
    const Vec3 origin{plane.x_m, plane.y_m, -plane.top_depth_m};
    FaultFacts facts;
    std::set<std::int32_t> vertices;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        if (face.fault != fault) {
            continue;
        }
        const auto& [a, b, c] = face.vertices;
        const Vec3 area = 0.5 * cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
        facts.area_m2 += norm(area);
        facts.least_cosine = std::min(facts.least_cosine, dot(normalized(area), normal));
        vertices.insert(face.vertices.begin(), face.vertices.end());
    }
    for (const std::int32_t v : vertices) {
        const Vec3 x = mesh.xyz[v] - origin;
        facts.farthest_m = std::max(facts.farthest_m, std::abs(dot(x, normal)));
        facts.inside_m = std::min({facts.inside_m, 0.5 * plane.length_m - std::abs(dot(x, along)),
                                   dot(x, down), plane.width_m - dot(x, down)});
    }
    double sum = 0.0;
    int edges = 0;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        if (std::ranges::count_if(mesh.tets[tet],
                                  [&](std::int32_t v) { return vertices.contains(v); }) == 3) {
            const mesh::Corners at = mesh::corners_of(mesh, tet);
            for (int k = 0; k < 6; ++k) {
                sum += norm(at[k < 3 ? 0 : k < 5 ? 1 : 2] - at[k < 3 ? k + 1 : k < 5 ? k - 1 : 3]);
                ++edges;
            }
        }
    }
    facts.mean_edge_m = sum / edges;
    return facts;
}

double least_insphere_m(const mesh::TetMesh& mesh) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const mesh::Corners at = mesh::corners_of(mesh, tet);
        double surface = 0.0;
        for (int k = 0; k < 4; ++k) {
            const Vec3 &a = at[(k + 1) % 4], &b = at[(k + 2) % 4], &c = at[(k + 3) % 4];
            surface += 0.5 * norm(cross(b - a, c - a));
        }
        least = std::min(least, 6.0 * mesh::volume_of(at) / surface);
    }
    return least;
}

TEST(SeismicFaults, APlaneAlongTheBoxIsPartOfTheRegularLattice) {
    // Neither place nor rim are multiples of the cubes that the box would be divided into.
    const FaultPlane breaking{0.0, 0.0, 0.0, 90.0, 90.0, 12e3, 6e3};
    const FaultPlane buried{730.0, -410.0, 1900.0, 180.0, 90.0, 9.7e3, 6.1e3};
    for (const FaultPlane& at : {breaking, buried}) {
        const SeismicMesh made = SeismicMeshPlan(half_space({plane("main", at)})).build();
        const FaultFacts facts = facts_of(made.model.mesh, 0, at);

        EXPECT_EQ(made.model.mesh.faults, std::vector<std::string>{"main"});
        EXPECT_NEAR(facts.area_m2, at.length_m * at.width_m, 1e-3);
        EXPECT_GT(facts.least_cosine, 1.0 - 1e-12);
        EXPECT_LT(facts.farthest_m, 1e-9);
        EXPECT_GT(facts.inside_m, -1e-6);
        EXPECT_NEAR(facts.mean_edge_m / kSize_m, 1.0, 0.1);
        EXPECT_GT(least_insphere_m(made.model.mesh), 0.25 * kSize_m);
        EXPECT_GT(test::measure_steps(made.model).min_dihedral_deg, 20.0);
        EXPECT_TRUE(made.notes.empty()) << made.notes[0];
    }
}

TEST(SeismicFaults, ADippingPlaneComesUpToTheGround) {
    for (const double dip_deg : {60.0, 30.0}) {
        const FaultPlane at{-1500.0, 300.0, 0.0, 20.0, dip_deg, 10e3, 7e3};
        const SeismicMesh made = SeismicMeshPlan(half_space({plane("thrust", at)})).build();
        const FaultFacts facts = facts_of(made.model.mesh, 0, at);

        EXPECT_NEAR(facts.area_m2 / (at.length_m * at.width_m), 1.0, 0.02) << dip_deg;
        EXPECT_GT(facts.least_cosine, 0.999) << dip_deg;
        EXPECT_LT(facts.farthest_m, 0.02 * kSize_m) << dip_deg;
        EXPECT_GT(facts.inside_m, -0.02 * kSize_m) << dip_deg;
        EXPECT_NEAR(facts.mean_edge_m / kSize_m, 1.0, 0.15) << dip_deg;
        EXPECT_GT(least_insphere_m(made.model.mesh), 0.08 * kSize_m) << dip_deg;
    }
}

TEST(SeismicFaults, ABranchEndsAtThePlaneThatItLeaves) {
    const FaultPlane main{0.0, 0.0, 0.0, 90.0, 90.0, 14e3, 6e3};
    // From the middle of the main fault, 30 degrees to its right.
    const double away_m = 3000.0;
    const FaultPlane branch{
        away_m * std::cos(30.0 * kDegree), -0.5 * away_m, 0.0, 120.0, 90.0, 2.0 * away_m, 6e3};
    const SeismicMesh made =
        SeismicMeshPlan(half_space({plane("main", main), plane("branch", branch)})).build();
    const FaultFacts of_main = facts_of(made.model.mesh, 0, main);
    const FaultFacts of_branch = facts_of(made.model.mesh, 1, branch);

    EXPECT_EQ(made.model.mesh.faults, (std::vector<std::string>{"main", "branch"}));
    EXPECT_NEAR(of_main.area_m2 / (main.length_m * main.width_m), 1.0, 0.02);
    EXPECT_LT(of_main.farthest_m, 0.02 * kSize_m);
    EXPECT_NEAR(of_branch.area_m2 / (branch.length_m * branch.width_m), 1.0, 0.02);
    EXPECT_GT(of_branch.least_cosine, 0.99);
    for (const mesh::FaultFace& face : made.model.mesh.fault_faces) {
        for (const std::int32_t v : face.vertices) {
            EXPECT_TRUE(face.fault == 0 || made.model.mesh.xyz[v].y < 0.02 * kSize_m);
        }
    }
}

TEST(SeismicFaults, PlanesMayCross) {
    const FaultPlane one{0.0, 0.0, 0.0, 80.0, 90.0, 12e3, 7e3};
    const FaultPlane other{0.0, 0.0, 0.0, 10.0, 70.0, 8e3, 5e3};
    const SeismicMesh made =
        SeismicMeshPlan(half_space({plane("one", one), plane("other", other)})).build();

    EXPECT_NEAR(facts_of(made.model.mesh, 0, one).area_m2 / (one.length_m * one.width_m), 1.0,
                0.02);
    EXPECT_NEAR(facts_of(made.model.mesh, 1, other).area_m2 / (other.length_m * other.width_m), 1.0,
                0.02);
    std::set<std::array<std::int32_t, 3>> faces;
    for (const mesh::FaultFace& face : made.model.mesh.fault_faces) {
        auto key = face.vertices;
        std::ranges::sort(key);
        EXPECT_TRUE(faces.insert(key).second);
    }
}

TEST(SeismicFaults, EveryFaceIsBetweenTwoTetsWithTheNormalToTheHangingWall) {
    const FaultPlane at{0.0, 0.0, 1000.0, 200.0, 45.0, 8e3, 5e3};
    const SeismicMesh made = SeismicMeshPlan(half_space({plane("main", at)})).build();
    const mesh::TetMesh& mesh = made.model.mesh;
    const mesh::FaceSet faces = mesh::check_mesh(mesh, 1);

    ASSERT_GT(mesh.fault_faces.size(), 50u);
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        const std::int64_t index = faces.find(face.vertices);
        ASSERT_GE(index, 0);
        EXPECT_EQ(faces.uses(index), 2);
        const auto& [a, b, c] = face.vertices;
        EXPECT_GT(cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]).z, 0.0);
    }
}

/// Elements of a mesh are never more than `most` times as many as where all sizes at faults are
/// smaller by a factor.
void expect_fewer_with_size(const std::vector<SeismicFault>& faults,
                            const std::vector<double>& factors, double most) {
    aderdg::WaveParams params;
    params.end_s = 1.0;
    params.interval_s = 0.1;
    double fewest = std::numeric_limits<double>::infinity();
    for (const double factor : factors) {
        std::vector<SeismicFault> larger = faults;
        for (SeismicFault& fault : larger) {
            fault.element_size_m *= factor;
        }
        const auto tets =
            static_cast<double>(SeismicMeshPlan(half_space(larger)).estimate(params).count.tets);
        EXPECT_LT(tets, most * fewest) << factor << ", " << faults.size() << " faults";
        fewest = std::min(fewest, tets);
    }
}

TEST(SeismicFaults, LargerElementsAtTheFaultNeverCostMore) {
    // Roots are whole: the same lattice can be stretched by a hundredth.
    for (const double strike_deg : {90.0, 30.0, 45.0}) {
        expect_fewer_with_size({plane("main", {0.0, 0.0, 1e3, strike_deg, 90.0, 10e3, 6e3})},
                               {0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.6}, 1.01);
    }
    // Some sizes fit the lattice by luck where faults of unlike sizes share a mesh.
    std::vector<SeismicFault> unlike = {plane("main", {0.0, 0.0, 1e3, 90.0, 90.0, 10e3, 6e3}),
                                        plane("small", {0.0, 5e3, 1e3, 45.0, 60.0, 4e3, 3e3})};
    unlike[1].element_size_m *= 0.37;
    expect_fewer_with_size(unlike, {0.6, 0.7, 0.85, 1.0, 1.2, 1.6}, 1.06);
}

TEST(SeismicFaults, FacesAlongTheLatticesDiagonalAreNotLargerThanAskedFor) {
    SeismicFault fault = plane("main", {0.0, 0.0, 1e3, 45.0, 90.0, 10e3, 6e3});
    fault.element_size_m = 500.0;
    SeismicMeshRequest request = half_space({fault});
    request.order = 4;
    auto& box = std::get<LayeredBox>(request.model);
    box.size_x_m = box.size_y_m = 24e3;
    box.depth_m = 14e3;

    const SeismicMesh made = SeismicMeshPlan(request).build();

    double sum_m = 0.0;
    for (const mesh::FaultFace& face : made.model.mesh.fault_faces) {
        for (int k = 0; k < 3; ++k) {
            sum_m += norm(made.model.mesh.xyz[face.vertices[k]] -
                          made.model.mesh.xyz[face.vertices[(k + 1) % 3]]);
        }
    }
    const double mean_m = sum_m / (3.0 * static_cast<double>(made.model.mesh.fault_faces.size()));
    EXPECT_LT(mean_m, 1.12 * fault.element_size_m);
    EXPECT_GT(mean_m, 0.5 * fault.element_size_m);
}

TEST(SeismicFaults, EstimateIsWhatBuildMakesAndTheFileKeepsTheFaults) {
    TemporaryFolder folder;
    const std::string path = (folder.path() / "mesh.h5").string();
    aderdg::WaveParams params;
    params.end_s = 1.0;
    params.interval_s = 0.1;
    for (const double dip_deg : {90.0, 50.0}) {
        const SeismicMeshRequest request =
            half_space({plane("first", {0.0, 0.0, 0.0, 0.0, dip_deg, 12e3, 6e3}),
                        plane("second", {5e3, 6e3, 2e3, 45.0, 90.0, 4e3, 4e3})});
        const SeismicMeshPlan plan(request);
        const auto estimate = plan.estimate(params);
        const SeismicMesh made = plan.build();
        const aderdg::Clusters clusters = aderdg::find_clusters(made.model, params);

        const auto tets = static_cast<double>(made.model.mesh.tets.size());
        EXPECT_NEAR(static_cast<double>(estimate.count.tets) / tets, 1.0, 0.3);
        EXPECT_NEAR(updates_per_s(estimate.clusters) / updates_per_s(clusters), 1.0, 0.4);
        EXPECT_NEAR(std::log2(estimate.clusters.step_s / clusters.step_s), 0.0, 1.3);

        write_seismic_mesh(path, made);
        const SeismicMesh read = read_seismic_mesh(path, request);
        EXPECT_EQ(read.model.mesh.faults, (std::vector<std::string>{"first", "second"}));
        ASSERT_EQ(read.model.mesh.fault_faces.size(), made.model.mesh.fault_faces.size());
        for (std::size_t k = 0; k < made.model.mesh.fault_faces.size(); ++k) {
            EXPECT_EQ(read.model.mesh.fault_faces[k].vertices,
                      made.model.mesh.fault_faces[k].vertices);
            EXPECT_EQ(read.model.mesh.fault_faces[k].fault, made.model.mesh.fault_faces[k].fault);
        }
    }
}

/// Depth of a bent surface.
double bend_depth_m(double x_m) {
    return 4000.0 + 0.3 * x_m + 2e-5 * x_m * x_m;
}

/// A part of the Earth with that surface inside its only volume.
SeismicMeshRequest bent_surface(const std::filesystem::path& path) {
    EarthBox box;
    box.centre = {138.0, 36.0};
    box.size_east_m = box.size_north_m = 20e3;
    box.depth_m = 12e3;
    box.azimuth_rad = 0.4;
    box.volumes.materials = {test::rock("rock", 6000.0, 3464.0, 2670.0)};
    earth::VolumeDefinition all;
    all.name = "all";
    all.field = "volumes[0]";
    all.material = 0;
    box.volumes.volumes = {all};
    const earth::Projection projection(box.centre);
    std::ofstream file(path);
    file << std::setprecision(12) << "lon_deg,lat_deg,depth_km\n";
    for (int j = -80; j <= 80; ++j) {
        for (int i = -80; i <= 80; ++i) {
            const earth::LonLat at{box.centre.lon_deg + 0.003 * i, box.centre.lat_deg + 0.003 * j};
            const double x = projection.forward(at).x_m;
            file << at.lon_deg << ',' << at.lat_deg << ',' << 1e-3 * bend_depth_m(x) << '\n';
        }
    }
    earth::SurfaceDefinition bend;
    bend.name = "bend";
    bend.field = "surfaces[0]";
    bend.path = path.string();
    box.volumes.surfaces = {bend};
    SeismicMeshRequest request;
    request.model = box;
    request.max_frequency_hz = 0.4;
    request.faults = {{"curved", "faults[0]",
                       FaultSurface{"bend", {{-4e3, -5e3}, {4e3, -5e3}, {4e3, 5e3}, {-4e3, 5e3}}},
                       kSize_m}};
    return request;
}

TEST(SeismicFaults, ASurfaceOfTheModelIsAFaultInsideItsOutline) {
    TemporaryFolder folder;
    const SeismicMeshRequest request = bent_surface(folder.path() / "bend.csv");
    const SeismicMesh made = SeismicMeshPlan(request).build();
    const mesh::TetMesh& mesh = made.model.mesh;

    double area_m2 = 0.0, plan_m2 = 0.0, farthest_m = 0.0, outside_m = 0.0;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        const auto& [a, b, c] = face.vertices;
        const Vec3 area = 0.5 * cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
        area_m2 += norm(area);
        plan_m2 += area.z;
        for (const std::int32_t v : face.vertices) {
            const Vec3& x = mesh.xyz[v];
            farthest_m = std::max(farthest_m, std::abs(x.z + bend_depth_m(x.x)));
            outside_m = std::max({outside_m, std::abs(x.x) - 4e3, std::abs(x.y) - 5e3});
        }
    }
    EXPECT_NEAR(plan_m2 / 80e6, 1.0, 0.05);
    EXPECT_GT(area_m2 / plan_m2, 1.04);  // sqrt(1 + 0.3^2)
    EXPECT_LT(farthest_m, 0.05 * kSize_m);
    EXPECT_LT(outside_m, 0.8 * kSize_m);
    EXPECT_TRUE(made.notes.empty()) << made.notes[0];
}

/// 8 x 8 x 4 cubes of 1 km with a vertical fault across x.
SeismicMeshRequest mesh_file(const std::filesystem::path& path) {
    test::BoxMesh box;
    box.cells = {8, 8, 4};
    box.low = {-4000.0, -4000.0, -4000.0};
    box.high = {4000.0, 4000.0, 0.0};
    box.faults = {{0, 4, {0, 2, 2}, {0, 6, 4}, true}};
    std::ofstream(path) << test::write_gmsh(box.build(), {"rock"}, {});
    MeshOfOnesOwn own;
    own.path = path.string();
    own.length_unit = "m";
    own.top = "top";
    own.materials = {test::rock("rock", 6000.0, 3464.0, 2670.0)};
    SeismicMeshRequest request;
    request.model = own;
    request.max_frequency_hz = 0.4;
    request.faults = {{"strand", "faults[0]", FaultInFile{"fault", 180.0}, 0.0}};
    return request;
}

std::string refusal_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const ValidationError& error) {
        return error.violations().front().field + " " + error.violations().front().message;
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(SeismicFaults, PhysicalSurfacesOfAFileAreFaults) {
    TemporaryFolder folder;
    SeismicMeshRequest request = mesh_file(folder.path() / "box.msh");
    const SeismicMesh made = SeismicMeshPlan(request).build();
    const FaultPlane at{0.0, 0.0, 0.0, 180.0, 90.0, 4000.0, 2000.0};
    const FaultFacts facts = facts_of(made.model.mesh, 0, at);

    EXPECT_EQ(made.model.mesh.faults, std::vector<std::string>{"strand"});
    EXPECT_NEAR(facts.area_m2, 8e6, 1e-3);
    EXPECT_GT(facts.least_cosine, 1.0 - 1e-12);  // to the right of strike, west

    const auto refusal = [&](const FaultInFile& file) {
        request.faults[0].place = file;
        return refusal_of([&] { (void)SeismicMeshPlan(request).build(); });
    };
    EXPECT_NE(refusal({"crack", 180.0})
                  .find("faults[0] must name a physical surface of mesh.file, got 'crack'"),
              std::string::npos);
    EXPECT_NE(refusal({"east", 180.0}).find("lies on the outside of the mesh, but a fault must "),
              std::string::npos);
    EXPECT_NE(refusal({"fault", std::nullopt}).find("faults[0] 'fault' is vertical"),
              std::string::npos);
}

TEST(SeismicFaults, SaysWhatIsWrongWithThem) {
    const auto refusal = [](const SeismicMeshRequest& request) {
        return refusal_of([&] { SeismicMeshPlan plan(request); });
    };
    const FaultPlane good{0.0, 0.0, 0.0, 90.0, 90.0, 12e3, 6e3};
    FaultPlane flat = good, deep = good;
    flat.dip_deg = 5.0;
    deep.width_m = 13e3;

    EXPECT_EQ(refusal(half_space({plane("a", flat)})),
              "faults['a'].dip_deg must be 10 to 90, got 5");
    EXPECT_EQ(refusal(half_space({plane("a", good), plane("a", good)})),
              "faults['a'].name must be unique, got 'a'");
    EXPECT_NE(refusal(half_space({plane("a", deep)}))
                  .find("faults['a'] must lie inside the box, but 'a' reaches ("),
              std::string::npos);
    EXPECT_EQ(refusal(half_space({{"a", "faults[0]", FaultSurface{"top", {}}, kSize_m}})),
              "faults[0] must be a plane where layers are level");
    EXPECT_EQ(refusal(half_space({{"a", "faults[0]", FaultInFile{"top", {}}, kSize_m}})),
              "faults[0] must not be a physical surface: there is no mesh file");

    SeismicMeshRequest many = half_space({plane("a", good)});
    many.faults[0].element_size_m = 1.0;
    many.max_elements = 1'000'000;
    EXPECT_NE(refusal(many).find("max_elements must allow, within memory, for the elements about "),
              std::string::npos);

    TemporaryFolder folder;
    SeismicMeshRequest bent = bent_surface(folder.path() / "bend.csv");
    std::get<FaultSurface>(bent.faults[0].place).surface = "moho";
    EXPECT_EQ(refusal(bent),
              "faults[0].surface must name a surface under the ground, got 'moho'; there are "
              "'bend'");
}

TEST(SeismicFaults, AVerticalPlaneMayPartTwoMaterials) {
    for (const double strike_deg : {90.0, 60.0}) {
        const FaultPlane at{500.0, 700.0, 0.0, strike_deg, 90.0, 8e3, 5e3};
        SeismicMeshRequest request = half_space({plane("contact", at)});
        auto& box = std::get<LayeredBox>(request.model);
        box.layers.materials.push_back(test::rock("slow", 3750.0, 2165.0, 2225.0));
        box.plus_materials = {1};
        const SeismicMesh made = SeismicMeshPlan(request).build();
        const mesh::TetMesh& mesh = made.model.mesh;

        EXPECT_NEAR(facts_of(mesh, 0, at).area_m2, 40e6, 1e3);
        const Vec3 normal = normal_of(at);
        for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
            for (const Vec3& x : mesh::corners_of(mesh, tet)) {
                const double right_m = dot(x - Vec3{at.x_m, at.y_m, 0.0}, normal);
                EXPECT_TRUE(mesh.material[tet] == 1 ? right_m > -1.0 : right_m < 1.0) << right_m;
            }
        }
    }
    SeismicMeshRequest request = half_space({});
    std::get<LayeredBox>(request.model).plus_materials = {0};
    EXPECT_EQ(refusal_of([&] { SeismicMeshPlan plan(request); }),
              "plus_materials need a vertical plane as the first fault");
}

TEST(SeismicFaults, OverlappingPlanesShareNoFace) {
    const FaultPlane at{0.0, 0.0, 0.0, 90.0, 90.0, 8e3, 5e3};
    FaultPlane shifted = at;
    shifted.x_m = 4e3;
    const SeismicMesh made =
        SeismicMeshPlan(half_space({plane("one", at), plane("other", shifted)})).build();

    EXPECT_NEAR(facts_of(made.model.mesh, 0, at).area_m2, 40e6, 1e-3);
    EXPECT_NEAR(facts_of(made.model.mesh, 1, shifted).area_m2, 20e6, 1e-3);
    ASSERT_EQ(made.notes.size(), 1u);
    EXPECT_NE(made.notes[0].find("fault 'other' leaves "), std::string::npos);
}

}  // namespace
}  // namespace kaname::jobs::seismic_faults_test
