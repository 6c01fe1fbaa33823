// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/volume_model.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace kaname::earth::volume_model_test {
namespace {

/// Height a + b u over 200 km x 200 km.
HeightField ramp(double a, double b) {
    const HeightField::Grid grid{-120e3, -120e3, 40e3, 40e3, 7, 7};
    std::vector<double> z;
    for (int j = 0; j < grid.nv; ++j) {
        for (int i = 0; i < grid.nu; ++i) {
            z.push_back(a + b * (grid.u0 + i * grid.spacing_u));
        }
    }
    return {grid, z};
}

/// A slab between surfaces 1 and 2 dips east through crust (above the Moho, surface 3) and mantle.
VolumeModel slab_model() {
    VolumeModel model;
    model.size_u_m = model.size_v_m = 200e3;
    model.depth_m = 100e3;
    model.surfaces = {{"sea", HeightField(0.0), 0.0},
                      {"slab top", ramp(-30e3, -0.3), 0.0},
                      {"slab bottom", ramp(-50e3, -0.3), 0.0},
                      {"moho", HeightField(-35e3), 0.0}};
    model.volumes = {{"slab", 1, 2, nullptr, 0.0},
                     {"crust", -1, 3, nullptr, 0.0},
                     {"mantle", -1, -1, nullptr, 0.0}};
    return model;
}

TEST(VolumeModel, SidesSetsABitForEverySurfaceBelowThePoint) {
    const VolumeModel model = slab_model();

    EXPECT_EQ(model.sides(0.0, 0.0, 1.0), 0b1111U);
    EXPECT_EQ(model.sides(0.0, 0.0, -1.0), 0b1110U);
    EXPECT_EQ(model.sides(0.0, 0.0, -34e3), 0b1100U);
    EXPECT_EQ(model.sides(0.0, 0.0, -40e3), 0b0100U);
    EXPECT_EQ(model.sides(0.0, 0.0, -60e3), 0U);
    EXPECT_EQ(model.sides(50e3, 0.0, -40e3), 0b0110U);
}

TEST(VolumeModel, APointOnASurfaceIsBelowIt) {
    const VolumeModel model = slab_model();

    EXPECT_EQ(model.sides(0.0, 0.0, 0.0) & 1U, 0U);
    EXPECT_EQ(model.volume_at(0.0, 0.0, -35e3), 0);
    EXPECT_EQ(model.sides(90e3, 0.0, -35e3) >> 3 & 1U, 0U);
}

TEST(VolumeModel, VolumesNamedEarlierCutThoseNamedLater) {
    const VolumeModel model = slab_model();

    EXPECT_EQ(model.volume_at(0.0, 0.0, 10.0), kAir);
    EXPECT_EQ(model.volume_at(0.0, 0.0, -10e3), 1);   // crust above the slab
    EXPECT_EQ(model.volume_at(0.0, 0.0, -32e3), 0);   // the slab inside the crust's depths
    EXPECT_EQ(model.volume_at(0.0, 0.0, -45e3), 0);   // and in the mantle's
    EXPECT_EQ(model.volume_at(0.0, 0.0, -55e3), 2);   // mantle below the slab
    EXPECT_EQ(model.volume_at(90e3, 0.0, -40e3), 2);  // mantle wedge above it
}

TEST(VolumeModel, ASurfaceAboveTheFreeSurfaceIsCutByIt) {
    const VolumeModel model = slab_model();

    // At u = -100 km the slab's top is at z = 0; farther west nothing of it sticks out.
    EXPECT_EQ(model.volume_at(-100e3, 0.0, 10.0), kAir);
    EXPECT_EQ(model.volume_at(-100e3, 0.0, -10e3), 0);
}

}  // namespace
}  // namespace kaname::earth::volume_model_test
