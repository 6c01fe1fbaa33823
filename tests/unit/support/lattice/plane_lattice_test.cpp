// SPDX-License-Identifier: BSD-3-Clause
#include <ostream>
#include <set>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/mesh/quality.hpp"
#include "tests/support/lattice/lattices.hpp"
#include "tests/unit/solvers/meshing/mesh_facts.hpp"

namespace kaname::meshing::plane_lattice_test {
namespace {

PlaneLatticeParams rectangle(double dip_deg, double top_depth) {
    PlaneLatticeParams params;
    params.box = {240e3, 200e3, 120e3, 30 * kDegree};
    params.sizes.at_fault_m = 4e3;
    params.sizes.far_m = 40e3;
    params.sizes.growth = 0.4;
    params.structure = homogeneous();
    params.top_centre = {1e3, -2e3, -top_depth};
    params.strike_rad = 30 * kDegree;
    params.dip_rad = dip_deg * kDegree;
    params.window = {-8e3, 8e3, 0.0, 16e3};
    return params;
}

struct Case {
    double dip_deg;
    double top_depth;
};
void PrintTo(const Case& rectangle, std::ostream* out) {
    *out << "dip " << rectangle.dip_deg << " degrees, top at " << rectangle.top_depth << " m";
}
class PlaneLatticeDips : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Rectangles, PlaneLatticeDips,
                         testing::Values(Case{20, 0}, Case{20, 5e3}, Case{30, 0}, Case{30, 3e3},
                                         Case{45, 0}, Case{45, 6e3}, Case{60, 0}, Case{60, 20e3},
                                         Case{90, 0}, Case{90, 5e3}));

TEST_P(PlaneLatticeDips, IsSoundAndFillsTheBox) {
    const auto params = rectangle(GetParam().dip_deg, GetParam().top_depth);

    const auto mesh = make_plane_lattice(params)->build({});

    EXPECT_NO_THROW(mesh::check_mesh(mesh, 1));
    const Box& box = params.box;
    EXPECT_NEAR(total_volume(mesh) / (box.size_east_m * box.size_north_m * box.depth_m), 1.0,
                1e-12);
}

TEST_P(PlaneLatticeDips, FaultFacesTileTheRectangleAndPointToTheHangingWall) {
    const auto params = rectangle(GetParam().dip_deg, GetParam().top_depth);
    const fault::PlaneFault fault(params.top_centre, params.strike_rad, params.dip_rad);

    const auto mesh = make_plane_lattice(params)->build({});

    EXPECT_NEAR(fault_area(mesh) / (16e3 * 16e3), 1.0, 1e-9);
    EXPECT_EQ(mesh.fault_faces.size(), 2u * 4u * 4u);
    for (const auto& face : mesh.fault_faces) {
        EXPECT_NEAR(dot(normalized(area_vector(mesh, face.vertices)), fault.normal({0, 0})), 1.0,
                    1e-9);
        for (const auto vertex : face.vertices) {
            const auto at = fault.coordinates(mesh.xyz[vertex]);
            EXPECT_LE(std::abs(at.s), 8e3 + 1e-6);
            EXPECT_GE(at.d, -1e-6);
            EXPECT_LE(at.d, 16e3 + 1e-6);
            EXPECT_NEAR(norm(fault.point(at) - mesh.xyz[vertex]), 0.0, 1e-6);
        }
    }
}

TEST_P(PlaneLatticeDips, AnglesStayOpen) {
    const auto params = rectangle(GetParam().dip_deg, GetParam().top_depth);
    const auto mesh = make_plane_lattice(params)->build({});

    double near = 180.0;
    for (std::size_t elem = 0; elem < mesh.tets.size(); ++elem) {
        if (norm(centroid(mesh, mesh.tets[elem]) - params.top_centre) < 25e3) {
            mesh::TetMesh one;
            one.xyz = mesh.xyz;
            one.tets = {mesh.tets[elem]};
            one.material = {0};
            near = std::min(near, mesh::measure_quality(one).min_dihedral_deg);
        }
    }

    EXPECT_GT(near, GetParam().dip_deg < 30 ? 5.0 : 8.0);
}

TEST_P(PlaneLatticeDips, SidesTopAndBottomAreExact) {
    const auto params = rectangle(GetParam().dip_deg, GetParam().top_depth);
    const auto mesh = make_plane_lattice(params)->build({});
    const double sin_az = std::sin(params.box.azimuth_rad);
    const double cos_az = std::cos(params.box.azimuth_rad);
    const std::array<Vec3, 6> outward = {{{-cos_az, sin_az, 0},
                                          {cos_az, -sin_az, 0},
                                          {-sin_az, -cos_az, 0},
                                          {sin_az, cos_az, 0},
                                          {0, 0, -1},
                                          {0, 0, 1}}};
    const std::array<double, 6> distance = {120e3, 120e3, 100e3, 100e3, 120e3, 0.0};
    const std::array<double, 6> area = {200e3 * 120e3, 200e3 * 120e3, 240e3 * 120e3,
                                        240e3 * 120e3, 240e3 * 200e3, 240e3 * 200e3};

    std::array<double, 6> sum{};
    for (const auto& face : mesh.boundary_faces) {
        const int side = static_cast<int>(face.side);
        const Vec3 n = area_vector(mesh, face.vertices);
        sum[side] += norm(n);
        EXPECT_NEAR(dot(normalized(n), outward[side]), 1.0, 1e-12);
        for (const auto vertex : face.vertices) {
            EXPECT_NEAR(dot(mesh.xyz[vertex], outward[side]), distance[side], 1e-9);
            const double z = mesh.xyz[vertex].z;
            if (face.side == mesh::Side::Top) {
                EXPECT_TRUE(z == 0.0 && !std::signbit(z));
            }
            if (face.side == mesh::Side::Bottom) {
                EXPECT_EQ(z, -120e3);
            }
        }
    }

    for (int side = 0; side < 6; ++side) {
        EXPECT_NEAR(sum[side] / area[side], 1.0, 1e-12) << mesh::kSideNames[side];
    }
}

TEST(PlaneLattice, MeetsLayerBoundariesExactly) {
    auto params = rectangle(35, 2e3);
    params.structure.materials = {rock("a"), rock("b"), rock("c")};
    params.structure.layers = {{0, 4.1e3}, {1, 33e3}, {2, std::nullopt}};

    const auto mesh = make_plane_lattice(params)->build({});
    const auto volume = mesh::measure_quality(mesh).volume_per_material;

    const double area = 240e3 * 200e3;
    ASSERT_EQ(volume.size(), 3u);
    EXPECT_NEAR(volume[0] / (area * 4.1e3), 1.0, 1e-10);
    EXPECT_NEAR(volume[1] / (area * (33e3 - 4.1e3)), 1.0, 1e-10);
    EXPECT_NEAR(volume[2] / (area * (120e3 - 33e3)), 1.0, 1e-10);
    EXPECT_NO_THROW(mesh::check_mesh(mesh, 3));
    EXPECT_NEAR(fault_area(mesh) / (16e3 * 16e3), 1.0, 1e-9);
}

TEST(PlaneLattice, DepthLinesNeverDifferByMoreThanTheThinRule) {
    auto params = rectangle(90, 5e3);
    params.structure.materials = {rock("a"), rock("b")};
    params.structure.layers = {{0, 30e3}, {1, 30.3e3}, {0, std::nullopt}};
    const auto mesh = make_plane_lattice(params)->build({});

    std::set<double> lines;
    for (const auto& x : mesh.xyz) {
        lines.insert(-x.z);
    }

    const std::vector<double> depth(lines.begin(), lines.end());
    EXPECT_EQ(lines.count(30e3), 1u);
    EXPECT_EQ(lines.count(30.3e3), 1u);
    for (std::size_t line = 2; line < depth.size(); ++line) {
        const double ratio = (depth[line] - depth[line - 1]) / (depth[line - 1] - depth[line - 2]);
        EXPECT_GT(ratio, 0.25) << depth[line];
        EXPECT_LT(ratio, 4.0) << depth[line];
    }
}

TEST(PlaneLattice, CellsAlongStrikeGrowByTheGivenRatio) {
    auto params = rectangle(90, 0);
    params.box.azimuth_rad = 0.0;
    params.strike_rad = 0.0;
    params.cells_strike = 8;
    const auto mesh = make_plane_lattice(params)->build({});

    std::set<double> lines;
    for (const auto& x : mesh.xyz) {
        lines.insert(x.y);
    }

    const std::vector<double> a(lines.begin(), lines.end());
    EXPECT_EQ(lines.count(-10e3), 1u);
    EXPECT_EQ(lines.count(6e3), 1u);
    const auto inside =
        std::count_if(a.begin(), a.end(), [](double y) { return y >= -10e3 && y <= 6e3; });
    EXPECT_EQ(inside, 9);
    for (std::size_t line = 2; line < a.size(); ++line) {
        const double ratio = (a[line] - a[line - 1]) / (a[line - 1] - a[line - 2]);
        EXPECT_LT(std::max(ratio, 1 / ratio), 1.5) << a[line];
        EXPECT_LT(a[line] - a[line - 1], 40e3 * 1.2);
    }
}

TEST(PlaneLattice, CutsTheShearedQuadsAlongTheirShortDiagonal) {
    const auto params = rectangle(30, 0);
    const auto mesh = make_plane_lattice(params)->build({});
    const fault::PlaneFault fault(params.top_centre, params.strike_rad, params.dip_rad);

    double longest = 0.0;
    for (const auto& tet : mesh.tets) {
        const bool on_fault = std::any_of(tet.begin(), tet.end(), [&](std::int32_t vertex) {
            return norm(mesh.xyz[vertex] - fault.point({0, 8e3})) < 1.0;
        });
        if (on_fault) {
            for (const auto one : tet) {
                for (const auto other : tet) {
                    longest = std::max(longest, norm(mesh.xyz[one] - mesh.xyz[other]));
                }
            }
        }
    }

    // Sides 4, 4.7 and 4 km, angle 30 degrees: a short diagonal keeps every edge below
    // sqrt(4^2 + 4.7^2), the long one has 8.4 km in the plane across strike alone.
    EXPECT_LT(longest, 6.7e3);
}

TEST(PlaneLattice, CanCutTheWholeBoxAlongStrike) {
    auto params = rectangle(90, 0);
    params.box.azimuth_rad = 0.0;
    params.strike_rad = 0.0;
    params.top_centre = {0, 0, 0};
    params.window = {-100e3, 100e3, 0, 120e3};

    const auto mesh = make_plane_lattice(params)->build({});

    EXPECT_NO_THROW(mesh::check_mesh(mesh, 1));
    EXPECT_NEAR(fault_area(mesh) / (200e3 * 120e3), 1.0, 1e-12);
}

TEST(PlaneLattice, EstimateIsExactAndBuildRepeats) {
    const auto source = make_plane_lattice(rectangle(45, 2e3));

    const auto count = source->estimate();
    const auto one = source->build({});
    const auto two = source->build({});

    EXPECT_EQ(count.vertices, std::ssize(one.xyz));
    EXPECT_EQ(count.tets, std::ssize(one.tets));
    EXPECT_EQ(one.tets, two.tets);
    EXPECT_EQ(one.xyz, two.xyz);
}

void expect_refused(const PlaneLatticeParams& params, const char* part) {
    try {
        static_cast<void>(make_plane_lattice(params));
        ADD_FAILURE() << "accepted; expected a message with " << part;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST(PlaneLattice, RefusesWhatItCannotMeshNamingTheField) {
    auto flat = rectangle(19, 0);
    auto turned = rectangle(45, 0);
    turned.box.azimuth_rad = 0.0;
    auto airborne = rectangle(45, 0);
    airborne.top_centre.z = 500.0;
    auto deep = rectangle(45, 115e3);
    auto narrow = rectangle(20, 5e3);
    narrow.box.size_east_m = 60e3;
    auto outside = rectangle(45, 0);
    outside.window.s_max = 110e3;
    auto slab = rectangle(45, 0);
    slab.structure.below_interface = {{0, std::nullopt}};
    auto sizeless = rectangle(45, 0);
    sizeless.sizes.at_fault_m = 0.0;

    expect_refused(flat, "dip_rad");
    expect_refused(turned, "box.azimuth_rad");
    expect_refused(airborne, "upper edge");
    expect_refused(deep, "lower edge");
    expect_refused(narrow, "box.size_east_m");
    expect_refused(outside, "window along strike");
    expect_refused(slab, "structure.below_interface");
    expect_refused(sizeless, "sizes.at_fault_m");
}

}  // namespace
}  // namespace kaname::meshing::plane_lattice_test
