// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/partition.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::mesh::partition_test {
namespace {

using Tet = std::array<std::int32_t, 4>;

struct Box {
    std::vector<Vec3> xyz;
    std::vector<Tet> tets;
};

// nx x ny x nz unit cubes, six tetrahedra around the main diagonal of each.
Box box(int nx, int ny, int nz) {
    Box mesh;
    const auto id = [&](int i, int j, int k) { return (k * (ny + 1) + j) * (nx + 1) + i; };
    for (int k = 0; k <= nz; ++k) {
        for (int j = 0; j <= ny; ++j) {
            for (int i = 0; i <= nx; ++i) {
                mesh.xyz.push_back({1.0 * i, 1.0 * j, 1.0 * k});
            }
        }
    }
    constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                for (const auto& order : kOrders) {
                    std::array<int, 3> at = {i, j, k};
                    Tet tet{};
                    tet[0] = id(at[0], at[1], at[2]);
                    for (int step = 0; step < 3; ++step) {
                        ++at[static_cast<std::size_t>(order[step])];
                        tet[static_cast<std::size_t>(step) + 1] = id(at[0], at[1], at[2]);
                    }
                    mesh.tets.push_back(tet);
                }
            }
        }
    }
    return mesh;
}

std::vector<int> counts(const std::vector<std::int32_t>& part, int parts) {
    std::vector<int> count(static_cast<std::size_t>(parts), 0);
    for (const std::int32_t p : part) {
        ++count.at(static_cast<std::size_t>(p));
    }
    return count;
}

// Faces whose two tetrahedra lie in different parts.
int cut_faces(const Box& mesh, const std::vector<std::int32_t>& part) {
    std::map<std::array<std::int32_t, 3>, std::int32_t> first;
    int cut = 0;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        for (std::size_t out = 0; out < 4; ++out) {
            std::array<std::int32_t, 3> face{};
            for (std::size_t v = 0, n = 0; v < 4; ++v) {
                if (v != out) {
                    face[n++] = mesh.tets[tet][v];
                }
            }
            std::sort(face.begin(), face.end());
            const auto [place, is_new] = first.emplace(face, part[tet]);
            cut += !is_new && place->second != part[tet] ? 1 : 0;
        }
    }
    return cut;
}

TEST(Partition, BisectionBalancesToOneElementPerCut) {
    const Box mesh = box(7, 5, 3);
    for (const int parts : {1, 2, 3, 5, 8}) {
        const auto part = partition_by_bisection(mesh.xyz, mesh.tets, parts);

        const std::vector<int> count = counts(part, parts);

        const auto [low, high] = std::minmax_element(count.begin(), count.end());
        EXPECT_LE(*high - *low, 2) << parts << " parts";
    }
}

TEST(Partition, BisectionCutsAcrossTheLongestSide) {
    const Box mesh = box(2, 12, 2);

    const auto part = partition_by_bisection(mesh.xyz, mesh.tets, 2);

    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const double y = mesh.xyz[static_cast<std::size_t>(mesh.tets[tet][0])].y;
        EXPECT_EQ(part[tet], y < 6.0 ? 0 : 1);
    }
    EXPECT_EQ(cut_faces(mesh, part), 8);
}

TEST(Partition, DefaultIsBalancedAndCutsNoMoreThanSlabsWould) {
    const Box mesh = box(12, 12, 12);
    for (const int parts : {2, 3, 5}) {
        const auto part = partition_tets(mesh.xyz, mesh.tets, parts);

        const std::vector<int> count = counts(part, parts);

        const double mean = static_cast<double>(mesh.tets.size()) / parts;
        EXPECT_LE(*std::max_element(count.begin(), count.end()), 1.05 * mean) << parts << " parts";
        EXPECT_LE(cut_faces(mesh, part), (parts - 1) * 12 * 12 * 2 * 1.5) << parts << " parts";
    }
}

TEST(Partition, RepeatsExactly) {
    const Box mesh = box(8, 8, 8);

    const auto first = partition_tets(mesh.xyz, mesh.tets, 4);
    const auto second = partition_tets(mesh.xyz, mesh.tets, 4);

    EXPECT_EQ(first, second);
}

TEST(Partition, NoPartIsEmptyOnTinyMeshes) {
    const Box mesh = box(1, 1, 1);
    for (int parts = 1; parts <= 6; ++parts) {
        const std::vector<int> count = counts(partition_tets(mesh.xyz, mesh.tets, parts), parts);

        EXPECT_GE(*std::min_element(count.begin(), count.end()), 1) << parts << " parts";
    }
}

TEST(Partition, RefusesMorePartsThanElementsAndLessThanOne) {
    const Box mesh = box(1, 1, 1);

    EXPECT_THROW((void)partition_tets(mesh.xyz, mesh.tets, 7), Error);
    EXPECT_THROW((void)partition_tets(mesh.xyz, mesh.tets, 0), Error);
    EXPECT_THROW((void)partition_by_bisection(mesh.xyz, mesh.tets, -1), Error);
}

TEST(Partition, BalancesWorkAndNumbers) {
    const Box mesh = box(16, 8, 8);
    // The lowest eighth along x takes eight times as long.
    std::vector<std::int32_t> work;
    double all = 0.0;
    for (const Tet& tet : mesh.tets) {
        work.push_back(mesh.xyz[static_cast<std::size_t>(tet[0])].x < 2.0 ? 8 : 1);
        all += work.back();
    }
    const int parts = 4;
    const std::vector<std::int32_t> part = partition_tets(mesh.xyz, mesh.tets, parts, work);
    std::vector<double> sums(parts);
    for (std::size_t e = 0; e < part.size(); ++e) {
        sums[static_cast<std::size_t>(part[e])] += work[e];
    }
    for (const double sum : sums) {
        EXPECT_NEAR(sum, all / parts, 0.1 * all / parts);
    }
}

TEST(Partition, WorkMustBeThereForEveryTet) {
    const Box mesh = box(2, 2, 2);
    EXPECT_THROW((void)partition_tets(mesh.xyz, mesh.tets, 2, std::vector<std::int32_t>{1, 2}),
                 Error);
}

}  // namespace
}  // namespace kaname::mesh::partition_test
