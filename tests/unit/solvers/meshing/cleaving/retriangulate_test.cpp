// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/retriangulate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <omp.h>

#include "solvers/meshing/cleaving/lattice.hpp"
#include "tests/unit/solvers/meshing/cleaving/complex_facts.hpp"

namespace kaname::cleaving::retriangulate_test {
namespace {

/// One volume; every vertex held by three walls, so that no edge can be collapsed.
Complex complex_of(std::vector<Vec3> xyz, std::vector<Tet> tets) {
    Complex complex;
    complex.xyz = std::move(xyz);
    complex.tets = std::move(tets);
    for (Tet& tet : complex.tets) {
        const auto& x = complex.xyz;
        if (det6(x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]) < 0.0) {
            std::swap(tet[2], tet[3]);
        }
    }
    complex.walls.assign(complex.xyz.size(), 7);
    complex.on.assign(complex.xyz.size(), 0);
    complex.labels.assign(complex.xyz.size(), {volume_bit(0)});
    complex.tet_labels.assign(complex.tets.size(), {volume_bit(0)});
    return complex;
}

bool improve_first(Complex& complex) {
    const Stars stars(complex.xyz.size(), complex.tets);
    const bool better = Retriangulation(complex, stars).improve(0);
    compact(complex);
    return better;
}

/// Flat tets about a long edge 0-1, three points around it.
Complex about_edge() {
    std::vector<Vec3> xyz = {{0, 0, -0.3}, {0, 0, 0.3}};
    for (int k = 0; k < 3; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / 3.0;
        xyz.push_back({std::cos(angle), std::sin(angle), 0.0});
    }
    // Long: so that two tets over and under the triangle are better.
    xyz[0].z = -2.0;
    xyz[1].z = 2.0;
    return complex_of(std::move(xyz), {{0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 2}});
}

/// Two flat tets with a large common face: an edge through it is better.
Complex about_face() {
    Complex complex = about_edge();
    complex.xyz[0].z = -0.3;
    complex.xyz[1].z = 0.3;
    return complex_of(complex.xyz, {{2, 3, 4, 1}, {2, 3, 4, 0}});
}

/// An octahedron's eight tets about a vertex that is next to one corner.
Complex about_vertex() {
    std::vector<Vec3> xyz = {{0.95, 0.0, 0.0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0},
                             {0, -1, 0},       {0, 0, 1}, {0, 0, -1}};
    std::vector<Tet> tets;
    for (const int x : {1, 2}) {
        for (const int y : {3, 4}) {
            for (const int z : {5, 6}) {
                tets.push_back({0, x, y, z});
            }
        }
    }
    Complex complex = complex_of(std::move(xyz), std::move(tets));
    complex.walls[0] = 0;
    return complex;
}

TEST(Retriangulate, RemovesAnEdgeWithinAVolume) {
    Complex complex = about_edge();
    const double volume = total_volume(complex.xyz, complex.tets);
    const double before = least_shape_deg(complex.xyz, complex.tets);

    EXPECT_TRUE(improve_first(complex));

    EXPECT_EQ(complex.tets.size(), 2U);
    EXPECT_EQ(complex.tet_labels.size(), 2U);
    EXPECT_NEAR(total_volume(complex.xyz, complex.tets), volume, 1e-12);
    EXPECT_GT(least_shape_deg(complex.xyz, complex.tets), before);
}

TEST(Retriangulate, RemovesAFaceWithinAVolume) {
    Complex complex = about_face();
    const double volume = total_volume(complex.xyz, complex.tets);
    const double before = least_shape_deg(complex.xyz, complex.tets);

    EXPECT_TRUE(improve_first(complex));

    EXPECT_EQ(complex.tets.size(), 3U);
    EXPECT_NEAR(total_volume(complex.xyz, complex.tets), volume, 1e-12);
    EXPECT_GT(least_shape_deg(complex.xyz, complex.tets), before);
    for (const Labels& label : complex.tet_labels) {
        EXPECT_EQ(label.volumes, volume_bit(0));
    }
}

TEST(Retriangulate, CollapsesAnEdgeOntoAVertex) {
    Complex complex = about_vertex();
    const double volume = total_volume(complex.xyz, complex.tets);

    EXPECT_TRUE(improve_first(complex));

    EXPECT_EQ(complex.xyz.size(), 6U);
    EXPECT_EQ(complex.tets.size(), 4U);
    EXPECT_NEAR(total_volume(complex.xyz, complex.tets), volume, 1e-12);
}

TEST(Retriangulate, BoundariesBetweenVolumesAndFaultsStay) {
    for (const Labels other : {Labels{volume_bit(1)}, Labels{volume_bit(0), ~Labels::minus(0)}}) {
        for (Complex complex : {about_edge(), about_face()}) {
            complex.tet_labels[1] = other;
            const std::vector<Tet> before = complex.tets;
            EXPECT_FALSE(improve_first(complex));
            EXPECT_EQ(complex.tets, before);
        }
    }
    // A volume that the vertex at the other end has no part in.
    Complex complex = about_vertex();
    complex.tet_labels[7] = {volume_bit(1)};
    const Stars stars(complex.xyz.size(), complex.tets);
    (void)Retriangulation(complex, stars).improve(0);
    EXPECT_EQ(complex.tets[7][0], 0);
}

TEST(Retriangulate, AVertexLeavesNeitherItsSheetNorItsWall) {
    Complex sheet = about_vertex();
    sheet.on[0] = 2;
    Complex wall = about_vertex();
    wall.walls[0] = 1;  // at x = 0.95, the corners elsewhere
    Complex rim = about_vertex();
    rim.walls[0] = 8;
    Complex ground = about_vertex();
    ground.labels[0].volumes |= kAirBit;
    for (Complex* complex : {&sheet, &wall, &rim, &ground}) {
        const Vec3 held = complex->xyz[0];
        (void)improve_first(*complex);
        EXPECT_NE(std::ranges::find(complex->xyz, held), complex->xyz.end());
    }
}

TEST(Retriangulate, AnEdgeWithTwoRingsIsLeftAlone) {
    Complex one = about_edge();
    std::vector<Vec3> xyz = one.xyz;
    for (int k = 0; k < 3; ++k) {
        const Vec3 x = one.xyz[2 + k];
        xyz.push_back({0.5 * x.x, 0.5 * x.y, 0.1});
    }
    Complex complex = complex_of(
        xyz, {{0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 2}, {0, 1, 5, 6}, {0, 1, 6, 7}, {0, 1, 7, 5}});
    const std::vector<Tet> before = complex.tets;

    EXPECT_FALSE(improve_first(complex));
    EXPECT_EQ(complex.tets, before);
}

TEST(Retriangulate, TwoTetsOfTheSameCornersMakeNoTetWithACornerTwice) {
    Complex complex = complex_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}});
    complex.tets.insert(complex.tets.begin(), {0, 2, 1, 3});  // inverted
    complex.tet_labels.push_back(complex.tet_labels.front());
    const std::vector<Tet> before = complex.tets;

    EXPECT_FALSE(improve_first(complex));
    EXPECT_EQ(complex.tets, before);
}

