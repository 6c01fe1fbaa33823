// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "solvers/mesh/partition.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/p2/multigrid/truss.hpp"

namespace kaname::multigrid::aggregation_test {
namespace {

constexpr double kStrength = 0.05;
constexpr double kLambda = 2.5;  // any positive number: A P_rigid decides, not omega

/// A bent 6 x 5 x 4 lattice in parts, one per rank.
void on_ranks(int ranks, const std::function<void(p2::LocalMesh&, comm::Comm&)>& check) {
    const mesh::TetMesh mesh = test::BoxMesh{
        .cells = {6, 5, 4}, .high = {6.0, 5.0, 4.0}, .move = [](const Vec3& x) {
            return Vec3{x.x + 0.05 * x.y * x.z, x.y + 0.2 * std::sin(x.x), x.z};
        }}.build();
    const p2::DofMap dofs(mesh);
    const auto part = mesh::partition_by_bisection(mesh.xyz, mesh.tets, ranks);
    comm::run_as_threads(ranks, [&](comm::Comm& comm) {
        p2::LocalMesh local(mesh, dofs, part, comm);
        check(local, comm);
    });
}

/// Vertices at the low end of x are fixed.
std::vector<std::int32_t> clamped(const p2::LocalMesh& mesh) {
    std::vector<std::int32_t> fixed;
    for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
        for (int comp = 0; comp < 3 && mesh.vertex_gid[v] % 7 == 0; ++comp) {
            fixed.push_back(v * 3 + comp);
        }
    }
    return fixed;
}

TEST(Aggregate, EveryLiveItemJoinsOneAndDeadItemsNone) {
    on_ranks(1, [](p2::LocalMesh& mesh, comm::Comm&) {
        const auto fixed = clamped(mesh);
        const BlockMatrix A = truss(mesh, fixed);
        std::int32_t count = 0;

        const auto own = aggregate(A, {}, kStrength, count);

        std::set<std::int32_t> used;
        for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
            const bool dead = std::binary_search(fixed.begin(), fixed.end(), v * 3);
            EXPECT_EQ(own[v] < 0, dead) << v;
            EXPECT_LT(own[v], count);
            if (own[v] >= 0) {
                used.insert(own[v]);
            }
        }
        EXPECT_EQ(used.size(), static_cast<std::size_t>(count));
        EXPECT_LT(count, mesh.n_vertices() / 4);
    });
}

TEST(Aggregate, OwnersAggregateTheirItemsOnly) {
    on_ranks(3, [](p2::LocalMesh& mesh, comm::Comm&) {
        const BlockMatrix A = truss(mesh);
        std::int32_t count = 0;

        const auto own = aggregate(A, mesh.vertex_halo.owned_mask(), kStrength, count);

        for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
            EXPECT_EQ(own[v] >= 0, mesh.vertex_halo.owned(v)) << v;
        }
    });
}

TEST(Aggregate, WeakCouplingsDoNotJoinItems) {
    // A chain of 10 items; couplings 1 and 0.01 in turn: pairs.
    BlockMatrix A;
    A.n_cols = 10;
    const auto scaled = [](double value) {
        return std::vector<double>{value, 0.0, 0.0, 0.0, value, 0.0, 0.0, 0.0, value};
    };
    for (std::int32_t row = 0; row < 10; ++row) {
        std::map<std::int32_t, std::vector<double>> blocks;
        blocks[row] = scaled(1.01);
        if (row > 0) {
            blocks[row - 1] = scaled(row % 2 == 1 ? -1.0 : -0.01);
        }
        if (row < 9) {
            blocks[row + 1] = scaled(row % 2 == 0 ? -1.0 : -0.01);
        }
        append_row(A, blocks);
    }
    std::int32_t count = 0;

    const auto own = aggregate(A, {}, kStrength, count);

    EXPECT_EQ(count, 5);
    for (int pair = 0; pair < 5; ++pair) {
        EXPECT_EQ(own[2 * pair], own[2 * pair + 1]);
    }
}

TEST(Aggregate, IsolatedItemsAreTheirOwnAggregates) {
    BlockMatrix A;
    A.n_cols = 3;
    for (std::int32_t row = 0; row < 3; ++row) {
        append_row(A, {{row, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}}});
    }
    std::int32_t count = 0;

    const auto own = aggregate(A, {}, kStrength, count);

    EXPECT_EQ(count, 3);
    EXPECT_EQ(std::set<std::int32_t>(own.begin(), own.end()).size(), 3u);
}

const Vec3 kShift = {0.3, -1.1, 0.7};
const Vec3 kSpin = {0.2, 0.5, -0.4};

class CoarsenOnRanks : public testing::TestWithParam<int> {};

