// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/locate.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/box_mesh.hpp"

namespace kaname::p2::locate_test {
namespace {

/// Place that the barycentric coordinates name.
Vec3 place(const mesh::TetMesh& mesh, const Location& location) {
    Vec3 x;
    for (int k = 0; k < 4; ++k) {
        x += location.barycentric[k] * mesh.xyz[mesh.tets[location.tet][k]];
    }
    return x;
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
    EXPECT_LT(norm(a - b), tolerance) << a.x << ' ' << a.y << ' ' << a.z;
}

/// 3 x 3 x 3 cells of a box of 3 x 3 x 3, bent.
mesh::TetMesh bent() {
    return test::BoxMesh{
        .cells = {3, 3, 3},
        .high = {3.0, 3.0, 3.0},
        .move =
            [](const Vec3& x) {
                return Vec3{x.x + 0.1 * x.y * x.z, x.y + 0.05 * x.x * x.x, x.z + 0.07 * x.x * x.y};
            }}
        .build();
}

TEST(LocatePoints, FindsTheTetThatHoldsAPoint) {
    const mesh::TetMesh mesh = bent();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.01, 1.0);
    std::vector<Vec3> points;
    for (const auto& tet : mesh.tets) {
        double sum = 0.0;
        std::array<double, 4> L{};
        for (double& l : L) {
            l = uniform(random);
            sum += l;
        }
        Vec3 x;
        for (int k = 0; k < 4; ++k) {
            x += L[k] / sum * mesh.xyz[tet[k]];
        }
        points.push_back(x);
    }

    const auto found = locate_points(mesh, points);

    for (std::size_t p = 0; p < points.size(); ++p) {
        EXPECT_EQ(found[p].tet, static_cast<std::int32_t>(p));
        EXPECT_EQ(found[p].distance_m, 0.0);
        EXPECT_EQ(found[p].snapped, points[p]);
        expect_near(place(mesh, found[p]), points[p], 1e-12);
    }
}

TEST(LocatePoints, PointOnAFaceGoesToTheLowestTet) {
    const mesh::TetMesh mesh = test::BoxMesh{.cells = {2, 2, 2}}.build();
    const Vec3 on_faces[] = {{0.5, 0.2, 0.3}, {0.25, 0.25, 0.4}, {0.5, 0.5, 0.5}};

    const auto found = locate_points(mesh, on_faces);

    for (int p = 0; p < 3; ++p) {
        EXPECT_EQ(found[p].distance_m, 0.0);
        expect_near(place(mesh, found[p]), on_faces[p], 1e-12);
        for (std::int32_t tet = 0; tet < found[p].tet; ++tet) {
            mesh::TetMesh one = mesh;
            one.tets = {mesh.tets[tet]};
            EXPECT_GT(locate_points(one, std::span(&on_faces[p], 1))[0].distance_m, 0.0) << tet;
        }
    }
}

TEST(LocatePoints, PointOutsideIsMovedToTheNearestPlace) {
    const mesh::TetMesh mesh = test::BoxMesh{.cells = {3, 2, 2}}.build();
    const Vec3 above_face = {0.4, 0.3, 1.25};
    const Vec3 beside_edge = {1.3, 0.3, 1.4};
    const Vec3 beyond_corner = {-0.2, -0.1, -0.2};

    const auto found =
        locate_points(mesh, std::vector<Vec3>{above_face, beside_edge, beyond_corner});

    EXPECT_NEAR(found[0].distance_m, 0.25, 1e-12);
    expect_near(found[0].snapped, {0.4, 0.3, 1.0}, 1e-12);
    EXPECT_NEAR(found[1].distance_m, 0.5, 1e-12);
    expect_near(found[1].snapped, {1.0, 0.3, 1.0}, 1e-12);
    EXPECT_NEAR(found[2].distance_m, 0.3, 1e-12);
    expect_near(found[2].snapped, {0.0, 0.0, 0.0}, 1e-12);
    for (const Location& location : found) {
        expect_near(place(mesh, location), location.snapped, 1e-12);
    }
}

/// Inside, on faces, edges and corners that tets share, and outside, near and far.
std::vector<Vec3> all_kinds_of_points(const mesh::TetMesh& mesh) {
    std::vector<Vec3> points = mesh.xyz;
    for (const auto& tet : mesh.tets) {
        const Vec3 face = (1.0 / 3.0) * (mesh.xyz[tet[0]] + mesh.xyz[tet[1]] + mesh.xyz[tet[2]]);
        points.push_back(face);
        points.push_back(0.5 * (mesh.xyz[tet[1]] + mesh.xyz[tet[3]]));
        points.push_back(0.9 * face + 0.1 * mesh.xyz[tet[3]]);
    }
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-4.0, 8.0);
    for (int k = 0; k < 200; ++k) {
        points.push_back({uniform(random), uniform(random), uniform(random)});
    }
    return points;
}

TEST(LocatePoints, ManyPointsAreFoundWhereEachAloneIs) {
    for (const mesh::TetMesh& mesh : {bent(), test::BoxMesh{.cells = {4, 3, 2}}.build()}) {
        const std::vector<Vec3> points = all_kinds_of_points(mesh);

        const auto found = locate_points(mesh, points);

        for (std::size_t p = 0; p < points.size(); ++p) {
            const Location alone = locate_points(mesh, std::span(&points[p], 1)).front();
            EXPECT_EQ(found[p].tet, alone.tet) << p;
            EXPECT_EQ(found[p].barycentric, alone.barycentric) << p;
            EXPECT_EQ(found[p].distance_m, alone.distance_m) << p;
            EXPECT_EQ(found[p].snapped, alone.snapped) << p;
        }
    }
}

TEST(LocatePoints, NoPointsGiveNoLocations) {
    EXPECT_TRUE(locate_points(bent(), {}).empty());
}

}  // namespace
}  // namespace kaname::p2::locate_test