/// Cubes of six tets each whose inner vertices are anywhere near their places.
Complex shaken_cubes(int n) {
    const auto vertex = [&](int x, int y, int z) { return (z * (n + 1) + y) * (n + 1) + x; };
    std::mt19937 random(7);
    std::uniform_real_distribution<double> away(-0.45, 0.45);
    std::vector<Vec3> xyz;
    std::vector<Tet> tets;
    std::vector<Walls> walls;
    for (int z = 0; z <= n; ++z) {
        for (int y = 0; y <= n; ++y) {
            for (int x = 0; x <= n; ++x) {
                const bool inside = x > 0 && x < n && y > 0 && y < n && z > 0 && z < n;
                Vec3 at = {double(x), double(y), double(z)};
                for (int axis = 0; axis < 3 && inside; ++axis) {
                    at[axis] += away(random);
                }
                xyz.push_back(at);
                walls.push_back(inside ? 0 : 7);
            }
        }
    }
    std::array<int, 3> axes = {0, 1, 2};
    do {  // along the cube's diagonal by its edges, in every order of the axes
        for (int cube = 0; cube < n * n * n; ++cube) {
            std::array<int, 3> at = {cube % n, cube / n % n, cube / n / n};
            Tet tet{};
            tet[0] = vertex(at[0], at[1], at[2]);
            for (int k = 0; k < 3; ++k) {
                ++at[axes[k]];
                tet[k + 1] = vertex(at[0], at[1], at[2]);
            }
            tets.push_back(tet);
        }
    } while (std::ranges::next_permutation(axes).found);
    Complex complex = complex_of(std::move(xyz), std::move(tets));
    complex.walls = std::move(walls);
    return complex;
}

TEST(Retriangulate, AllAtOnceIsOneAfterTheOther) {
    constexpr double kLeast_deg = 25.0;
    Complex one_by_one = shaken_cubes(12);
    Complex at_once = one_by_one;
    std::vector<std::int32_t> bad;
    for (std::size_t t = 0; t < at_once.tets.size(); ++t) {
        if (shape_deg(at_once.xyz, at_once.tets[t]) < kLeast_deg) {
            bad.push_back(static_cast<std::int32_t>(t));
        }
    }
    std::shuffle(bad.begin(), bad.end(), std::mt19937(3));
    ASSERT_GT(bad.size(), 2000u);
    const std::size_t before = at_once.tets.size();

    const Stars stars(one_by_one.xyz.size(), one_by_one.tets);
    Retriangulation sequential(one_by_one, stars);
    int better = 0;
    for (const std::int32_t t : bad) {
        const Tet& tet = one_by_one.tets[t];
        if (tet[0] >= 0 && shape_deg(one_by_one.xyz, tet) < kLeast_deg) {
            better += sequential.improve(t) ? 1 : 0;
        }
    }
    const int threads = omp_get_max_threads();
    omp_set_num_threads(4);
    Retriangulation(at_once, stars).improve_all(bad, kLeast_deg);
    omp_set_num_threads(threads);

    EXPECT_GT(better, 100);
    EXPECT_GT(at_once.tets.size(), before);
    EXPECT_EQ(at_once.tets, one_by_one.tets);
    EXPECT_EQ(at_once.tet_labels, one_by_one.tet_labels);
}

}  // namespace
}  // namespace kaname::cleaving::retriangulate_test