TEST_P(CoarsenOnRanks, RigidMotionsOfAFreeBodyAreReproducedOnTwoLevels) {
    on_ranks(GetParam(), [](p2::LocalMesh& mesh, comm::Comm& comm) {
        Items fine = vertex_items(mesh);
        BlockMatrix A = truss(mesh);
        for (int depth = 0; depth < 2; ++depth) {
            const auto D = inverse_blocks(A, fine.halo);

            CoarseLevel coarse = coarsen(A, fine, D, {}, kLambda, kStrength, comm);

            const auto expected = rigid_motion(fine, kShift, kSpin);
            const auto prolonged = times(coarse.P, rigid_motion(coarse.items, kShift, kSpin));
            ASSERT_EQ(prolonged.size(), expected.size());
            for (std::size_t k = 0; k < expected.size(); ++k) {
                EXPECT_NEAR(prolonged[k], expected[k], 1e-11) << "level " << depth << " " << k;
            }
            EXPECT_LT(coarse.n_global, comm.sum(std::int64_t{fine.size()}));
            fine = std::move(coarse.items);
            A = std::move(coarse.A);
        }
    });
}

TEST_P(CoarsenOnRanks, CoarseMatrixNeedsNoForceForRigidMotions) {
    on_ranks(GetParam(), [](p2::LocalMesh& mesh, comm::Comm& comm) {
        Items fine = vertex_items(mesh);
        const BlockMatrix A = truss(mesh);
        const auto D = inverse_blocks(A, fine.halo);

        CoarseLevel coarse = coarsen(A, fine, D, {}, kLambda, kStrength, comm);

        auto force = times(coarse.A, rigid_motion(coarse.items, kShift, kSpin));
        coarse.items.halo.sum(std::span<double>(force), 6);
        for (const double f : force) {
            EXPECT_NEAR(f, 0.0, 1e-10);
        }
    });
}

TEST_P(CoarsenOnRanks, RowsOfFixedDegreesOfFreedomAreZero) {
    on_ranks(GetParam(), [](p2::LocalMesh& mesh, comm::Comm& comm) {
        Items fine = vertex_items(mesh);
        // East component of the low x side, everything at one vertex of the far side.
        std::vector<std::int32_t> fixed;
        for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
            for (int comp = 0; comp < 3; ++comp) {
                if ((mesh.vertex_gid[v] % 7 == 0 && comp == 0) || mesh.vertex_gid[v] == 6) {
                    fixed.push_back(v * 3 + comp);
                }
            }
        }
        const BlockMatrix A = truss(mesh, fixed);
        const auto D = inverse_blocks(A, fine.halo);

        const CoarseLevel coarse = coarsen(A, fine, D, fixed, kLambda, kStrength, comm);

        const auto u = times(coarse.P, rigid_motion(coarse.items, kShift, kSpin));
        for (const std::int32_t dof : fixed) {
            EXPECT_EQ(u[dof], 0.0) << dof;
        }
        double largest = 0.0;
        for (const double value : u) {
            largest = std::max(largest, std::abs(value));
        }
        EXPECT_GT(largest, 1.0);
    });
}

TEST_P(CoarsenOnRanks, AggregateIdsAreDistinctAndSharedCopiesAgree) {
    on_ranks(GetParam(), [](p2::LocalMesh& mesh, comm::Comm& comm) {
        Items fine = vertex_items(mesh);
        const BlockMatrix A = truss(mesh);
        const auto D = inverse_blocks(A, fine.halo);

        CoarseLevel coarse = coarsen(A, fine, D, {}, kLambda, kStrength, comm);

        std::int64_t owned = 0;
        std::vector<double> copies(coarse.items.size(), 1.0);
        std::vector<double> sum;
        for (std::int32_t item = 0; item < coarse.items.size(); ++item) {
            owned += coarse.items.halo.owned(item) ? 1 : 0;
            EXPECT_GE(coarse.items.gid[item], 0);
            EXPECT_LT(coarse.items.gid[item], coarse.n_global);
            sum.push_back(coarse.items.centre[item].x + 7.0 * coarse.items.scale[item]);
        }
        const std::vector<double> mine = sum;
        coarse.items.halo.sum(std::span<double>(copies), 1);
        coarse.items.halo.sum(std::span<double>(sum), 1);
        for (std::size_t item = 0; item < mine.size(); ++item) {
            EXPECT_NEAR(sum[item], copies[item] * mine[item], 1e-12);
            EXPECT_GT(coarse.items.scale[item], 0.0);
        }
        EXPECT_EQ(comm.sum(owned), coarse.n_global);
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, CoarsenOnRanks, testing::Values(1, 3));

TEST(Coarsen, CoarseMatrixIsTheGalerkinProduct) {
    on_ranks(1, [](p2::LocalMesh& mesh, comm::Comm& comm) {
        Items fine = vertex_items(mesh);
        const auto fixed = clamped(mesh);
        const BlockMatrix A = truss(mesh, fixed);
        const auto D = inverse_blocks(A, fine.halo);
        const CoarseLevel coarse = coarsen(A, fine, D, fixed, kLambda, kStrength, comm);
        std::vector<double> x(std::size_t(coarse.items.size()) * 6);
        for (std::size_t k = 0; k < x.size(); ++k) {
            x[k] = std::sin(1.0 + 3.0 * static_cast<double>(k));
        }

        const auto y = times(coarse.A, x);

        const auto expected = times(coarse.P.transposed({}), times(A, times(coarse.P, x)));
        for (std::size_t k = 0; k < x.size(); ++k) {
            EXPECT_NEAR(y[k], expected[k], 1e-11);
        }
    });
}

}  // namespace
}  // namespace kaname::multigrid::aggregation_test
