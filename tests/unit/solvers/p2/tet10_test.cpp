// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include <gtest/gtest.h>

#include "solvers/p2/dof_map.hpp"

namespace kaname::p2::tet10_test {
namespace {

/// Barycentric coordinates of the ten nodes.
std::array<double, 4> node_place(int node) {
    std::array<double, 4> L{};
    if (node < 4) {
        L[node] = 1.0;
    } else {
        L[kTet10Edges[node - 4][0]] = 0.5;
        L[kTet10Edges[node - 4][1]] = 0.5;
    }
    return L;
}

TEST(Tet10, ShapeFunctionsAreOneAtTheirNodeAndZeroAtTheOthers) {
    for (int at = 0; at < kNodesPerTet10; ++at) {
        const auto value = shape_tet10(node_place(at));

        for (int node = 0; node < kNodesPerTet10; ++node) {
            EXPECT_EQ(value[node], node == at ? 1.0 : 0.0) << node << " at " << at;
        }
    }
}

TEST(Tet10, ShapeFunctionsReproduceQuadraticsAndSumToOne) {
    const auto quadratic = [](const std::array<double, 4>& L) {
        return 2.0 - L[1] + 3.0 * L[2] * L[3] + 5.0 * L[1] * L[1] - L[1] * L[3];
    };
    const std::array<double, 4> place = {0.13, 0.29, 0.37, 0.21};

    const auto value = shape_tet10(place);

    double sum = 0.0;
    double interpolated = 0.0;
    for (int node = 0; node < kNodesPerTet10; ++node) {
        sum += value[node];
        interpolated += value[node] * quadratic(node_place(node));
    }
    EXPECT_NEAR(sum, 1.0, 1e-15);
    EXPECT_NEAR(interpolated, quadratic(place), 1e-14);
}

TEST(Tet10, MidNodeTableAgreesWithTheEdges) {
    for (int e = 0; e < 6; ++e) {
        EXPECT_EQ(kMidNode[kTet10Edges[e][0]][kTet10Edges[e][1]], 4 + e);
        EXPECT_EQ(kMidNode[kTet10Edges[e][1]][kTet10Edges[e][0]], 4 + e);
    }
}

TEST(Tet10, FaceNodesLieOnTheFaceInCyclicOrder) {
    for (int face = 0; face < 4; ++face) {
        const auto nodes = face_nodes(face);

        EXPECT_EQ(std::set<int>(nodes.begin(), nodes.end()).size(), 6u);
        for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(node_place(nodes[k])[face], 0.0);
            const auto mid = node_place(nodes[3 + k]);
            EXPECT_EQ(mid[nodes[k]], 0.5);
            EXPECT_EQ(mid[nodes[(k + 1) % 3]], 0.5);
        }
    }
}

}  // namespace
}  // namespace kaname::p2::tet10_test
