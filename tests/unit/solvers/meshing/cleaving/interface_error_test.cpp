// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/interface_error.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::cleaving::interface_error_test {
namespace {

using earth::HeightField;

constexpr double kCell = 1000.0;
/// Size of a tet that is a sixth of a cell.
const double kSize = kCell * std::pow(2.0, 1.0 / 6.0);

/// 4 x 4 x 4 cells below z = 0; elements above level 2 (z = -2 km) are the upper volume.
mesh::TetMesh box(const std::vector<std::string>& volumes) {
    test::BoxMesh box;
    box.cells = {4, 4, 4};
    box.low = {-2.0 * kCell, -2.0 * kCell, -4.0 * kCell};
    box.high = {2.0 * kCell, 2.0 * kCell, 0.0};
    box.faults = {{2, 1, {1, 1, 0}, {3, 3, 0}, true}};
    mesh::TetMesh mesh = box.build();
    const int last = static_cast<int>(volumes.size()) - 1;
    mesh.volumes = volumes;
    for (const auto& tet : mesh.tets) {
        double z = 0.0;
        for (const std::int32_t vertex : tet) {
            z += 0.25 * mesh.xyz[vertex].z;
        }
        mesh.volume.push_back(z > -2.0 * kCell ? 0 : last);
    }
    mesh.fault_faces.clear();
    return mesh;
}

earth::VolumeModel layers(std::vector<HeightField> below, const std::vector<std::string>& volumes) {
    earth::VolumeModel model;
    model.size_u_m = model.size_v_m = model.depth_m = 4.0 * kCell;
    model.surfaces.push_back({"ground", HeightField(0.0)});
    for (std::size_t k = 0; k < below.size(); ++k) {
        model.surfaces.push_back({"surface " + std::to_string(k + 1), std::move(below[k])});
    }
    for (std::size_t k = 0; k < volumes.size(); ++k) {
        const int bottom = k + 1 < volumes.size() ? static_cast<int>(k) + 1 : -1;
        model.volumes.push_back({volumes[k], -1, bottom, nullptr, 0.0});
    }
    return model;
}

HeightField field(const std::function<double(double, double)>& z) {
    const HeightField::Grid grid = {-4000.0, -4000.0, 250.0, 250.0, 33, 33};
    std::vector<double> values;
    for (int j = 0; j < grid.nv; ++j) {
        for (int i = 0; i < grid.nu; ++i) {
            values.push_back(z(grid.u0 + i * grid.spacing_u, grid.v0 + j * grid.spacing_v));
        }
    }
    return HeightField(grid, values);
}

TEST(InterfaceError, OfALevelInterfaceIsItsOffset) {
    const std::vector<std::string> volumes = {"crust", "mantle"};
    const auto model = layers({HeightField(-2100.0)}, volumes);

    const auto error = measure_interface_error(box(volumes), model, {}, 0.0);

    ASSERT_EQ(error.surfaces.size(), 2U);
    EXPECT_EQ(error.surfaces[0].name, "ground");
    EXPECT_EQ(error.surfaces[0].faces, 32);
    EXPECT_EQ(error.surfaces[0].max, 0.0);
    EXPECT_EQ(error.surfaces[1].name, "surface 1");
    EXPECT_EQ(error.surfaces[1].faces, 32);
    EXPECT_NEAR(error.surfaces[1].max_m, 100.0, 1e-9);
    EXPECT_NEAR(error.surfaces[1].mean, 100.0 / kSize, 1e-12);
    EXPECT_NEAR(error.surfaces[1].p99, 100.0 / kSize, 1e-12);
    EXPECT_EQ(error.all.faces, 64);
    EXPECT_NEAR(error.all.mean, 50.0 / kSize, 1e-12);
    EXPECT_NEAR(error.all.max, 100.0 / kSize, 1e-12);
}

TEST(InterfaceError, IsTakenAlongTheNormalInTheBoxFrame) {
    const std::vector<std::string> volumes = {"crust", "mantle"};
    // Dips to the box's east, which a quarter turn clockwise makes the map's south.
    const auto model = layers({field([](double u, double) { return -2000.0 - 0.1 * u; })}, volumes);

    const auto error = measure_interface_error(box(volumes), model, {}, 90.0 * kDegree);

    const InterfaceError::Surface& dipping = error.surfaces.at(1);
    EXPECT_NEAR(dipping.max_m, 200.0 / std::sqrt(1.01), 1e-6);
    EXPECT_NEAR(dipping.max, dipping.max_m / kSize, 1e-9);
    EXPECT_GT(std::abs(dipping.worst.y), 1000.0);
    // Faces reach 1 km or 2 km out, on either side: as many of each.
    EXPECT_NEAR(dipping.mean, 150.0 / std::sqrt(1.01) / kSize, 1e-9);
}

TEST(InterfaceError, SeesStraightFacesUnderACurvedSurface) {
    const std::vector<std::string> volumes = {"crust", "mantle"};
    constexpr double kBend = 1e-4;  // [1/m]
    const auto model =
        layers({field([](double u, double) { return -2000.0 + kBend * u * u; })}, volumes);
    mesh::TetMesh mesh = box(volumes);
    for (Vec3& x : mesh.xyz) {
        if (x.z == -2.0 * kCell) {
            x.z = model.surfaces[1].height.z(x.x, x.y);
        }
    }

    const auto error = measure_interface_error(mesh, model, {}, 0.0);

    // Sagitta of a chord between u = 0 and 1 km, in the middle: bend (kCell / 2)^2.
    const double sagitta = kBend * 0.25 * kCell * kCell;
    EXPECT_NEAR(error.surfaces.at(1).max_m,
                sagitta / std::sqrt(1.0 + kBend * kBend * kCell * kCell), 1e-3 * sagitta);
    EXPECT_EQ(error.surfaces[0].max, 0.0);
}

TEST(InterfaceError, OfAMergedThinLayerIsToItsNearerSurface) {
    const std::vector<std::string> volumes = {"crust", "thin", "mantle"};
    const auto thin = layers({HeightField(-1900.0), HeightField(-2300.0)}, volumes);
    const auto thick = layers({HeightField(-900.0), HeightField(-3900.0)}, volumes);

    const auto merged = measure_interface_error(box(volumes), thin, {}, 0.0);
    const auto missing = measure_interface_error(box(volumes), thick, {}, 0.0);

    ASSERT_EQ(merged.surfaces.size(), 2U);
    EXPECT_EQ(merged.surfaces[1].name, "surface 1");
    EXPECT_NEAR(merged.surfaces[1].max_m, 100.0, 1e-9);
    ASSERT_EQ(missing.surfaces.size(), 2U);
    EXPECT_EQ(missing.surfaces[1].name, "surface 2") << "the farther one: nothing is hidden";
    EXPECT_NEAR(missing.surfaces[1].max_m, 1900.0, 1e-9);
}

TEST(InterfaceError, OfASurfaceThatEndsAtAnotherIsNotHiddenByIt) {
    // The slab cuts the Moho off: below the slab's top, the Moho at the interface means nothing.
    auto model = layers({HeightField(-2200.0), HeightField(-1990.0)}, {"crust", "mantle"});
    model.volumes = {{"slab", 1, -1, nullptr, 0.0},
                     {"crust", -1, 2, nullptr, 0.0},
                     {"mantle", -1, -1, nullptr, 0.0}};
    mesh::TetMesh mesh = box({"slab", "crust", "mantle"});
    for (std::int32_t& volume : mesh.volume) {
        volume = volume == 0 ? 2 : 0;  // mantle above, slab below z = -2 km
    }

    const auto error = measure_interface_error(mesh, model, {}, 0.0);

    // Mantle to slab is the slab's top, 200 m away, although the Moho is 10 m away.
    ASSERT_EQ(error.surfaces.size(), 2U);
    EXPECT_EQ(error.surfaces[1].name, "surface 1");
    EXPECT_NEAR(error.surfaces[1].max_m, 200.0, 1e-9);
}

TEST(InterfaceError, OfFaultFacesIsToTheFaultsSurface) {
    const std::vector<std::string> volumes = {"crust", "mantle"};
    const auto model = layers({HeightField(-2000.0)}, volumes);
    mesh::TetMesh mesh = box(volumes);
    const auto vertex = [](int i, int j, int k) { return i + 5 * (j + 5 * k); };
    mesh.faults = {"on the interface", "in the mantle"};
    mesh.fault_faces = {{{vertex(1, 1, 2), vertex(2, 1, 2), vertex(2, 2, 2)}, 0},
                        {{vertex(1, 1, 1), vertex(2, 1, 1), vertex(2, 2, 1)}, 1}};
    std::vector<FaultRequest> faults(2);
    faults[0].name = mesh.faults[0];
    faults[0].surface = 1;
    faults[1].name = mesh.faults[1];
    faults[1].plane = {{0.0, 0.0, -3050.0}, {0.0, 0.0, 2.0}};

    const auto error = measure_interface_error(mesh, model, faults, 0.0);

    ASSERT_EQ(error.surfaces.size(), 4U);
    EXPECT_EQ(error.surfaces[1].faces, 31) << "the fault's face counts as the fault's only";
    EXPECT_EQ(error.surfaces[2].name, "on the interface");
    EXPECT_TRUE(error.surfaces[2].is_fault);
    EXPECT_EQ(error.surfaces[2].max, 0.0);
    EXPECT_EQ(error.surfaces[3].name, "in the mantle");
    EXPECT_NEAR(error.surfaces[3].max_m, 50.0, 1e-9);
}

TEST(InterfaceError, TellsPlacesApartWhereALayerIsThinnerThanAThirdOfAnElement) {
    const std::vector<std::string> volumes = {"crust", "thin", "mantle"};
    // The middle layer ends in the middle of the box.
    const auto bottom = [](double u, double) { return -1900.0 - std::max(0.0, -u); };
    const auto model = layers({HeightField(-1900.0), field(bottom)}, volumes);

    const auto error = measure_interface_error(box(volumes), model, {}, 0.0);

    EXPECT_EQ(error.all.faces, 64);
    EXPECT_EQ(error.suited.faces, 60) << "all but 4 over its tip of 0.37 km";
    EXPECT_EQ(error.surfaces.at(0).suited.faces, 32);
}

TEST(InterfaceError, RefusesAMeshOfAnotherModel) {
    const auto model = layers({HeightField(-2000.0)}, {"crust", "mantle"});
    mesh::TetMesh other = box({"crust", "mantle", "core"});
    mesh::TetMesh unknown = box({"crust", "mantle"});
    unknown.volume.clear();

    EXPECT_THROW((void)measure_interface_error(other, model, {}, 0.0), Error);
    EXPECT_THROW((void)measure_interface_error(unknown, model, {}, 0.0), Error);
}

}  // namespace
}  // namespace kaname::cleaving::interface_error_test
