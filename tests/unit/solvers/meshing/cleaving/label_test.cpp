// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/meshing/cleaving/layers_kept.hpp"
#include "tests/unit/solvers/meshing/cleaving/models.hpp"

namespace kaname::cleaving::label_test {
namespace {

const meshing::Box kBox = {100e3, 100e3, 50e3, 0.0};

/// Layers to -10 km and -20 km; a vertical fault u = 0 down to 15 km, conforming for 5 km about.
struct Model {
    Model() {
        for (double z = 0.0; z >= -15e3; z -= 1e3) {
            samples.push_back({0.0, 0.0, z});
        }
    }
    std::shared_ptr<earth::VolumeModel> model = test::layers({-10e3, -20e3});
    std::vector<FaultRequest> faults = {vertical()};
    Sheets sheets{model, faults, kBox};
    std::vector<Vec3> samples;
    [[nodiscard]] Labeller labeller() const { return {sheets, {{PointTree(samples), 5e3}}}; }
    static FaultRequest vertical() {
        FaultRequest fault;
        fault.plane = {{}, {1.0, 0.0, 0.0}};
        return fault;
    }
};

constexpr std::uint64_t kFree = ~std::uint64_t{0};
constexpr SheetMask kFault = 8;

TEST(Label, OfAPointIsItsVolumeAndItsSideOfAFaultCloseBy) {
    const Model m;
    const Labeller labeller = m.labeller();

    EXPECT_EQ(labeller.at({1e3, 0, -5e3}, 0), (Labels{volume_bit(0), kFree & ~Labels::minus(0)}));
    EXPECT_EQ(labeller.at({-1e3, 0, -12e3}, 0), (Labels{volume_bit(1), kFree & ~Labels::plus(0)}));
    EXPECT_EQ(labeller.at({0, 0, -12e3}, kFault), (Labels{volume_bit(1), kFree}));
    EXPECT_EQ(labeller.at({6e3, 0, -5e3}, 0), (Labels{volume_bit(0), kFree})) << "far away";
    EXPECT_EQ(labeller.at({1e3, 0, -21e3}, 0), (Labels{volume_bit(2), kFree})) << "beyond its rim";
    EXPECT_EQ(labeller.at({1e3, 0, 10.0}, 0), (Labels{kAirBit, kFree}));
    EXPECT_EQ(labeller.at({20e3, 0, -10e3}, 2), (Labels{volume_bit(0) | volume_bit(1), kFree}));
}

TEST(Label, ConflictsAreVolumesApartOrSidesTorn) {
    const Labels upper{volume_bit(0), kFree}, both{volume_bit(0) | volume_bit(1), kFree};
    const Labels plus{volume_bit(0), kFree & ~Labels::minus(2)};
    const Labels minus{volume_bit(0), kFree & ~Labels::plus(2)};
    const Labels lower{volume_bit(1), kFree};

    EXPECT_TRUE((upper & lower).in_conflict());
    EXPECT_FALSE((upper & both).in_conflict());
    EXPECT_TRUE((plus & minus).in_conflict());
    EXPECT_EQ((plus & minus).torn_fault(), 2);
    EXPECT_FALSE((plus & upper).in_conflict());
    EXPECT_EQ((plus | minus), upper);
    EXPECT_EQ(upper.torn_fault(), -1);
}

TEST(Label, WhatStandsBetweenIsTheGroundThenAFaultThenASurface) {
    const Model m;
    const Labeller labeller = m.labeller();
    const auto between = [&](const Vec3& p, const Vec3& q) {
        return labeller.sheet_between(p, labeller.at(p, 0), 0, q, labeller.at(q, 0), 0);
    };

    EXPECT_EQ(between({1e3, 0, 100.0}, {-1e3, 0, -500.0}), 0);
    EXPECT_EQ(between({1e3, 0, -9e3}, {-1e3, 0, -11e3}), 3);
    EXPECT_EQ(between({20e3, 0, -9e3}, {20e3, 0, -11e3}), 1);
    EXPECT_EQ(between({20e3, 0, -9e3}, {20e3, 0, -21e3}), 1) << "of two the one named first";
    EXPECT_EQ(between({20e3, 0, -19e3}, {20e3, 0, -21e3}), 2);
}

TEST(Label, ASurfaceThatSeparatesNothingWhereItCrossesIsNotTaken) {
    // A slab below -10 km cuts off the Moho at -20 km, which ranks before it for a fault elsewhere.
    auto model = test::layers({-10e3, -20e3});
    model->volumes[0] = {"slab", 1, -1, nullptr, 0.0};
    model->volumes[1] = {"crust", -1, 2, nullptr, 0.0};
    std::vector<FaultRequest> faults(1);
    faults[0].surface = 2;
    const Sheets sheets(model, faults, kBox);
    const Labeller labeller(sheets, {{PointTree({}), 0.0}});
    const Vec3 p{0, 0, -5e3}, q{0, 0, -25e3};

    ASSERT_LT(sheets.rank(2), sheets.rank(1));
    EXPECT_EQ(labeller.sheet_between(p, labeller.at(p, 0), 0, q, labeller.at(q, 0), 0), 1);
    // Nor one that an end lies on already.
    EXPECT_EQ(labeller.sheet_between(p, labeller.at(p, 0), 2, q, labeller.at(q, 0), 0), -1);
}

TEST(Label, TheTopOfALatticeThatEndsInTheAirIsNoWall) {
    const auto model = test::layers_under(
        test::height([](double u, double) { return 0.01 * u; }, 60e3), {earth::HeightField(-20e3)});
    const Sheets relief(model, {}, kBox);
    const Model m;
    Lattice lattice;
    lattice.xyz = {{50e3, 0, 2e3}, {50e3, 0, 0}, {0, 0, -50e3}};
    lattice.walls = {5, 5, 4};

    const Complex complex = label(lattice, Labeller(relief, {}));

    EXPECT_EQ(complex.walls, (std::vector<Walls>{1, 5, 4}));
    EXPECT_EQ(complex.labels[0].volumes, kAirBit);
    EXPECT_EQ(complex.labels[2].volumes, volume_bit(1));
    // Level ground is the lattice's top, whatever rounding says.
    lattice.xyz[0].z = 1e-9;
    const Complex level = label(lattice, m.labeller());
    EXPECT_EQ(level.xyz[0].z, 0.0);
    EXPECT_EQ(level.walls, lattice.walls);
    EXPECT_EQ(complex.on, (std::vector<SheetMask>{0, 0, 0}));
}

}  // namespace
}  // namespace kaname::cleaving::label_test
