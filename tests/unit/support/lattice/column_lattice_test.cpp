// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/mesh/quality.hpp"
#include "tests/support/lattice/lattices.hpp"
#include "tests/unit/solvers/meshing/mesh_facts.hpp"

namespace kaname::meshing::column_lattice_test {
namespace {

constexpr double kDip = 15 * kDegree;
constexpr double kBoxArea = 300e3 * 260e3;
constexpr double kBoxDepth = 150e3;

/// Tilted to the east, limited like a real interface: 2 km at the trench, 60 km far down.
double tilted(double x, double /*y*/) {
    return std::clamp(10e3 + std::tan(kDip) * x, 2e3, 60e3);
}

double curved(double x, double y) {
    return std::clamp(20e3 + 0.25 * (x + 0.2 * y) + 4e3 * std::sin(y / 40e3), 2.5e3, 70e3);
}

ColumnLatticeParams over(const fault::FaultSurface& fault,
                         std::function<double(double, double)> depth) {
    ColumnLatticeParams params;
    params.box = {300e3, 260e3, kBoxDepth, 0.0};
    params.sizes.at_fault_m = 5e3;
    params.sizes.far_m = 50e3;
    params.sizes.growth = 0.4;
    params.structure = homogeneous();
    params.interface_depth_m = std::move(depth);
    params.fault = &fault;
    params.window = {-30e3, 30e3, -20e3, 40e3};
    return params;
}

const fault::PlaneFault& tilted_fault() {
    static const fault::PlaneFault fault({0, 0, -10e3}, 0.0, kDip);
    return fault;
}

TEST(ColumnLattice, IsSoundAndFillsATurnedBox) {
    auto params = over(tilted_fault(), tilted);
    params.box.azimuth_rad = -20 * kDegree;

    const auto mesh = make_column_lattice(params)->build({});

    EXPECT_NO_THROW(mesh::check_mesh(mesh, 1));
    EXPECT_NEAR(total_volume(mesh) / (kBoxArea * kBoxDepth), 1.0, 1e-12);
}

TEST(ColumnLattice, FaultFacesLieInTheWindowOnTheInterfaceAndPointUp) {
    const auto params = over(tilted_fault(), tilted);

    const auto mesh = make_column_lattice(params)->build({});

    ASSERT_FALSE(mesh.fault_faces.empty());
    for (const auto& face : mesh.fault_faces) {
        EXPECT_NEAR(dot(normalized(area_vector(mesh, face.vertices)), tilted_fault().normal({})),
                    1.0, 1e-9);
        for (const auto id : face.vertices) {
            const Vec3& x = mesh.xyz[id];
            const auto at = tilted_fault().coordinates(x);
            EXPECT_DOUBLE_EQ(-x.z, tilted(x.x, x.y));
            EXPECT_LE(std::abs(at.s), 30e3 + 0.1);
            EXPECT_GE(at.d, -20e3 - 0.1);
            EXPECT_LE(at.d, 40e3 + 0.1);
        }
    }
    // The rim is a staircase: less than one cell is lost on each side.
    EXPECT_LE(fault_area(mesh), 60e3 * 60e3 * (1 + 1e-9));
    EXPECT_GE(fault_area(mesh), 50e3 * 50e3);
}

TEST(ColumnLattice, FollowsACurvedInterfaceBetweenTheMaterials) {
    const fault::InterfaceFault fault(curved, 0, 0, 0.0);
    auto params = over(fault, curved);
    params.window = {-30e3, 30e3, -10e3, 30e3};
    params.structure.materials = {rock("crust"), rock("mantle"), rock("slab"), rock("deep")};
    params.structure.layers = {{0, 30e3}, {1, std::nullopt}};
    params.structure.below_interface = {{2, 30e3}, {3, std::nullopt}};

    const auto mesh = make_column_lattice(params)->build({});
    const auto volume = mesh::measure_quality(mesh).volume_per_material;

    double crust = 0.0;
    double mantle = 0.0;
    for (double x = -149.5e3; x < 150e3; x += 1e3) {
        for (double y = -129.5e3; y < 130e3; y += 1e3) {
            crust += 1e6 * std::min(curved(x, y), 30e3);
            mantle += 1e6 * std::max(0.0, curved(x, y) - 30e3);
        }
    }
    EXPECT_NO_THROW(mesh::check_mesh(mesh, 4));
    ASSERT_EQ(volume.size(), 4u);
    EXPECT_NEAR((volume[0] + volume[1]) / (crust + mantle), 1.0, 0.01);
    EXPECT_NEAR(volume[0] / crust, 1.0, 0.05);
    EXPECT_NEAR(volume[1] / mantle, 1.0, 0.1);
    EXPECT_NEAR(volume[2] / (kBoxArea * 30e3), 1.0, 0.03);
    for (std::size_t elem = 0; elem < mesh.tets.size(); ++elem) {
        const bool below = mesh.material[elem] >= 2;
        for (const auto id : mesh.tets[elem]) {
            const Vec3& x = mesh.xyz[id];
            if (std::hypot(x.x, x.y) > 40e3) {  // further out the level may leave the interface
                continue;
            }
            const double height = x.z + curved(x.x, x.y);
            EXPECT_TRUE(below ? height < 1e-6 : height > -1e-6) << elem;
        }
    }
}

TEST(ColumnLattice, SidesTopAndBottomAreExact) {
    const auto mesh = make_column_lattice(over(tilted_fault(), tilted))->build({});

    std::array<double, 6> sum{};
    for (const auto& face : mesh.boundary_faces) {
        const Vec3 n = area_vector(mesh, face.vertices);
        const std::array<Vec3, 6> outward = {
            {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
        const int side = static_cast<int>(face.side);
        EXPECT_NEAR(dot(normalized(n), outward[side]), 1.0, 1e-12);
        sum[side] += norm(n);
        for (const auto id : face.vertices) {
            const Vec3& x = mesh.xyz[id];
            const std::array<double, 6> reach = {-x.x, x.x, -x.y, x.y, -x.z, x.z};
            const std::array<double, 6> exact = {150e3, 150e3, 130e3, 130e3, kBoxDepth, 0.0};
            EXPECT_EQ(reach[side], exact[side]);
            EXPECT_FALSE(x.z == 0.0 && std::signbit(x.z));
        }
    }

    EXPECT_NEAR(sum[0] / (260e3 * kBoxDepth), 1.0, 1e-12);
    EXPECT_NEAR(sum[1] / (260e3 * kBoxDepth), 1.0, 1e-12);
    EXPECT_NEAR(sum[2] / (300e3 * kBoxDepth), 1.0, 1e-12);
    EXPECT_NEAR(sum[3] / (300e3 * kBoxDepth), 1.0, 1e-12);
    EXPECT_NEAR(sum[4] / kBoxArea, 1.0, 1e-12);
    EXPECT_NEAR(sum[5] / kBoxArea, 1.0, 1e-12);
}

TEST(ColumnLattice, EveryQuadIsCutAlongItsShorterDiagonal) {
    const auto mesh = make_column_lattice(over(tilted_fault(), tilted))->build({});
    std::map<std::pair<double, double>, std::vector<std::int32_t>> columns;
    for (std::int32_t id = 0; id < std::ssize(mesh.xyz); ++id) {
        columns[{mesh.xyz[id].x, mesh.xyz[id].y}].push_back(id);
    }
    std::vector<std::int32_t> level(mesh.xyz.size());
    std::map<std::int32_t, const std::vector<std::int32_t>*> column_of;
    for (const auto& [place, ids] : columns) {
        for (std::size_t at = 0; at < ids.size(); ++at) {
            level[ids[at]] = static_cast<std::int32_t>(at);
            column_of[ids[at]] = &ids;
        }
    }

    for (const auto& tet : mesh.tets) {
        for (const auto one : tet) {
            for (const auto other : tet) {
                if (level[other] == level[one] + 1 && column_of[one] != column_of[other]) {
                    const auto a = (*column_of[one])[level[other]];
                    const auto b = (*column_of[other])[level[one]];
                    EXPECT_LE(norm(mesh.xyz[one] - mesh.xyz[other]),
                              norm(mesh.xyz[a] - mesh.xyz[b]) * (1 + 1e-12));
                }
            }
        }
    }
}

TEST(ColumnLattice, SlabOfConstantThicknessIsOneLayerWhereALevelIsFree) {
    auto params = over(tilted_fault(), [](double, double) { return 20e3; });
    const fault::PlaneFault flat({0, 0, -20e3}, 0.0, 1e-9);
    params.fault = &flat;
    params.structure.materials = {rock("plate"), rock("slab"), rock("deep")};
    params.structure.layers = {{0, std::nullopt}};
    params.structure.below_interface = {{1, 80e3}, {2, std::nullopt}};
    params.sizes.growth = 2.0;
    params.sizes.at_fault_m = 50e3;
    params.window = {-100e3, 100e3, -100e3, 100e3};

    const auto mesh = make_column_lattice(params)->build({});
    const auto volume = mesh::measure_quality(mesh).volume_per_material;

    EXPECT_NEAR(volume.at(0) / (kBoxArea * 20e3), 1.0, 1e-10);
    EXPECT_NEAR(volume.at(1) / (kBoxArea * 80e3), 1.0, 1e-10);
}

TEST(ColumnLattice, SurfaceRuptureBringsTheFaultToTheSurface) {
    const auto reaching = [](double x, double /*y*/) {
        return std::clamp(8e3 + std::tan(kDip) * x, 0.0, 60e3);
    };
    const fault::PlaneFault fault({0, 0, -8e3}, 0.0, kDip);
    auto params = over(fault, reaching);
    params.window = {-30e3, 30e3, -40e3, 30e3};
    params.surface_rupture = true;

    const auto source = make_column_lattice(params);
    const auto mesh = source->build({});

    EXPECT_NO_THROW(mesh::check_mesh(mesh, 1));
    EXPECT_NEAR(total_volume(mesh) / (kBoxArea * kBoxDepth), 1.0, 1e-12);
    EXPECT_EQ(source->estimate().vertices, std::ssize(mesh.xyz));
    EXPECT_EQ(source->estimate().tets, std::ssize(mesh.tets));
    int on_surface = 0;
    for (const auto& face : mesh.fault_faces) {
        EXPECT_GT(area_vector(mesh, face.vertices).z, 0.0);
        int up = 0;
        for (const auto id : face.vertices) {
            up += mesh.xyz[id].z == 0.0 ? 1 : 0;
        }
        EXPECT_LT(up, 3);
        on_surface += up;
    }
    EXPECT_GT(on_surface, 10);
}

TEST(ColumnLattice, AnglesStayOpen) {
    const auto mesh = make_column_lattice(over(tilted_fault(), tilted))->build({});

    const auto report = mesh::measure_quality(mesh);

    EXPECT_GT(report.min_dihedral_deg, 1.5);
    EXPECT_GT(report.p001_min_dihedral_deg, 1.5);
}

TEST(ColumnLattice, EstimateIsExactAndBuildRepeats) {
    const auto source = make_column_lattice(over(tilted_fault(), tilted));

    const auto count = source->estimate();
    const auto one = source->build({});
    const auto two = make_column_lattice(over(tilted_fault(), tilted))->build({});

    EXPECT_EQ(count.vertices, std::ssize(one.xyz));
    EXPECT_EQ(count.tets, std::ssize(one.tets));
    EXPECT_EQ(one.tets, two.tets);
    EXPECT_EQ(one.xyz, two.xyz);
}

TEST(ColumnLattice, ReportsProgressUpToOne) {
    double last = -1.0;
    const auto mesh = make_column_lattice(over(tilted_fault(), tilted))
                          ->build([&](double fraction, const char* /*stage*/) {
                              EXPECT_GT(fraction, last);
                              last = fraction;
                          });

    EXPECT_EQ(last, 1.0);
}

void expect_refused(const ColumnLatticeParams& params, const char* part) {
    try {
        static_cast<void>(make_column_lattice(params)->build({}));
        ADD_FAILURE() << "accepted; expected a message with " << part;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST(ColumnLattice, RefusesWhatItCannotMeshNamingTheField) {
    auto airborne = over(tilted_fault(), [](double x, double) { return 10e3 + 0.1 * x; });
    auto too_deep = over(tilted_fault(), [](double, double) { return 140e3; });
    auto small_window = over(tilted_fault(), tilted);
    small_window.window = {-100, 100, 0, 100};
    auto no_layers = over(tilted_fault(), tilted);
    no_layers.sizes.layers_above = 0;
    auto not_reaching = over(tilted_fault(), tilted);
    not_reaching.surface_rupture = true;
    auto too_fine = over(tilted_fault(), tilted);
    too_fine.sizes.at_fault_m = 10.0;
    too_fine.sizes.far_m = 10.0;
    too_fine.sizes.layers_below = 1000;

    expect_refused(airborne, "interface depth at (");
    expect_refused(too_deep, "0.9 of the box's depth");
    expect_refused(small_window, "window must hold a triangle");
    expect_refused(no_layers, "sizes.layers_above");
    expect_refused(not_reaching, "surface_rupture needs");
    expect_refused(too_fine, "surface triangles");
}

}  // namespace
}  // namespace kaname::meshing::column_lattice_test
