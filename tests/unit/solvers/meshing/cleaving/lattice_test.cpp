// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/lattice.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "solvers/base/vec3.hpp"
#include "tests/unit/solvers/meshing/cleaving/complex_facts.hpp"

namespace kaname::cleaving::lattice_test {
namespace {

constexpr std::int64_t kMany = 10'000'000;

/// Divided towards a point down to `level`.
Lattice lattice_about(const Vec3& x, const std::array<std::int32_t, 3>& n, int level) {
    const Octree::Roots roots = {{}, {1.0, 1.0, 1.0}, n};
    return make_lattice(Octree(roots, kMany, [=](const Vec3& centre, const Vec3& half) {
        return half.x > 0.501 / (1 << level) && std::abs(x.x - centre.x) <= half.x &&
               std::abs(x.y - centre.y) <= half.y && std::abs(x.z - centre.z) <= half.z;
    }));
}

double least_volume(const Lattice& lattice) {
    double least = 1.0;
    for (const Tet& t : lattice.tets) {
        const auto& x = lattice.xyz;
        least = std::min(least, det6(x[t[0]], x[t[1]], x[t[2]], x[t[3]]) / 6.0);
    }
    return least;
}

TEST(Lattice, OfOneCubeHasATetOverEachHalfEdgeOfItsFaces) {
    const Lattice lattice = lattice_about({}, {1, 1, 1}, 0);

    EXPECT_EQ(lattice.xyz.size(), 8U + 1U + 6U);
    EXPECT_EQ(lattice.tets.size(), 24U);
    EXPECT_NEAR(total_volume(lattice.xyz, lattice.tets), 1.0, 1e-14);
    EXPECT_NEAR(least_volume(lattice), 1.0 / 24, 1e-14);
}

TEST(Lattice, InsideHasTwelveTetsPerCube) {
    const Lattice small = lattice_about({}, {9, 9, 9}, 0);
    const Lattice large = lattice_about({}, {10, 9, 9}, 0);

    // One more slice of 81 cubes: of their faces 36 are on the box's sides, with four tets more
    // each than a cube has of an inner face, shared.
    EXPECT_EQ(large.tets.size() - small.tets.size(), 81U * 12U + 36U * 2U);
    for (const Tet& t : small.tets) {
        const auto angles = mesh::dihedral_angles_deg(
            {small.xyz[t[0]], small.xyz[t[1]], small.xyz[t[2]], small.xyz[t[3]]});
        EXPECT_GT(std::ranges::min(angles), 44.9);
        EXPECT_LT(std::ranges::max(angles), 90.1);
    }
}

TEST(Lattice, OfCubesOfManySizesFillsTheBoxAndConforms) {
    const std::array<std::int32_t, 3> n = {3, 2, 2};
    for (const Vec3& x :
         {Vec3{0.0, 0.0, 0.0}, Vec3{1.51, 0.99, 1.01}, Vec3{1.3, 2.0, 0.4}, Vec3{2.9, 0.1, 2.0}}) {
        const Lattice lattice = lattice_about(x, n, 5);

        EXPECT_NEAR(total_volume(lattice.xyz, lattice.tets), 12.0, 1e-11);
        EXPECT_GT(least_volume(lattice), 0.0);
        EXPECT_TRUE(conforms(lattice.xyz, lattice.walls, lattice.tets));
        EXPECT_GE(least_dihedral_deg(lattice.xyz, lattice.tets), 25.0);
    }
}

TEST(Lattice, IsGraded) {
    const Lattice lattice = lattice_about({1.51, 0.99, 1.01}, {3, 2, 2}, 6);

    std::set<int> sizes;
    std::vector<double> least(lattice.xyz.size(), 1e9), most(lattice.xyz.size(), 0.0);
    for (const Tet& tet : lattice.tets) {
        const double size = std::cbrt(det6(lattice.xyz[tet[0]], lattice.xyz[tet[1]],
                                           lattice.xyz[tet[2]], lattice.xyz[tet[3]]));
        sizes.insert(static_cast<int>(std::lround(2.0 * std::log2(size))));
        for (const std::int32_t v : tet) {
            least[v] = std::min(least[v], size);
            most[v] = std::max(most[v], size);
        }
    }
    for (std::size_t v = 0; v < least.size(); ++v) {
        // Two levels, and within a level halves and quarters of a whole tet.
        EXPECT_LE(most[v], 4.0 * least[v]);
    }
    EXPECT_GE(sizes.size(), 10U);
}

TEST(Lattice, KnowsTheSidesOfTheBoxAndStandsInMortonOrder) {
    const Lattice lattice = lattice_about({1.51, 0.99, 1.01}, {3, 2, 2}, 4);

    const Vec3 upper{3.0, 2.0, 2.0};
    int walls = 0;
    std::uint64_t last = 0;
    for (std::size_t v = 0; v < lattice.xyz.size(); ++v) {
        const Vec3& x = lattice.xyz[v];
        for (int axis = 0; axis < 3; ++axis) {
            const bool is_wall = x[axis] == 0.0 || x[axis] == upper[axis];
            EXPECT_EQ((lattice.walls[v] >> axis & 1U) != 0, is_wall);
            walls += is_wall ? 1 : 0;
        }
        const auto at = [&](int axis) { return static_cast<std::uint64_t>(32.0 * x[axis]); };
        const std::uint64_t place = morton(at(0), at(1), at(2));
        EXPECT_TRUE(v == 0 || place > last);
        last = place;
    }
    EXPECT_GT(walls, 50);
}

TEST(Lattice, OfTheDeepestOctreeKeepsItsFarCorner) {
    // 2^-19 of the box: places along an axis nearly fill the bits that they have.
    const Lattice lattice = lattice_about({1.0, 1.0, 1.0}, {1, 1, 1}, Octree::kBits - 1);

    EXPECT_NEAR(total_volume(lattice.xyz, lattice.tets), 1.0, 1e-12);
    EXPECT_GT(least_volume(lattice), 0.0);
    EXPECT_TRUE(conforms(lattice.xyz, lattice.walls, lattice.tets));
}

TEST(Morton, InterleavesBits) {
    EXPECT_EQ(morton(1, 0, 0), 1U);
    EXPECT_EQ(morton(0, 1, 0), 2U);
    EXPECT_EQ(morton(0, 0, 1), 4U);
    EXPECT_EQ(morton(3, 0, 2), 1U + 8U + 32U);
    EXPECT_EQ(morton(0x1fffff, 0x1fffff, 0x1fffff), 0x7fffffffffffffffU);
}

}  // namespace
}  // namespace kaname::cleaving::lattice_test
