// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/face_set.hpp"

#include <gtest/gtest.h>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh::face_set_test {
namespace {

/// Two tets on either side of face 0 1 2.
TetMesh two_tets() {
    TetMesh mesh;
    mesh.xyz = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
    mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    return mesh;
}

TEST(FaceSet, FindsAFaceByItsVerticesInAnyOrder) {
    const FaceSet faces(two_tets());

    const std::int64_t shared = faces.find({0, 1, 2});

    ASSERT_GE(shared, 0);
    EXPECT_EQ(faces.size(), 7);
    EXPECT_EQ(faces.find({2, 0, 1}), shared);
    EXPECT_EQ(faces.find({1, 0, 2}), shared);
    EXPECT_EQ(faces.vertices(shared), (FaceSet::Vertices{0, 1, 2}));
    EXPECT_EQ(faces.find({0, 3, 4}), -1);
    EXPECT_EQ(faces.find({3, 4, 1}), -1);
}

TEST(FaceSet, CountsTheTetsOfAFaceAndTheirSides) {
    TetMesh mesh = two_tets();
    mesh.xyz.push_back({0.2, 0.2, 0.5});
    mesh.tets.push_back({0, 3, 1, 5});  // on the same side of that face as the first one

    const FaceSet faces(mesh);

    EXPECT_EQ(faces.uses(faces.find({0, 1, 2})), 2);
    EXPECT_FALSE(faces.folded(faces.find({0, 1, 2})));
    EXPECT_EQ(faces.uses(faces.find({0, 1, 3})), 2);
    EXPECT_TRUE(faces.folded(faces.find({0, 1, 3})));
    EXPECT_EQ(faces.uses(faces.find({0, 1, 4})), 1);
}

TEST(FaceSet, OuterFacesPointOutOfTheirTets) {
    const TetMesh mesh = two_tets();
    const FaceSet faces(mesh);

    for (const auto& tet : mesh.tets) {
        for (int k = 0; k < 4; ++k) {
            const auto& v = kTetFaces[k];
            const std::int64_t face = faces.find({tet[v[0]], tet[v[1]], tet[v[2]]});
            if (faces.uses(face) != 1) {
                continue;
            }
            const auto [a, b, c] = faces.outward(face);
            const Vec3 normal = cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
            EXPECT_LT(dot(normal, mesh.xyz[tet[k]] - mesh.xyz[a]), 0.0)
                << a << ' ' << b << ' ' << c;
        }
    }
}

}  // namespace
}  // namespace kaname::mesh::face_set_test
