// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/mesh_places.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/mesh/tet_mesh.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::jobs::mesh_places_test {
namespace {

/// 4 x 4 x 4 km with a dome of 400 m on top, whose facets lie below it.
mesh::TetMesh dome() {
    test::BoxMesh box;
    box.cells = {4, 4, 4};
    box.low = {-2000.0, -2000.0, -4000.0};
    box.high = {2000.0, 2000.0, 0.0};
    box.move = [](const Vec3& x) {
        const double high = 400.0 - 5e-5 * (x.x * x.x + x.y * x.y);
        return Vec3{x.x, x.y, x.z + high * (1.0 + x.z / 4000.0)};
    };
    return box.build();
}

bool contains(const mesh::TetMesh& mesh, const aderdg::PointInTet& place) {
    const mesh::Corners at = mesh::corners_of(mesh, place.tet);
    const double volume = mesh::volume_of(at);
    for (int corner = 0; corner < 4; ++corner) {
        mesh::Corners part = at;
        part[corner] = place.at_m;
        if (mesh::volume_of(part) < -1e-9 * volume) {
            return false;
        }
    }
    return true;
}

TEST(MeshPlaces, PointsInsideStayWhereTheyAre) {
    const mesh::TetMesh mesh = dome();
    const std::vector<WantedPlace> wanted{{{130.0, -770.0, -1000.0}, "A", "receivers[0]"},
                                          {{1999.0, 1999.0, -3999.0}, "B", "receivers[1]"}};
    const FoundPlaces found = find_places(mesh, wanted, 1.0);

    for (std::size_t k = 0; k < wanted.size(); ++k) {
        EXPECT_EQ(found.places[k].at_m, wanted[k].at_m);
        EXPECT_EQ(found.moved_m[k], 0.0);
        EXPECT_TRUE(contains(mesh, found.places[k]));
    }
}

TEST(MeshPlaces, OfTetsThatShareAPointTheFirstHasIt) {
    const mesh::TetMesh mesh = dome();
    const std::int32_t vertex = mesh.tets[77][2];
    const std::vector<WantedPlace> wanted{{mesh.xyz[vertex], "A", "receivers[0]"}};
    const auto first = std::ranges::find_if(
        mesh.tets, [&](const auto& tet) { return std::ranges::count(tet, vertex) > 0; });

    EXPECT_EQ(find_places(mesh, wanted, 1.0).places[0].tet, first - mesh.tets.begin());
}

TEST(MeshPlaces, WhatIsALittleOverTheFacetsGoesDownToThem) {
    const mesh::TetMesh mesh = dome();
    // On the dome itself, 12.5 m over the facet's edge between two vertices 1 km apart.
    const std::vector<WantedPlace> wanted{{{500.0, 0.0, 387.5}, "A", "receivers[0]"},
                                          {{500.0, 0.0, 0.0}, "B", "receivers[1]", true}};
    const FoundPlaces found = find_places(mesh, wanted, 20.0);

    EXPECT_TRUE(contains(mesh, found.places[0]));
    EXPECT_GT(found.moved_m[0], 10.0);
    EXPECT_LT(found.moved_m[0], 12.6);
    // On the ground: straight up, at the middle of the edge.
    EXPECT_NEAR(found.places[1].at_m.z, 375.0, 1e-6);
    EXPECT_NEAR(found.moved_m[1], 375.0, 1e-6);
}

TEST(MeshPlaces, OutsideIsRefusedByName) {
    const std::vector<WantedPlace> wanted{{{0.0, 0.0, -100.0}, "A", "receivers[0]"},
                                          {{2500.0, 0.0, -1000.0}, "B", "receivers[1]"},
                                          {{0.0, 3000.0, 0.0}, "C", "sources[0]", true}};
    try {
        (void)find_places(dome(), wanted, 20.0);
        FAIL() << "was accepted";
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 2u);
        EXPECT_EQ(error.violations()[0].field, "sources[0]");
        EXPECT_EQ(error.violations()[0].message,
                  "C must lie below the top of the mesh, got x = 0 m, y = 3000 m");
        EXPECT_EQ(error.violations()[1].field, "receivers[1]");
        EXPECT_EQ(error.violations()[1].message,
                  "B must lie within 20 m of the mesh, got (2500.000, 0.000, -1000.000) m, 500 m "
                  "from it");
    }
}

TEST(GroundFaces, AreThoseOfTheTopWithTheirTets) {
    const mesh::TetMesh mesh = dome();
    const GroundFaces ground = find_ground(mesh);

    ASSERT_EQ(ground.vertices.size(), 32u);
    for (std::size_t face = 0; face < ground.tets.size(); ++face) {
        for (const std::int32_t vertex : ground.vertices[face]) {
            EXPECT_EQ(std::ranges::count(mesh.tets[ground.tets[face]], vertex), 1);
        }
        const aderdg::PointInTet middle = ground.middles(mesh)[face];
        EXPECT_EQ(middle.tet, ground.tets[face]);
        EXPECT_TRUE(contains(mesh, middle));
    }
}

}  // namespace
}  // namespace kaname::jobs::mesh_places_test
