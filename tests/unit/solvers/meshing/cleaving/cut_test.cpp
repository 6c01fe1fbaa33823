// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/meshing/cleaving/finish.hpp"
#include "tests/unit/solvers/meshing/cleaving/cut_complex.hpp"

namespace kaname::cleaving::cut_test {
namespace {

constexpr double kBox_m3 = 8 * kHalf_m * kHalf_m * kHalf_m;

TEST(Cut, ByAPlaneGivesBothSidesTheirVolumeAndMeetsIt) {
    const auto tilted = [](double u, double v) { return -43e3 + 0.2 * u - 0.11 * v; };
    const auto model = test::layers_under(earth::HeightField(0.0), {test::height(tilted, 60e3)});
    const Sheets sheets(model, {}, kCubeBox);

    const Complex complex = cut_cube(Labeller(sheets, {}), 10);

    EXPECT_NEAR(total_volume(complex.xyz, complex.tets), kBox_m3, 1e-9 * kBox_m3);
    EXPECT_NEAR(volume_of(complex, 0), 0.43 * kBox_m3, 1e-4 * kBox_m3);
    EXPECT_NEAR(volume_of(complex, 1), 0.57 * kBox_m3, 1e-4 * kBox_m3);
    EXPECT_TRUE(conforms(complex.xyz, complex.walls, complex.tets));
    EXPECT_GT(least_shape_deg(complex.xyz, complex.tets), 0.0);
    const auto vertices = interface_vertices(complex);
    EXPECT_GT(vertices.size(), 100U);
    for (const std::int32_t v : vertices) {
        EXPECT_LT(std::abs(sheets.distance_m(1, complex.xyz[v])), 5.0);
        EXPECT_EQ(complex.on[v], 2U);
    }
}

TEST(Cut, ByAWavySurfaceIsMetAtVerticesAndConvergesBetween) {
    const auto wavy = [](double u, double v) {
        return -50e3 + 9e3 * std::sin(u / 17e3) * std::cos(v / 23e3);
    };
    const auto model = test::layers_under(earth::HeightField(0.0), {test::height(wavy, 60e3, 240)});
    const Sheets sheets(model, {}, kCubeBox);
    double error[2];
    for (int k = 0; k < 2; ++k) {
        const Complex complex = cut_cube(Labeller(sheets, {}), 8 << k);

        EXPECT_NEAR(total_volume(complex.xyz, complex.tets), kBox_m3, 1e-9 * kBox_m3);
        EXPECT_TRUE(conforms(complex.xyz, complex.walls, complex.tets));
        for (const std::int32_t v : interface_vertices(complex)) {
            EXPECT_LT(std::abs(sheets.distance_m(1, complex.xyz[v])), 0.02 * kHalf_m / (8 << k));
        }
        // Odd in u: half of the box is above.
        error[k] = std::abs(volume_of(complex, 0) / kBox_m3 - 0.5);
    }
    EXPECT_LT(error[0], 5e-3);
    EXPECT_LT(error[1], 2e-3);
}

TEST(Cut, LeavesTheAirAway) {
    const auto hills = [](double u, double v) {
        return -8e3 + 3e3 * std::sin(u / 16e3) * std::sin(v / 12e3);
    };
    const auto model = test::layers_under(test::height(hills, 60e3), {earth::HeightField(-9e3)});
    const Sheets sheets(model, {}, kCubeBox);

    const Complex complex = cut_cube(Labeller(sheets, {}), 20);

    EXPECT_NEAR(total_volume(complex.xyz, complex.tets), 0.92 * kBox_m3, 1e-3 * kBox_m3);
    for (const auto& face : count_faces(complex.tets).free) {
        for (const std::int32_t v : face) {
            const bool on_box = (complex.walls[v] & 3U) != 0 || complex.xyz[v].z == -2 * kHalf_m;
            EXPECT_TRUE(on_box || std::abs(sheets.distance_m(0, complex.xyz[v])) < 20.0);
        }
    }
    for (const std::int32_t v : interface_vertices(complex)) {
        // On the first layer's bottom or, where the ground cuts it off, on both.
        EXPECT_LT(std::abs(complex.xyz[v].z + 9e3), 1.5e3);
    }
    for (const Labels& label : complex.tet_labels) {
        EXPECT_TRUE(label.volumes == volume_bit(0) || label.volumes == volume_bit(1));
    }
}

TEST(Cut, WhereThreeVolumesMeetAllHaveTheirPart) {
    // A slab under u / 2 - 50 km, and beside it crust above -35 km and mantle.
    auto model =
        test::layers_under(earth::HeightField(0.0),
                           {test::height([](double u, double) { return 0.5 * u - 50e3; }, 60e3),
                            earth::HeightField(-35e3)});
    model->volumes[0] = {"slab", 1, -1, nullptr, 0.0};
    model->volumes[1] = {"crust", -1, 2, nullptr, 0.0};
    const Sheets sheets(model, {}, kCubeBox);

    const Complex complex = cut_cube(Labeller(sheets, {}), 16);

    EXPECT_TRUE(conforms(complex.xyz, complex.walls, complex.tets));
    // Areas in the plane of u and z over that of the box. The slab's is a trapezoid; of the crust
    // a triangle from u = 30 km on is missing: 20 km by 10 km.
    const double slab = 0.5, crust = 0.35 - 0.5 * 0.2 * 0.1;
    EXPECT_NEAR(volume_of(complex, 0) / kBox_m3, slab, 1e-3);
    EXPECT_NEAR(volume_of(complex, 1) / kBox_m3, crust, 2e-3);
    EXPECT_NEAR(volume_of(complex, 2) / kBox_m3, 1.0 - slab - crust, 2e-3);
}

TEST(Cut, ASlabAsThickAsElementsIsWholeWithTheSameRockAboveAndBelow) {
    // The mantle goes on under the slab: corners above it and on its bottom have the mantle in
    // common, although the slab is between them.
    const double tilt = 0.4, thickness_m = 0.8 * 2 * kHalf_m / 12;
    const auto top = [&](double u, double) { return tilt * u - 50e3; };
    auto model = test::layers_under(
        earth::HeightField(0.0),
        {test::height(top, 60e3),
         test::height([&](double u, double v) { return top(u, v) - thickness_m; }, 60e3)});
    model->volumes = {{"slab", 1, 2, nullptr, 0.0}, {"mantle", -1, -1, nullptr, 0.0}};
    const Sheets sheets(model, {}, kCubeBox);

    const Complex complex = cut_cube(Labeller(sheets, {}), 12);

    const double slab = thickness_m / (2 * kHalf_m);
    EXPECT_TRUE(conforms(complex.xyz, complex.walls, complex.tets));
    EXPECT_NEAR(volume_of(complex, 0) / kBox_m3, slab, 1e-3);
    // No face between the two leads through the slab.
    for (const Vec3& x : interface_middles(complex)) {
        EXPECT_LT(std::min(std::abs(sheets.distance_m(1, x)), std::abs(sheets.distance_m(2, x))),
                  0.02 * thickness_m);
    }
}

TEST(Cut, AFaultTearsNoTetAndSplitsItsZoneOnly) {
    FaultRequest fault;
    fault.plane = {{2e3, 0.0, -50e3}, {1.0, 0.0, 0.3}};
    const std::vector<FaultRequest> faults = {fault};
    const auto model = test::layers({-41e3});
    const Sheets sheets(model, faults, kCubeBox);
    std::vector<Vec3> samples;
    for (double v = -10e3; v <= 10e3; v += 2e3) {
        for (double z = -60e3; z <= -40e3; z += 2e3) {
            samples.push_back({2e3 - 0.3 * (z + 50e3), v, z});
        }
    }
    const PointTree zone(samples);
    std::vector<FaultZone> zones;
    zones.push_back({PointTree(samples), 15e3});
    const Labeller labeller(sheets, std::move(zones));
    const Complex complex = cut_cube(labeller, 16);

    EXPECT_TRUE(conforms(complex.xyz, complex.walls, complex.tets));
    EXPECT_NEAR(volume_of(complex, 0), 0.41 * kBox_m3, 1e-3 * kBox_m3);
    int plus = 0, minus = 0, far = 0;
    for (std::size_t t = 0; t < complex.tets.size(); ++t) {
        const std::uint64_t sides = complex.tet_labels[t].sides & 3U;
        ASSERT_NE(sides, 0U);
        (sides == 1 ? plus : sides == 2 ? minus : far) += 1;
        for (const std::int32_t v : complex.tets[t]) {
            const Vec3& x = complex.xyz[v];
            if (sides != 3 && zone.distance_m(x, 15e3) < 15e3) {
                const double above = sheets.distance_m(2, x);
                ASSERT_TRUE(sides == 1 ? above > -1.0 : above < 1.0) << above;
            }
        }
    }
    EXPECT_GT(plus, 100);
    EXPECT_GT(minus, 100);
    EXPECT_GT(far, 1000);
}

TEST(Cut, AVertexUnderTheGroundIsNotOnIt) {
    // Thin layers: edges from the ground down cross boundaries that are not the ground's.
    const auto hills = [](double u, double v) {
        return -8e3 + 3e3 * std::sin(u / 16e3) * std::sin(v / 12e3);
    };
    const auto model = test::layers_under(
        test::height(hills, 60e3),
        {test::height([&](double u, double v) { return hills(u, v) - 2e3; }, 60e3),
         test::height([&](double u, double v) { return hills(u, v) - 4e3; }, 60e3)});
    const Sheets sheets(model, {}, kCubeBox);

    const Complex complex = cut_cube(Labeller(sheets, {}), 16);

    int ground = 0;
    for (std::size_t v = 0; v < complex.xyz.size(); ++v) {
        if ((complex.labels[v].volumes & kAirBit) != 0) {
            EXPECT_EQ(complex.on[v] & 1U, 1U);
            EXPECT_LT(std::abs(sheets.distance_m(0, complex.xyz[v])), 200.0);
            ++ground;
        }
    }
    EXPECT_GT(ground, 144);
    EXPECT_NEAR(total_volume(complex.xyz, complex.tets), 0.92 * kBox_m3, 2e-3 * kBox_m3);
}

}  // namespace
}  // namespace kaname::cleaving::cut_test
